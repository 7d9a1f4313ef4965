/* What the record of a batch of products says beside what is said of one product. */
#ifndef ASHI_CONTRACT_FILED_ORIGIN_H
#define ASHI_CONTRACT_FILED_ORIGIN_H

#include "plan/files.h"

/* Lines for the record of products that are formed one after the other, as the views of A, B, C and C0 move on: how
 * many there are and how the views began, then `how` and `more`, which may be NULL. Of one product only these two. *out
 * is freed by the caller. Local. @return ASHLAR_OK; ASHLAR_ERR_MEMORY */
ashlar_status ashi_filed_origin(int64_t products, ashlar_file *const view[4], const char *how, const char *more,
                                char **out, ashlar_error *err);

#endif
