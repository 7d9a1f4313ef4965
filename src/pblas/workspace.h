/* The memory that all plans of one BLACS context work in, one after the other. */
#ifndef ASHI_WORKSPACE_H
#define ASHI_WORKSPACE_H

#include <ashlar/base.h>

/* Each context has its own, since threads may multiply in different contexts at once. Begins as {0}. */
typedef struct ashi_workspace {
    void *memory;  /* on a cache line; NULL as long as nothing was reserved */
    int64_t bytes;
} ashi_workspace;

/* Make it at least `bytes` long; its content is lost, and its address may change. False if there is no memory; then it
 * is as before. */
bool ashi_workspace_reserve(ashi_workspace *workspace, int64_t bytes);

void ashi_workspace_free(ashi_workspace *workspace);

#endif
