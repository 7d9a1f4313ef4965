/* The environment variables of the drop-in, in one table, and what they say. */
#ifndef ASHI_ENVIRONMENT_H
#define ASHI_ENVIRONMENT_H

#include <ashlar/plan.h>

/* Plain values: a grid's first process tells them to the others. */
typedef struct ashi_settings {
    bool log;               /* ASHLAR_LOG */
    bool check;             /* ASHLAR_CHECK */
    bool machine_is_given;  /* ASHLAR_MACHINE is set */
    ashlar_transport transport;
    char strategy[32];      /* "" for the choice among all */
    int64_t memory_bytes;   /* ASHLAR_MEMORY; 0: the policy of memory.h */
    int64_t smallest;       /* ASHLAR_SMALLEST */
    int64_t plans;          /* ASHLAR_CACHE */
    ashlar_machine machine;
} ashi_settings;

/* One row of the table; name is NULL beyond the last. */
typedef struct ashi_variable {
    const char *name, *values, *standard, *what;
    bool (*read)(const char *text, ashi_settings *out);
} ashi_variable;

const ashi_variable *ashi_environment_variable(int i);

/* Read all variables. One that cannot be read is complained about on stderr, once, and keeps its default. */
ashi_settings ashi_environment_read(void);

#endif
