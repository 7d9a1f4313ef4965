/* How far long work has come, said on a terminal. */
#include "cli/progress.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

/* What the handler of SIGALRM sees. */
static struct {
    char what[64];
    volatile sig_atomic_t seconds, counting; /* counting: another progress has the line */
    bool on;
} the_clock;

/* Only what a handler may call: write, alarm. */
static void tick(int number)
{
    char line[128] = "\r", digits[16];
    size_t at = 1, first = sizeof digits;
    const int before = errno;
    (void)number;
    the_clock.seconds++;
    for (int left = (int)the_clock.seconds; first > 0 && (left > 0 || first == sizeof digits); left /= 10)
        digits[--first] = (char)('0' + left % 10);
    for (const char *c = the_clock.what; *c; c++)
        line[at++] = *c;
    line[at++] = ':';
    line[at++] = ' ';
    for (; first < sizeof digits; first++)
        line[at++] = digits[first];
    for (const char *c = " s\033[K"; *c; c++)
        line[at++] = *c;
    if (!the_clock.counting && write(STDERR_FILENO, line, at) < 0)
        the_clock.counting = 1; /* nobody looks any more */
    alarm(1);
    errno = before;
}

void ashi_progress_clock_start(const char *what, bool wanted)
{
    struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART};
    if (!wanted || !isatty(STDERR_FILENO) || sigemptyset(&action.sa_mask) != 0)
        return;
    snprintf(the_clock.what, sizeof the_clock.what, "%s", what);
    the_clock.seconds = the_clock.counting = 0;
    the_clock.on = sigaction(SIGALRM, &action, NULL) == 0;
    if (the_clock.on)
        alarm(1);
}

void ashi_progress_clock_end(void)
{
    if (!the_clock.on)
        return;
    alarm(0);
    signal(SIGALRM, SIG_DFL);
    the_clock.on = false;
    if (the_clock.seconds > 0)
        fputs("\r\033[K", stderr);
}

ashi_progress ashi_progress_start(const char *what, int64_t total, bool wanted)
{
    ashi_progress progress = {what, total, 0, wanted && isatty(STDERR_FILENO), -1};
    if (progress.on)
        the_clock.counting = 1;
    ashi_progress_add(&progress, 0);
    return progress;
}

void ashi_progress_add(ashi_progress *progress, int64_t amount)
{
    if (!progress->on)
        return;
    progress->done += amount;
    const int now = progress->total > 0 ? (int)(100.0 * (double)progress->done / (double)progress->total) : 0;
    if (now == progress->shown)
        return;
    progress->shown = now;
    fprintf(stderr, "\r%s: %d %%\033[K", progress->what, now);
    fflush(stderr);
}

void ashi_progress_end(ashi_progress *progress)
{
    if (progress->on) {
        fputs("\r\033[K", stderr);
        the_clock.counting = 0;
    }
    progress->on = false;
}
