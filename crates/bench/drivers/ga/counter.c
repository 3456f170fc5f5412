/* A shared counter, as programs use it to hand out tasks: all ranks take numbers from one element. */
#include "commands.h"

#include "ga.h"
#include "macdecls.h"
#include "team.h"
#include "timing.h"

static int counter;
static int first_element[1] = {0};
static int is_ascending;

static void take_numbers(int64_t calls_count)
{
    long before = -1;
    for (int64_t i = 0; i < calls_count; i++) {
        long number = NGA_Read_inc(counter, first_element, 1);
        is_ascending &= number > before;
        before = number;
    }
}

static long final_number(void)
{
    long number;
    int ld[1] = {1};
    NGA_Get(counter, first_element, first_element, &number, ld);
    return number;
}

void command_count(double seconds)
{
    int dims[1] = {1}, chunk[1] = {-1};
    counter = NGA_Create(C_LONG, 1, dims, "counter", chunk);
    if (!counter)
        fail("NGA_Create failed");
    GA_Zero(counter);
    is_ascending = 1;
    struct timing timing = time_together(take_numbers, seconds);
    if (!is_ascending)
        fail("wrong data: a number was given twice");
    if (final_number() != timing.calls_so_far * team.ranks_count)
        fail("wrong data: the counter is %ld after %ld calls", final_number(), (long)timing.calls_so_far * team.ranks_count);
    GA_Destroy(counter);
    answer_timing(&timing);
}
