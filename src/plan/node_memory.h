/* How much memory the node has for the programs of this job. */
#ifndef ASHI_NODE_MEMORY_H
#define ASHI_NODE_MEMORY_H

#include <stdint.h>

/* Bytes: the machine's physical memory, or less if a control group of the process, or one around it, has a limit. They
 * do not depend on what is free at the moment. 0 if nothing is known. */
int64_t ashi_node_memory(void);

#endif
