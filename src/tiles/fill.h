/* What is buffered for a tile until ashlar_tiles_finish. */
#ifndef ASHI_FILL_H
#define ASHI_FILL_H

/* As ashi_packet.what; packets are carried in this order. A tile comes with its elements, or for LOW with U and V of
 * U V^T, from whose words follows the rank. */
typedef enum ashi_fill { ASHI_FILL_RESERVE = 0, ASHI_FILL_PUT = 1, ASHI_FILL_ADD = 2, ASHI_FILL_LOW = 3 } ashi_fill;

#endif
