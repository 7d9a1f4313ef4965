# The compiled binding: what it declares is in Ashlar's headers.
from typing import Any

ffi: Any
lib: Any
