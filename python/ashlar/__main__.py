"""The command: ``python -m ashlar`` is ``ashlar``."""
import os
import sys

from ._command import command


def main() -> None:
    """Become the command."""
    path = command()
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    main()
