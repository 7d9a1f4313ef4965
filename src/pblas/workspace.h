/* One piece of memory that all plans of a process work in, one after the other. */
#ifndef ASHI_WORKSPACE_H
#define ASHI_WORKSPACE_H

#include <ashlar/base.h>

/* Make it at least so many bytes, on a cache line; what was in it is lost, and its address may change. False where
 * there is no memory, and it is as before. */
bool ashi_workspace_reserve(int64_t bytes);

/* Where it is now; NULL while nothing was reserved. */
void *ashi_workspace(void);

/* One more user, one user less; with the last one it is freed. */
void ashi_workspace_join(void);
void ashi_workspace_leave(void);

#endif
