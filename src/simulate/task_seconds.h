/* How long a task takes a lane, while all ranks are played. */
#ifndef ASHI_TASK_SECONDS_H
#define ASHI_TASK_SECONDS_H

#include "schedule/window.h"
#include "simulate/joint.h"

/* Of a rank's disk, if it does nothing else meanwhile, for a MOVE that reads a file or writes one; and of a core that
 * works for the disk. */
double ashi_task_disk_seconds(const ashi_joint_request *q, const ashi_window *w, const ashi_node *n);
double ashi_task_disk_work(const ashi_joint_request *q, const ashi_window *w, const ashi_node *n);

/* Whether a MOVE reads a file; else, if a file takes part, it writes one. */
bool ashi_task_reads_file(const ashi_window *w, const ashi_node *n);

/* Whether a task of the cores is handed to workers, so that others may begin beside it; else the calling thread does it
 * and begins nothing else until it has ended. */
bool ashi_task_is_handed(const ashi_joint_request *q, const ashi_window *w, const ashi_node *n);

/* How many threads of the rank a task of the cores takes at most, each for as long as ashi_task_thread_seconds says. */
int ashi_task_threads(const ashi_joint_request *q, const ashi_window *w, const ashi_node *n);

/* Of each of the threads that a task of the cores takes, if it has `threads` of them. The machine's rate of products is
 * that of a rank, with all of its threads; a copy is made at the machine's rate by each thread. */
double ashi_task_thread_seconds(const ashi_joint_request *q, const ashi_window *w, const ashi_node *n, int threads);

#endif
