/* Pages of files that the system keeps in memory: which of them a box was the last to need, and letting go of them. */
#ifndef ASHI_PAGES_H
#define ASHI_PAGES_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes of a file that are read or written: runs, `step` apart. Lines of the matrix begin at `origin` and are `step`
 * bytes long; those before a run were moved before it, those after it in its line will be. */
typedef struct ashi_page_runs {
    int64_t origin, at, bytes, count, step; /* `at`: where the first run begins */
} ashi_page_runs;

/* Bytes from `from` to `to` - 1, whole pages. */
typedef void (*ashi_pages_visit)(void *context, int64_t from, int64_t to);

/* Visit, in the order of the file, the pages that nothing needs once these runs have been read, slabs being read from
 * the beginning of a line to its end. The page in which a run ends is needed by the next slab, unless its line ends
 * there; the one in which a line begins has the end of the line before, which is read last. If the runs are `written`:
 * the pages that are written whole. Nothing reads these later, or only after long. */
void ashi_pages_passed(const ashi_page_runs *runs, bool written, int64_t page, ashi_pages_visit visit, void *context);

/* Visit the parts of lines that are worth fetching now because these runs are read and the next slabs go on where they
 * end. A line is seen as windows of `window` bytes from its beginning on: each window that begins in a run is visited,
 * the last up to the end of the line. So each byte is visited once, whatever the runs' length. None if runs are as long
 * as a window. */
void ashi_pages_ahead(const ashi_page_runs *runs, int64_t window, ashi_pages_visit visit, void *context);

/* Advise the system to fetch these parts. */
void ashi_pages_fetch(int fd, const ashi_page_runs *runs, int64_t window);

/* Advise it to fetch these runs, all at once, where reading them one by one would wait for each. */
void ashi_pages_fetch_runs(int fd, const ashi_page_runs *runs);

/* Whether the system still has the pages in which runs end that were read, as far as it tells: some of them are looked
 * at. If it has not, memory is short. */
bool ashi_pages_are_kept(int fd, const ashi_page_runs *runs);

/* Have what is written and not yet on the disk go there from now on, in the lines of these runs. */
void ashi_pages_write_out(int fd, const ashi_page_runs *runs);

/* Advise the system to let go of the pages that have been passed. Those that are not yet on the disk stay. */
void ashi_pages_let_go(int fd, const ashi_page_runs *runs, bool written);

#endif
