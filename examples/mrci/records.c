#include "records.h"

#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fail.h"
#include "macdecls.h"
#include "sf.h"

enum { WORD_BYTES = sizeof(long), ENTRY_WORDS = sizeof(struct entry) / sizeof(long), NAME_BYTES_MAX = 1024, SUFFIX = 0 };

static struct {
    enum mode mode;
    int count;
    int directory;
    int array;  /* 0: there is none */
    int file;
    int has_file;
    char path[NAME_BYTES_MAX]; /* of the file; the library appends the suffix */
} records;

/* ---- begin and end ---- */

/* A record in the worst place has outgrown pieces of all smaller classes, which are as large as its own together. */
static double worst_bytes(int count, size_t bytes_max)
{
    return 2.0 * (double)space_bytes_of(space_class_of(bytes_max)) * count;
}

/* A guess: half of the elements compress to a byte or less. */
static double likely_bytes(int count, size_t bytes_max)
{
    return (double)space_bytes_of(space_class_of(bytes_max / 8)) * count;
}

static double memory_bytes(enum mode mode, int count, size_t bytes_max)
{
    if (mode == DISK)
        return 0;
    if (mode == MEMORY)
        return worst_bytes(count, bytes_max);
    return options.memory_mb > 0 ? options.memory_mb * 1e6 : likely_bytes(count, bytes_max) / 2;
}

static int create_array(double bytes)
{
    int dims[1];
    if (bytes / WORD_BYTES > INT_MAX)
        fail_together("a global array of %.0f MB has too many elements", bytes / 1e6);
    dims[0] = (int)(bytes / WORD_BYTES);
    int array = dims[0] ? NGA_Create(C_LONG, 1, dims, (char *)"records", NULL) : 0;
    if (dims[0] && !array)
        fail_together("no memory for a global array of %.0f MB", bytes / 1e6);
    return array;
}

static int create_directory(int count)
{
    int dims[2] = {count, ENTRY_WORDS};
    int directory = NGA_Create(C_LONG, 2, dims, (char *)"directory", NULL);
    long nowhere = NOWHERE;
    if (!directory)
        fail_together("no memory for the directory of %d records", count);
    GA_Fill(directory, &nowhere);
    return directory;
}

static void check_sf(int code, const char *what, int record)
{
    char text[256] = "";
    if (code == 0)
        return;
    SF_Errmsg(code, text);
    fail("%s %d: %s (code %d)", what, record, text, code);
}

/* The process number keeps two runs in one directory apart. */
static void name_file(char name[NAME_BYTES_MAX])
{
    long process = (long)getpid();
    MPI_Bcast(&process, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    snprintf(name, NAME_BYTES_MAX, "%s/mrci-%ld", options.scratch, process);
    int length = snprintf(records.path, NAME_BYTES_MAX, "%s.%d", name, SUFFIX);
    if (length >= NAME_BYTES_MAX)
        fail_together("--scratch has more than %d characters", NAME_BYTES_MAX - 32);
}

static void create_file(double bytes_max, double bytes_likely, size_t record_bytes)
{
    char name[NAME_BYTES_MAX], text[256] = "";
    name_file(name);
    int code = SF_Create_suffix(name, bytes_max, bytes_likely, (SFsize_t)record_bytes, &records.file, SUFFIX);
    if (code != 0) {
        SF_Errmsg(code, text);
        fail_together("the shared file %s cannot be made: %s (code %d)", records.path, text, code);
    }
    records.has_file = 1;
    fail_removes(records.path);
}

void records_begin(enum mode mode, int count, size_t bytes_max)
{
    double memory = memory_bytes(mode, count, bytes_max);
    double disk = options.disk_mb > 0 ? options.disk_mb * 1e6 : -1;
    records.mode = mode;
    records.count = count;
    records.array = create_array(memory);
    records.directory = create_directory(count);
    if (mode != MEMORY)
        create_file(disk, likely_bytes(count, bytes_max), bytes_max / 8);
    if (!GA_Create_mutexes(count + PLACES))
        fail_together("no mutexes for %d records", count);
    space_begin((const double[PLACES]){memory, mode == MEMORY ? 0 : disk}, count, count);
    GA_Sync();
}

void records_end(void)
{
    GA_Sync();
    space_end();
    GA_Destroy_mutexes();
    if (records.has_file)
        check_sf(SF_Destroy(records.file), "removing the shared file of records", records.count);
    records.has_file = 0;
    fail_removes(NULL);
    GA_Destroy(records.directory);
    if (records.array)
        GA_Destroy(records.array);
}

/* ---- directory and locks ---- */

void records_lock(int record)
{
    GA_Lock(record);
}

void records_unlock(int record)
{
    GA_Unlock(record);
}

static void aim_at_entry(int record, int lo[2], int hi[2], int ld[1])
{
    lo[0] = hi[0] = record;
    lo[1] = 0;
    hi[1] = ENTRY_WORDS - 1;
    ld[0] = ENTRY_WORDS;
}

struct entry records_find(int record)
{
    int lo[2], hi[2], ld[1];
    struct entry entry;
    aim_at_entry(record, lo, hi, ld);
    NGA_Get(records.directory, lo, hi, &entry, ld);
    return entry;
}

static void enter(int record, struct entry entry)
{
    int lo[2], hi[2], ld[1];
    aim_at_entry(record, lo, hi, ld);
    NGA_Put(records.directory, lo, hi, &entry, ld);
}

/* ---- transfers ---- */

static void aim_at_words(const struct entry *entry, int lo[1], int hi[1])
{
    lo[0] = (int)(entry->offset / WORD_BYTES);
    hi[0] = lo[0] + (int)((entry->bytes + WORD_BYTES - 1) / WORD_BYTES) - 1;
}

void records_start_read(int record, const struct entry *entry, void *buffer, struct transfer *transfer)
{
    int lo[1], hi[1], ld[1] = {1};
    transfer->place = (enum place)entry->place;
    transfer->record = record;
    if (entry->place == ON_DISK) {
        int code = SF_Read(records.file, (SFsize_t)entry->offset, (SFsize_t)entry->bytes, buffer, &transfer->request);
        check_sf(code, "reading record", record);
    } else if (entry->place == IN_MEMORY) {
        aim_at_words(entry, lo, hi);
        NGA_NbGet(records.array, lo, hi, buffer, ld, &transfer->handle);
    }
}

static struct entry find_room(int record, int class)
{
    struct entry entry = {.class = class};
    for (int place = IN_MEMORY; place < PLACES; place++) {
        int exists = place == IN_MEMORY ? records.array != 0 : records.has_file;
        entry.place = place;
        entry.offset = exists ? space_take((enum place)place, class) : -1;
        if (entry.offset >= 0)
            return entry;
    }
    fail("record %d: no room for %zu bytes in mode %s: --memory-mb and --disk-mb limit it", record, space_bytes_of(class),
         mode_names[records.mode]);
}

/* Where a record of `bytes` bytes goes: it stays where it is unless it has outgrown its piece. */
static struct entry place_for(int record, const struct entry *before, size_t bytes)
{
    struct entry entry = *before;
    if (before->place == NOWHERE || bytes > space_bytes_of((int)before->class)) {
        entry = find_room(record, space_class_of(bytes));
        if (before->place != NOWHERE)
            space_give((enum place)before->place, (int)before->class, before->offset);
    }
    entry.bytes = (long)bytes;
    return entry;
}

void records_start_write(int record, const struct entry *before, size_t bytes, void *buffer, struct transfer *transfer)
{
    int lo[1], hi[1], ld[1] = {1};
    struct entry entry = place_for(record, before, bytes);
    transfer->place = (enum place)entry.place;
    transfer->record = record;
    enter(record, entry);
    if (entry.place == ON_DISK) {
        int code = SF_Write(records.file, (SFsize_t)entry.offset, (SFsize_t)bytes, buffer, &transfer->request);
        check_sf(code, "writing record", record);
    } else {
        aim_at_words(&entry, lo, hi);
        NGA_NbPut(records.array, lo, hi, buffer, ld, &transfer->handle);
    }
}

void records_finish(struct transfer *transfer)
{
    if (transfer->place == ON_DISK)
        check_sf(SF_Wait(&transfer->request), "waiting for record", transfer->record);
    else if (transfer->place == IN_MEMORY)
        NGA_NbWait(&transfer->handle);
}

struct census records_census(void)
{
    struct census census = {{0, 0}, 0};
    GA_Sync();
    for (int record = 0; record < records.count; record++) {
        struct entry entry = records_find(record);
        if (entry.place == NOWHERE)
            continue;
        census.counts[entry.place]++;
        census.packed_bytes += (double)entry.bytes;
    }
    GA_Sync();
    return census;
}
