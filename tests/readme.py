"""The code in README.md is a part of the examples, and the files README.md names exist: readme.py ROOT."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
readme = (root / "README.md").read_text()
wrong = []

for language, name in ("c", "examples/*.c"), ("fortran", "examples/*.f90"):
    programs = [path.read_text() for path in root.glob(name)]
    blocks = re.findall(rf"```{language}\n(.*?)```", readme, re.S)
    if not blocks:
        wrong.append(f"README.md shows nothing of {name}")
    for block in blocks:
        if not any(block in program for program in programs):
            wrong.append(f"README.md shows code that is in none of {name}")
for name in re.findall(r"`((?:docs|man|include|examples)/[^`*]*|[A-Z]+\.md|packages\.txt)`", readme):
    if not (root / name).exists():
        wrong.append(f"README.md names {name}, which does not exist")

print("\n".join(wrong))
sys.exit(bool(wrong))
