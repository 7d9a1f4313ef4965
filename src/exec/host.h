/* On which machine a process runs. */
#ifndef ASHI_HOST_H
#define ASHI_HOST_H

#include <stdint.h>

/* A number for the machine, made from the name that MPI gives it and, where the system has one, the identity of its
 * present boot: names such as "localhost" are not unique. Processes with different numbers share no memory. Those with
 * the same number run on the same machine, unless containers of one name hide them from each other. Local. */
uint64_t ashi_host_digest(const char *name);

#endif
