/** Ashlar: near communication-optimal multiplication of distributed matrices. This header brings all of it. */
#ifndef ASHLAR_ASHLAR_H
#define ASHLAR_ASHLAR_H

#include <ashlar/base.h>
#include <ashlar/context.h>
#include <ashlar/contract.h>
#include <ashlar/files.h>
#include <ashlar/layout.h>
#include <ashlar/machine.h>
#include <ashlar/move.h>
#include <ashlar/plan.h>
#include <ashlar/tensor_layout.h>
#include <ashlar/tiles.h>
#include <ashlar/tiles_file.h>
#include <ashlar/tiles_low_rank.h>
#include <ashlar/tiles_plan.h>
#include <ashlar/verify.h>

#endif
