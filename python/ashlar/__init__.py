"""Products of matrices and contractions of tensors, distributed or larger than memory, with little data moved.

Importing this package starts nothing: MPI begins with the first call that needs it.
"""
from ._contraction import Contraction
from ._device import DeviceFigures, set_device, tile_device
from ._distributed import DistArray, Distribution
from ._einsum import einsum, matmul, tensordot
from ._errors import (ArgumentError, DeviceError, Error, FileError, InternalError, Interrupted, LimitError, MPIError,
                      OutOfMemoryError, SizeError, UnsupportedError, version)
from ._figures import Figures
from ._places import Produced
from ._plan import Plan, Proposal, plan
from ._tile_deal import TileDeal, deal_by_work
from ._tile_products import TilePlan, TileProduct
from ._tiles import TileMatrix

__version__ = version()

__all__ = ["ArgumentError", "Contraction", "DeviceError", "DeviceFigures", "DistArray", "Distribution", "Error",
           "Figures", "FileError", "InternalError", "Interrupted", "LimitError", "MPIError", "OutOfMemoryError", "Plan",
           "Produced", "Proposal", "SizeError", "TileDeal", "TileMatrix", "TilePlan", "TileProduct",
           "UnsupportedError", "deal_by_work", "einsum", "matmul", "plan", "set_device", "tensordot", "tile_device",
           "version"]
