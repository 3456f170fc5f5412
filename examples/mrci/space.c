#include "space.h"

#include <limits.h>

#include "fail.h"
#include "ga.h"
#include "macdecls.h"

/* A row of the books for each place: the bytes handed out, and for each class how many pieces are free, and their offsets. A
 * record grows from class to class, so no class ever has more free pieces than there are records. */
enum { GRAIN_BYTES = 4096, CLASSES = 32, USED = 0 };

static struct {
    int books, first_mutex, records;
    double bytes_max[PLACES];
} space;

void space_begin(const double bytes_max[PLACES], int records, int first_mutex)
{
    int dims[2] = {PLACES, 1 + CLASSES * (1 + records)};
    if (records > (INT_MAX - 1) / CLASSES - 1)
        fail_together("%d records are too many", records);
    space.first_mutex = first_mutex;
    space.records = records;
    for (int place = 0; place < PLACES; place++)
        space.bytes_max[place] = bytes_max[place];
    space.books = NGA_Create(C_LONG, 2, dims, (char *)"space", NULL);
    if (!space.books)
        fail_together("no memory for the books of %d records", records);
    GA_Zero(space.books);
}

void space_end(void)
{
    GA_Destroy(space.books);
}

int space_class_of(size_t bytes)
{
    int class = 0;
    while (space_bytes_of(class) < bytes)
        class++;
    return class;
}

size_t space_bytes_of(int class)
{
    return (size_t)GRAIN_BYTES << class;
}

/* ---- the books ---- */

static int count_of(int class)
{
    return 1 + class * (1 + space.records);
}

static long look_up(enum place place, int column)
{
    int at[2] = {place, column}, ld[1] = {1};
    long number;
    NGA_Get(space.books, at, at, &number, ld);
    return number;
}

static void enter(enum place place, int column, long number)
{
    int at[2] = {place, column}, ld[1] = {1};
    NGA_Put(space.books, at, at, &number, ld);
}

static void open_books(enum place place)
{
    GA_Lock(space.first_mutex + place);
    GA_Init_fence();
}

/* What was entered has to be there before the next one looks. */
static void close_books(enum place place)
{
    GA_Fence();
    GA_Unlock(space.first_mutex + place);
}

/* ---- pieces ---- */

static long take_new(enum place place, int class)
{
    long used = look_up(place, USED), bytes = (long)space_bytes_of(class);
    if (space.bytes_max[place] >= 0 && (double)used + (double)bytes > space.bytes_max[place])
        return -1;
    enter(place, USED, used + bytes);
    return used;
}

static long take_free(enum place place, int class, long count)
{
    enter(place, count_of(class), count - 1);
    return look_up(place, count_of(class) + (int)count);
}

long space_take(enum place place, int class)
{
    open_books(place);
    long count = look_up(place, count_of(class));
    long offset = count > 0 ? take_free(place, class, count) : take_new(place, class);
    close_books(place);
    return offset;
}

void space_give(enum place place, int class, long offset)
{
    open_books(place);
    long count = look_up(place, count_of(class)) + 1;
    enter(place, count_of(class) + (int)count, offset);
    enter(place, count_of(class), count);
    close_books(place);
}
