/* What a tensor in a file is inside. */
#ifndef ASHI_CONTRACT_TENSOR_FILE_H
#define ASHI_CONTRACT_TENSOR_FILE_H

#include "plan/files.h"

#include <ashlar/tensor_file.h>

struct ashlar_tensor_file {
    ashlar_context *context; /* not owned */
    ashlar_file *file;       /* the array */
    ashlar_tensor_info info; /* of the tensor, within its ranges */
    int dimension[ASHLAR_TENSOR_ORDER_MOST]; /* of the array, for each of the tensor's */
    int64_t from[ASHI_DIMENSIONS_MAX];       /* where the tensor begins in each dimension of the array */
};

/* Ranges at the end of a place, "V.h5:/V[0:10,:,7]": the length of what is before them, all of it if there are none.
 * Then set the tensor in the array; errors quote the place.
 * @return ASHLAR_OK; ASHLAR_ERR_ARG */
size_t ashi_ranges_begin(const char *place);
ashlar_status ashi_ranges_read(const char *place, const ashi_store_info *array, ashlar_tensor_file *out,
                               ashlar_error *err);

#endif
