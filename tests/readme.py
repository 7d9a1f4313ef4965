"""The code in README.md and docs/TILES.md is a part of the examples, the files that README.md names exist, and the calls
that docs/TILES.md names are public: readme.py ROOT."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
readme = (root / "README.md").read_text()
wrong = []

tiles = (root / "docs/TILES.md").read_text()
for language, name in ("c", "examples/*.c"), ("fortran", "examples/*.f90"):
    programs = [path.read_text() for path in root.glob(name)]
    blocks = re.findall(rf"```{language}\n(.*?)```", readme, re.S)
    if not blocks:
        wrong.append(f"README.md shows nothing of {name}")
    for block in blocks + re.findall(rf"```{language}\n(.*?)```", tiles, re.S):
        if not any(block in program for program in programs):
            wrong.append(f"README.md or docs/TILES.md shows code that is in none of {name}: {block.splitlines()[0]}")
for name in re.findall(r"`((?:docs|man|include|examples)/[^`*]*|[A-Z]+\.md|packages\.txt)`", readme):
    if not (root / name).exists():
        wrong.append(f"README.md names {name}, which does not exist")
public = " ".join(path.read_text() for path in (root / "include/ashlar").glob("*.h"))
for call in sorted(set(re.findall(r"`(ashlar_[a-z_]+)", tiles))):
    if not re.search(rf"\b{call}\(", public):
        wrong.append(f"docs/TILES.md names {call}, which is no public call")

print("\n".join(wrong))
sys.exit(bool(wrong))
