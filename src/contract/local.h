/* Contractions of which each rank contracts its own parts, for plans that are made of them. */
#ifndef ASHI_CONTRACT_LOCAL_H
#define ASHI_CONTRACT_LOCAL_H

#include "contract/plan.h"

/* What an execution of a plan of the kind ashi_contract_local takes of this rank's device; adds: beta is not 0.
 * Local. */
ashi_on_device ashi_local_on_device(const ashlar_contraction_plan *plan, bool adds);

#endif
