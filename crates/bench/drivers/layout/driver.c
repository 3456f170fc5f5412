/* A job of ranks that bring a square matrix of doubles on disk into other bricks by NDRA_Copy of chemio, and read it tile by
 * tile before and after. No other library has such a call in C.
 *
 *   mpirun -n RANKS driver DIRECTORY SEED CHECK MEMORY
 *     DIRECTORY  holds source/ and target/; whoever started the job empties them
 *     SEED       of the content
 *     CHECK      full | samples: how much of each tile that is read is compared
 *     MEMORY     bytes that a rank may use, as DRA_Init takes them
 *
 * Rank 0 reads commands from standard input, one at a time; all ranks carry them out at once, and sleep in between. SIDE, ROWS
 * and COLUMNS are in elements. Answers are JSON, a line each:
 *
 *   hello                         {"mpi": the version of the MPI library}
 *   make SIDE ROWS COLUMNS        makes the source in bricks of ROWS x COLUMNS                                       {}
 *   copy SIDE ROWS COLUMNS        makes the target in such bricks, copies the source to it and closes both
 *                                 {"seconds": until all is on disk}
 *   skewed SIDE ROWS COLUMNS ALL  reads tiles of ROWS x COLUMNS of the source, row by row, several in flight, at once as many
 *                                 as there are ranks, until ALL rows were read   {"seconds": until the last has arrived}
 *   aligned SIDE ROWS COLUMNS ALL the same of the target
 *   check SIDE                    compares every element of the target                                               {}
 *
 * After an error the answer is {"error": "..."} and the job ends. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dra.h"
#include "ga.h"
#include "kernel_directory.h"
#include "macdecls.h"
#include "team.h"

enum { LINE_BYTES_MAX = 128, PATH_BYTES_MAX = 512, MA_WORDS = 1 << 20, ARRAYS_MAX = 4, IN_FLIGHT = 16, MADE_PARTS = 32, CHECKED_ROWS = 256 };

/* More than any array of a run. */
static const double ARRAY_BYTES_MAX = 1e11, DISK_BYTES_MAX = 1e12;
/* What is in memory before it is read: no element is like this. */
static double spoilt = -0.5;

static struct {
    char source[PATH_BYTES_MAX], target[PATH_BYTES_MAX], target_directory[PATH_BYTES_MAX];
    int checks_fully;
} job;

/* A matrix and the tiles or bricks it is cut into. */
struct shape {
    int64_t side, rows, columns;
};

/* A part of the matrix: as many tiles as there are ranks, side by side or, if they are wide, one below the other. */
struct part {
    int64_t row, column, rows, columns;
};

/* A part on its way, and the array in memory that takes it. */
struct slot {
    int array, request;
    struct part part;
};

static void must(int code, const char *call)
{
    if (code != 0)
        fail("%s: code %d", call, code);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double until_last_rank(double begin)
{
    double mine = now() - begin, longest;
    MPI_Allreduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return longest;
}

/* ---- content ---- */

/* No two elements are the same, and all are whole numbers below 2^53. */
static double element(const struct shape *shape, int64_t row, int64_t column)
{
    return (double)(int64_t)(team.seed + (uint64_t)(row * shape->side + column));
}

/* What this rank has of an array in memory. */
struct block {
    int first[2], last[2], leading;
    double *elements;
};

static int borrow(int array, struct block *block)
{
    NGA_Distribution(array, GA_Nodeid(), block->first, block->last);
    if (block->first[0] < 0 || block->last[0] < block->first[0] || block->last[1] < block->first[1])
        return 0;
    NGA_Access(array, block->first, block->last, &block->elements, &block->leading);
    return 1;
}

static void fill(int array, const struct shape *shape, int64_t first_row)
{
    struct block block;
    if (borrow(array, &block)) {
        for (int row = block.first[0]; row <= block.last[0]; row++)
            for (int column = block.first[1]; column <= block.last[1]; column++)
                block.elements[(int64_t)(row - block.first[0]) * block.leading + column - block.first[1]] =
                    element(shape, first_row + row, column);
        NGA_Release_update(array, block.first, block.last);
    }
    GA_Sync();
}

static void check_element(const struct block *block, const struct shape *shape, const struct part *part, int row, int column)
{
    double found = block->elements[(int64_t)(row - block->first[0]) * block->leading + column - block->first[1]];
    if (found != element(shape, part->row + row, part->column + column))
        fail("element (%" PRId64 ", %" PRId64 ") is %.17g", part->row + row, part->column + column, found);
}

/* Compares what this rank has got of a part: its corners, or every element. */
static void check(const struct slot *slot, const struct shape *shape, int fully)
{
    struct block block;
    if (!borrow(slot->array, &block))
        return;
    int last[2] = {block.last[0], block.last[1]};
    /* At the edge of the matrix a part does not fill the array. */
    if (last[0] >= slot->part.rows)
        last[0] = (int)slot->part.rows - 1;
    if (last[1] >= slot->part.columns)
        last[1] = (int)slot->part.columns - 1;
    int row_step = fully || last[0] == block.first[0] ? 1 : last[0] - block.first[0];
    int column_step = fully || last[1] == block.first[1] ? 1 : last[1] - block.first[1];
    for (int row = block.first[0]; row <= last[0]; row += row_step)
        for (int column = block.first[1]; column <= last[1]; column += column_step)
            check_element(&block, shape, &slot->part, row, column);
    NGA_Release(slot->array, block.first, block.last);
}

/* ---- arrays on disk ---- */

/* The calls take paths that they may change. */
static int create(const char *path, const struct shape *shape)
{
    char copy[PATH_BYTES_MAX];
    int handle;
    dra_size_t extents[] = {shape->side, shape->side}, brick[] = {shape->rows, shape->columns};
    snprintf(copy, sizeof copy, "%s", path);
    must(NDRA_Create(C_DBL, 2, extents, "matrix", copy, DRA_RW, brick, &handle), "NDRA_Create");
    return handle;
}

static int open_to_read(const char *path)
{
    char copy[PATH_BYTES_MAX];
    int handle;
    snprintf(copy, sizeof copy, "%s", path);
    must(DRA_Open(copy, DRA_R, &handle), "DRA_Open");
    return handle;
}

static void command_make(const struct shape *shape)
{
    int64_t rows = (shape->side + MADE_PARTS - 1) / MADE_PARTS;
    int extents[] = {(int)rows, (int)shape->side}, first[] = {0, 0}, request;
    int array = NGA_Create(C_DBL, 2, extents, "rows", NULL);
    int disk = create(job.source, shape);
    for (int64_t row = 0; row < shape->side; row += rows) {
        int64_t count = row + rows < shape->side ? rows : shape->side - row;
        int last[] = {(int)count - 1, (int)shape->side - 1};
        dra_size_t disk_first[] = {row, 0}, disk_last[] = {row + count - 1, shape->side - 1};
        fill(array, shape, row);
        must(NDRA_Write_section(0, array, first, last, disk, disk_first, disk_last, &request), "NDRA_Write_section");
        must(DRA_Wait(request), "DRA_Wait");
    }
    must(DRA_Close(disk), "DRA_Close");
    GA_Destroy(array);
    team_answer("{}");
}

/* Rank 0 syncs the files while the others sleep. */
static void sync_target(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (team.rank == 0) {
        kernel_directory_sync(job.target_directory);
        team_wake_others();
    } else {
        team_sleep_until_woken();
    }
}

static void command_copy(const struct shape *shape)
{
    int order[] = {0, 1};
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = now();
    int source = open_to_read(job.source);
    int target = create(job.target, shape);
    must(NDRA_Copy(source, target, order), "NDRA_Copy");
    must(DRA_Close(target), "DRA_Close");
    must(DRA_Close(source), "DRA_Close");
    sync_target();
    team_answer("{\"seconds\": %.9f}", until_last_rank(begin));
}

/* ---- reading by tiles ---- */

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The extents of a part, before it is clipped to the matrix. */
static struct part first_part(const struct shape *shape)
{
    int is_wide = shape->columns * team.ranks_count > shape->side;
    int64_t below = is_wide ? team.ranks_count : 1, beside = is_wide ? 1 : team.ranks_count;
    return (struct part){0, 0, least(shape->rows * below, shape->side), least(shape->columns * beside, shape->side)};
}

static void start(struct slot *slot, int disk, const struct shape *shape, struct part part)
{
    part.rows = least(part.rows, shape->side - part.row);
    part.columns = least(part.columns, shape->side - part.column);
    int first[] = {0, 0}, last[] = {(int)part.rows - 1, (int)part.columns - 1};
    dra_size_t disk_first[] = {part.row, part.column};
    dra_size_t disk_last[] = {part.row + part.rows - 1, part.column + part.columns - 1};
    slot->part = part;
    must(NDRA_Read_section(0, slot->array, first, last, disk, disk_first, disk_last, &slot->request), "NDRA_Read_section");
}

/* All ranks have compared what they got before anything else comes there. */
static void finish(struct slot *slot, const struct shape *shape, int checks_fully)
{
    must(DRA_Wait(slot->request), "DRA_Wait");
    check(slot, shape, checks_fully);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void read_all(struct slot slots[], int disk, const struct shape *shape, int64_t rows_count)
{
    struct part part = first_part(shape);
    int64_t started = 0, finished = 0;
    for (; part.row < rows_count; part.row += part.rows)
        for (part.column = 0; part.column < shape->side; part.column += part.columns) {
            if (started - finished == IN_FLIGHT)
                finish(&slots[finished++ % IN_FLIGHT], shape, job.checks_fully);
            start(&slots[started++ % IN_FLIGHT], disk, shape, part);
        }
    while (finished < started)
        finish(&slots[finished++ % IN_FLIGHT], shape, job.checks_fully);
}

static void command_read(const char *path, const struct shape *shape, int64_t rows_count)
{
    struct slot slots[IN_FLIGHT];
    struct part part = first_part(shape);
    int extents[] = {(int)part.rows, (int)part.columns}, tile[] = {(int)shape->rows, (int)shape->columns};
    for (int i = 0; i < IN_FLIGHT; i++) {
        slots[i].array = NGA_Create(C_DBL, 2, extents, "tiles", tile);
        GA_Fill(slots[i].array, &spoilt);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = now();
    int disk = open_to_read(path);
    read_all(slots, disk, shape, rows_count);
    must(DRA_Close(disk), "DRA_Close");
    double seconds = until_last_rank(begin);
    for (int i = 0; i < IN_FLIGHT; i++)
        GA_Destroy(slots[i].array);
    team_answer("{\"seconds\": %.9f}", seconds);
}

/* By whole rows, a part after the other. */
static void command_check(int64_t side)
{
    struct shape shape = {side, least(CHECKED_ROWS, side), side};
    struct part part = {0, 0, shape.rows, side};
    int extents[] = {(int)shape.rows, (int)side};
    struct slot slot;
    slot.array = NGA_Create(C_DBL, 2, extents, "checked", NULL);
    int disk = open_to_read(job.target);
    for (; part.row < side; part.row += part.rows) {
        GA_Fill(slot.array, &spoilt);
        start(&slot, disk, &shape, part);
        finish(&slot, &shape, 1);
    }
    must(DRA_Close(disk), "DRA_Close");
    GA_Destroy(slot.array);
    team_answer("{}");
}

/* ---- command lines ---- */

static void carry_out(const char *line)
{
    char word[16];
    struct shape shape;
    int64_t rows_count = 0;
    if (strncmp(line, "hello", 5) == 0) {
        team_answer_hello();
        return;
    }
    if (sscanf(line, "check %" SCNd64, &shape.side) == 1) {
        if (shape.side < 1)
            fail("not a matrix");
        command_check(shape.side);
        return;
    }
    int count = sscanf(line, "%15s %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64, word, &shape.side, &shape.rows,
                       &shape.columns, &rows_count);
    if (count < 4 || shape.rows < 1 || shape.columns < 1 || shape.rows > shape.side || shape.columns > shape.side)
        fail("not a command with a matrix and its tiles");
    if (strcmp(word, "make") == 0)
        command_make(&shape);
    else if (strcmp(word, "copy") == 0)
        command_copy(&shape);
    else if (strcmp(word, "skewed") == 0)
        command_read(job.source, &shape, rows_count);
    else if (strcmp(word, "aligned") == 0)
        command_read(job.target, &shape, rows_count);
    else
        fail("unknown command");
}

static void take_arguments(int count, char **arguments)
{
    if (count != 5)
        fail("usage: driver DIRECTORY SEED CHECK MEMORY");
    if (strlen(arguments[1]) > PATH_BYTES_MAX - 20)
        fail("the name of DIRECTORY is too long");
    sprintf(job.source, "%s/source/array", arguments[1]);
    sprintf(job.target_directory, "%s/target", arguments[1]);
    sprintf(job.target, "%s/target/array", arguments[1]);
    team.seed = strtoull(arguments[2], NULL, 10);
    job.checks_fully = strcmp(arguments[3], "full") == 0;
}

int main(int count, char **arguments)
{
    char line[LINE_BYTES_MAX];
    team_begin(&count, &arguments);
    take_arguments(count, arguments);
    GA_Initialize();
    if (!MA_init(C_DBL, MA_WORDS, MA_WORDS))
        fail("MA_init failed");
    must(DRA_Init(ARRAYS_MAX, ARRAY_BYTES_MAX, DISK_BYTES_MAX, strtod(arguments[4], NULL)), "DRA_Init");
    while (team_next_command(line, sizeof line))
        carry_out(line);
    DRA_Terminate();
    GA_Terminate();
    team_end();
    return 0;
}
