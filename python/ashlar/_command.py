"""Where the command is."""
from __future__ import annotations

import os
import shutil

from ._errors import FileError
from ._library import ffi, lib


def command() -> str:
    """The path of ``ashlar``: that of the library, or the first one in PATH."""
    own = str(ffi.string(lib.ashlar_python_command()).decode())
    found = own if os.access(own, os.X_OK) else shutil.which("ashlar")
    if found is None:
        raise FileError(f"the command ashlar is neither {own} nor in a folder of PATH: install Ashlar with its command")
    return found
