/* Where the ranks of a schedule sum up, and freeing it. */
#include "schedule/schedule.h"

int64_t ashi_schedule_one_part(const ashi_schedule *schedule, int64_t rank)
{
    (void)schedule;
    (void)rank;
    return 1;
}

static int64_t sum_words(const ashi_schedule *s, int64_t rank)
{
    int64_t words = 0;
    for (int64_t i = 0; i < s->parts(s, rank); i++) {
        const ashi_box box = s->domain(s, rank, i);
        const ashi_home home = s->home(s, rank, i);
        words += ashi_home_buffer_words(&home, &box);
    }
    return words;
}

bool ashi_schedule_sums_move(const ashi_schedule *s)
{
    for (int64_t r = 0; r < s->ranks; r++)
        if (sum_words(s, r) > 0)
            return true;
    return false;
}

void ashi_schedule_free(ashi_schedule *schedule)
{
    if (schedule->free_own)
        schedule->free_own(schedule);
    for (int x = 0; x < 3; x++)
        ashi_view_free(&schedule->view[x]);
    *schedule = (ashi_schedule){0};
}
