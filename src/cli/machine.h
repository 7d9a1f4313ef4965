/* A machine's figures in a JSON file: what calibrate writes and --machine reads. */
#ifndef ASHI_CLI_MACHINE_H
#define ASHI_CLI_MACHINE_H

#include <ashlar/machine.h>

/* ASHLAR_ERR_IO where the file cannot be read, is no JSON object of schema 1, or has a figure that is missing, unknown
 * or not above 0, or a torus that is no list of lengths; ASHLAR_ERR_MEMORY. */
ashlar_status ashi_machine_read(const char *path, ashlar_machine *out, ashlar_error *err);

/* ASHLAR_ERR_IO; ASHLAR_ERR_MEMORY. An existing file stays as it was unless all succeeds. */
ashlar_status ashi_machine_write(const char *path, const ashlar_machine *machine, ashlar_error *err);

#endif
