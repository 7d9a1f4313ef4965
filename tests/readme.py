"""The C in README.md is a part of examples/multiply.c, and the files README.md names exist: readme.py ROOT."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
readme = (root / "README.md").read_text()
example = (root / "examples/multiply.c").read_text()
wrong = []

blocks = re.findall(r"```c\n(.*?)```", readme, re.S)
if not blocks:
    wrong.append("README.md shows no C")
for block in blocks:
    if block not in example:
        wrong.append("README.md shows C that is not in examples/multiply.c")
for name in re.findall(r"`((?:docs|man|include|examples)/[^`*]*|[A-Z]+\.md|packages\.txt)`", readme):
    if not (root / name).exists():
        wrong.append(f"README.md names {name}, which does not exist")

print("\n".join(wrong))
sys.exit(bool(wrong))
