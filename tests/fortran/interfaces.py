"""The module ashlar has every public name of C: interfaces.py ROOT MODULES FORTRAN_COMPILER.

Functions on the lists of symbols, enumerators with their values and members of structures, all read from the headers,
are written into a program that names each of them, which is compiled and run. It calls nothing, so it needs no library.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

root, modules, compiler = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
headers = "".join(path.read_text() for path in sorted((root / "include/ashlar").glob("*.h")))
headers = re.sub(r"/\*.*?\*/", "", headers, flags=re.S)

# ScaLAPACK's routines end in an underscore only for the linker. What ends in _sized takes the size of the caller's
# structure, which the module passes.
lists = [root / "tests/symbols.txt", root / "tests/symbols_pblas.txt"]
functions = [re.sub("_sized$", "", name.rstrip("_")) for path in lists for name in path.read_text().split()]
constants = re.findall(r"\b(ASHLAR_[A-Z_]+)\s*=\s*(\d+)", headers) + \
    re.findall(r"#define (ASHLAR_[A-Z_]+) (\d+) *$", headers, re.M)
structures = {}
for body, name in re.findall(r"typedef struct \w+ \{(.*?)\} (\w+);", headers, re.S):
    structures[name] = re.findall(r"(\w+)(?:\[\w+\])?;", body)
if not (functions and constants and structures):
    sys.exit("the headers were not understood")

names = functions + [name for name, _ in constants] + list(structures)
program = ["program names", "use, intrinsic :: iso_c_binding, only: c_sizeof"]
program += [f"use ashlar, only: {name}" for name in names]
program += ["implicit none"]
program += [f"type({name}) :: a_{name}" for name in structures]
for name, value in constants:
    program += [f'if ({name} /= {value}) error stop "{name} is not {value}"']
for name, members in structures.items():
    for member in members:
        program += [f"if (c_sizeof(a_{name}%{member}) == 0) &", f'    error stop "{name}: {member} is empty"']
program += ["end program"]

with tempfile.TemporaryDirectory() as work:
    source, binary = pathlib.Path(work) / "names.f90", pathlib.Path(work) / "names"
    source.write_text("\n".join(program) + "\n")
    compiled = subprocess.run([compiler, f"-I{modules}", str(source), "-o", str(binary)])
    status = compiled.returncode or subprocess.run([str(binary)]).returncode
print(f"{len(functions)} functions, {len(constants)} constants, {len(structures)} structures")
sys.exit(status)
