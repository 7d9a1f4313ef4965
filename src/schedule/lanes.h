/* The lanes on which tasks run, and the names that a trace gives to what they do. */
#ifndef ASHI_LANES_H
#define ASHI_LANES_H

/* What takes time and works beside the others. The cores lane has the calling thread's waits too. */
typedef enum ashi_trace_lane {
    ASHI_LANE_CORES,
    ASHI_LANE_NETWORK,
    ASHI_LANE_DISK,
    ASHI_LANE_DEVICE_IN, /* copies to a device, its products, copies from it */
    ASHI_LANE_DEVICE,
    ASHI_LANE_DEVICE_OUT
} ashi_trace_lane;

enum { ASHI_LANES = 6 };

/* As files have it. */
static inline const char *ashi_lane_name(ashi_trace_lane lane)
{
    static const char *const names[ASHI_LANES] = {"cores", "network", "disk", "device in", "device", "device out"};
    return names[lane];
}

/* The names of events of the cores lane in which the calling thread has nothing to do but wait. Names that begin so are
 * waits to those who read the file. */
#define ASHI_WAIT_NETWORK "wait for network"
#define ASHI_WAIT_DISK "wait for disk"
#define ASHI_WAIT_DEVICE "wait for device"

/* The names of panels that go between a file and the pool. */
#define ASHI_READ_FILE "read"
#define ASHI_WRITE_FILE "write"

#endif
