/* The lanes on which tasks run, and the names that a trace gives to what they do. */
#ifndef ASHI_LANES_H
#define ASHI_LANES_H

/* What takes time and works beside the others. The cores lane has the calling thread's waits too. */
typedef enum ashi_trace_lane { ASHI_LANE_CORES, ASHI_LANE_NETWORK, ASHI_LANE_DISK } ashi_trace_lane;

enum { ASHI_LANES = 3 };

/* The names of events of the cores lane in which the calling thread has nothing to do but wait. Names that begin so are
 * waits to those who read the file. */
#define ASHI_WAIT_NETWORK "wait for network"
#define ASHI_WAIT_DISK "wait for disk"

/* The names of panels that go between a file and the pool. */
#define ASHI_READ_FILE "read"
#define ASHI_WRITE_FILE "write"

#endif
