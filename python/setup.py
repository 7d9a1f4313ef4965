"""Compiles the binding for the Ashlar that pkg-config finds, or for the one in the folder ASHLAR_PREFIX."""
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

sys.path.insert(0, str(Path(__file__).parent))
import build_binding  # noqa: E402


def environment() -> dict[str, str]:
    """That of pkg-config: the .pc file of ASHLAR_PREFIX comes first, if it is given."""
    prefix = os.environ.get("ASHLAR_PREFIX")
    if not prefix:
        return dict(os.environ)
    found = sorted(Path(prefix).resolve().rglob("ashlar.pc"))
    if not found:
        sys.exit(f"ashlar: ASHLAR_PREFIX is {prefix}, which has no ashlar.pc: name the folder that cmake --install "
                 "was given")
    others = os.environ.get("PKG_CONFIG_PATH")
    paths = os.pathsep.join([str(found[0].parent)] + ([others] if others else []))
    return {**os.environ, "PKG_CONFIG_PATH": paths}


def run(*words: str) -> str:
    """What a program prints."""
    try:
        return subprocess.run(words, env=environment(), check=True, text=True, stdout=subprocess.PIPE).stdout.strip()
    except FileNotFoundError:
        sys.exit(f"ashlar: there is no {words[0]} on this machine, which is needed to build the package")
    except subprocess.CalledProcessError:
        sys.exit(f"ashlar: {shlex.join(words)} failed: set ASHLAR_PREFIX to the folder that Ashlar is installed in, or "
                 "PKG_CONFIG_PATH to the folder of its ashlar.pc")


def variable(name: str) -> str:
    """One of Ashlar's pkg-config file, which names the prefix that Ashlar was configured with."""
    prefix = os.environ.get("ASHLAR_PREFIX")
    moved = [f"--define-variable=prefix={Path(prefix).resolve()}"] if prefix else []
    return run("pkg-config", *moved, f"--variable={name}", "ashlar")


def version(headers: Path) -> str:
    """That of the headers."""
    found = re.search(r'ASHLAR_VERSION_STRING "(.*)"', (headers / "ashlar" / "base.h").read_text())
    if found is None:
        sys.exit(f"ashlar: {headers}/ashlar/base.h names no version")
    return found[1]


class Build(build_ext):
    """Makes the source of the binding before it is compiled."""

    def build_extension(self, ext: Extension) -> None:
        folder = Path(self.build_temp)
        folder.mkdir(parents=True, exist_ok=True)
        source = folder / "_library.c"
        build_binding.builder(headers).emit_c_code(str(source))
        ext.sources = [str(source)]
        super().build_extension(ext)


headers = Path(variable("includedir"))
libraries = variable("libdir")
command = Path(variable("prefix")) / "bin" / "ashlar"
wrapper = shlex.split(run(variable("mpicc"), "-show"))[1:] # mpicc -show is: compiler, options
compiling = [word for word in wrapper if word[:2] in ("-I", "-D")]
linking = [word for word in wrapper if word[:2] in ("-L", "-l") or word.startswith("-Wl,")]
setup(
    version=version(headers),
    ext_modules=[Extension("ashlar._library", [], extra_compile_args=[f"-I{headers}", *compiling],
                           define_macros=[("ASHLAR_PYTHON_COMMAND", f'"{command}"')],
                           extra_link_args=[f"-L{libraries}", f"-Wl,-rpath,{libraries}", "-lashlar", *linking])],
    cmdclass={"build_ext": Build},
)
