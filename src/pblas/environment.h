/* The environment variables of the drop-in, in one table, and what they say. */
#ifndef ASHI_ENVIRONMENT_H
#define ASHI_ENVIRONMENT_H

#include <ashlar/plan.h>

/* Plain values, which a grid's first process sends to the others. */
typedef struct ashi_settings {
    bool log;               /* ASHLAR_LOG */
    bool check;             /* ASHLAR_CHECK */
    bool machine_is_given;  /* ASHLAR_MACHINE is set */
    bool refused;           /* a limit cannot be read */
    ashlar_transport transport;
    char strategy[32];      /* "" for the choice among all */
    int64_t memory_bytes;   /* ASHLAR_MEMORY; 0: the policy of memory.h */
    int64_t smallest;       /* ASHLAR_SMALLEST */
    int64_t plans;          /* ASHLAR_CACHE */
    char device[256];       /* ASHLAR_DEVICE, as ashlar_context_set_device takes it */
    int64_t device_bytes;   /* ASHLAR_DEVICE_MEMORY */
    ashlar_machine machine;
} ashi_settings;

/* One row of the table; name is NULL beyond the last. */
typedef struct ashi_variable {
    const char *name, *values, *standard, *what;
    bool limit;                                           /* a wrong value is an error */
    bool (*read)(const char *text, ashi_settings *out);
} ashi_variable;

const ashi_variable *ashi_environment_variable(int i);

/* Read all variables; an empty one counts as unset. What cannot be read keeps its default and is complained about on
 * stderr, once in a process. A limit is complained about each time, and sets `refused`. Threads may call this at
 * once. */
ashi_settings ashi_environment_read(void);

#endif
