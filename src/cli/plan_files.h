/* `ashlar plan --files`: how matrices in files would be multiplied that do not fit in memory. */
#ifndef ASHI_CLI_PLAN_FILES_H
#define ASHI_CLI_PLAN_FILES_H

#include "cli/plan_device.h"
#include "cli/problem_line.h"

/* Print the plan as text or JSON. `local_disks`: each rank has a disk of its own; `device`: by what terms devices
 * are predicted. Returns the exit status. */
int ashi_plan_files(const char *command, const ashi_problem *problem, const ashi_problem_line *line, bool local_disks,
                    const ashi_plan_device *device, bool json);

#endif
