/* The machine's figures, as `ashlar calibrate` writes them and a report repeats them. */
#ifndef ASHI_BENCH_MACHINE_H
#define ASHI_BENCH_MACHINE_H

#include <ashlar/machine.h>
#include <jansson.h>

/* What the file holds. Ends the program where it is no file of `ashlar calibrate`. */
ashlar_machine ashi_machine_of(const char *path);

json_t *ashi_machine_report(const ashlar_machine *machine);

#endif
