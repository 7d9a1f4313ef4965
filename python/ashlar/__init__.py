"""Products of matrices and contractions of tensors, distributed or larger than memory, with little data moved.

Importing this package starts nothing: MPI begins with the first call that needs it.
"""
from ._einsum import einsum, matmul, tensordot
from ._errors import (ArgumentError, Error, FileError, InternalError, LimitError, MPIError, OutOfMemoryError, SizeError,
                      UnsupportedError, version)
from ._places import Produced

__version__ = version()

__all__ = ["ArgumentError", "Error", "FileError", "InternalError", "LimitError", "MPIError", "OutOfMemoryError",
           "Produced", "SizeError", "UnsupportedError", "einsum", "matmul", "tensordot", "version"]
