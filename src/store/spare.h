/* Files without a name, for what one process writes and reads back: nothing is left of them when it ends. */
#ifndef ASHI_STORE_SPARE_H
#define ASHI_STORE_SPARE_H

#include <ashlar/base.h>

/* The environment variable that names a folder for such files. */
#define ASHI_SPARE_FOLDER "ASHLAR_SCRATCH"

/* Open a file of `bytes` bytes, of which none takes room before it is written, in the folder of the environment or
 * beside the file `beside`. @return ASHLAR_OK; ASHLAR_ERR_IO; ASHLAR_ERR_MEMORY */
ashlar_status ashi_spare_open(const char *beside, int64_t bytes, int *fd, ashlar_error *err);

#endif
