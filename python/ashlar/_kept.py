"""Contractions of arrays that are dealt out, by plans that are kept for the next call of the same kind."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from ._contraction import Contraction
from ._distributed import DistArray, Distribution
from ._errors import MPIError
from ._runtime import Context

KEPT_PLANS = 16 # of each communicator
KEPT_BYTES = 2**22 # that a rank holds in an execution, of each plan that is kept


def serves(tensors: Sequence[Any], out: Any, comm: Any) -> bool:
    """Whether all tensors are dealt out over one communicator."""
    first = tensors[0] if tensors else None
    return (isinstance(first, DistArray) and all(isinstance(each, DistArray) and each.context is first.context
                                                 for each in [*tensors, first if out is None else out])
            and (comm is None or comm is first.comm))


def run(subscripts: str, tensors: Sequence[DistArray], out: DistArray | None, layout: Distribution | None, alpha: Any,
        beta: Any, trace: Any, how: dict[str, Any]) -> Any:
    """Contract. Collective over the arrays' communicator."""
    context = tensors[0].context
    context.check()
    key = (subscripts, layout, tuple(how.items()), out is None,
           *[(each.shape, each.dtype, each.distribution, each.local.strides)
             for each in [*tensors, *([] if out is None else [out])]])
    prepared = _take(context, tensors[0].comm, key)
    if prepared is None:
        prepared = Contraction(subscripts, *tensors, out=out, layout=layout, **how)
    else:
        prepared.bind(tensors, out)
    try:
        made = prepared.run(alpha, beta, trace=trace)
    except MPIError:
        for number in [number for number, each in context.kept.items() if each.prepared is prepared]:
            del context.kept[number]
        prepared.close() # it is good for nothing else
        raise
    except BaseException:
        _keep(context, key, prepared)
        raise
    _keep(context, key, prepared)
    return made


class Kept:
    """A plan, what it is for as this rank sees it, and its number, which is the same on all ranks."""

    def __init__(self, key: Any, prepared: Contraction, number: int) -> None:
        self.key, self.prepared, self.number = key, prepared, number

    def close(self) -> None:
        """Collective."""
        self.prepared.close()


def _take(context: Context, comm: Any, key: Any) -> Contraction | None:
    """A plan that all ranks have kept under their keys. How an array lies in memory is each rank's own."""
    mine = next((number for number, each in context.kept.items() if each.key == key), -1)
    numbers = np.array([mine, -mine])
    comm.Allreduce(numbers.copy(), numbers, op=_most())
    if numbers[0] != -numbers[1] or mine < 0:
        return None
    found: Contraction = context.kept[mine].prepared
    return found


def _most() -> Any:
    """MPI.MAX of mpi4py, which is there if there is a communicator."""
    from mpi4py import MPI
    return MPI.MAX


def _keep(context: Context, key: Any, prepared: Contraction) -> None:
    """Keep a plan, or free it if it needs much memory. The oldest goes first, so that all ranks keep the same."""
    prepared.release()
    if any(each.prepared is prepared for each in context.kept.values()):
        return
    if prepared.predicted.memory_words * prepared.dtype.itemsize > KEPT_BYTES:
        prepared.close()
        return
    context.made += 1
    context.kept[context.made] = Kept(key, prepared, context.made)
    while len(context.kept) > KEPT_PLANS:
        context.kept.popitem(last=False)[1].close()
