"""The examples of docstrings and of docs/PYTHON.md run; types and docstrings are complete."""
import doctest
import importlib
import inspect
import os
import pkgutil
import subprocess
import sys

import ashlar
import pytest

SOURCE = os.environ["ASHLAR_SOURCE"]
MODULES = sorted(f"ashlar.{module.name}" for module in pkgutil.iter_modules(ashlar.__path__)
                 if module.name not in ("__main__", "_library"))


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name):
    if name == "ashlar._distributed" and os.environ["ASHLAR_MPI_FAMILY"] != "openmpi":
        pytest.skip("mpi4py has another MPI")
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def test_public_names_have_numpydoc_docstrings():
    for name in ashlar.__all__:
        thing = getattr(ashlar, name)
        text = inspect.getdoc(thing)
        assert text, name
        if inspect.isfunction(thing) and inspect.signature(thing).parameters:
            for part in ("Parameters", "Returns", "Raises", "Examples"):
                assert f"\n{part}\n{'-' * len(part)}\n" in text, f"{name} says nothing of {part}"
            listed = {word.strip() for line in text.splitlines() if " :" in line
                      for word in line.split(" :")[0].split(",")}
            assert set(inspect.signature(thing).parameters) <= listed, name


def test_types_are_strict():
    mypy = subprocess.run([sys.executable, "-c", "import mypy"], stderr=subprocess.DEVNULL)
    if mypy.returncode:
        pytest.skip("no mypy")
    checked = subprocess.run([sys.executable, "-m", "mypy", "--config-file", f"{SOURCE}/python/pyproject.toml",
                              "--cache-dir", os.environ.get("ASHLAR_MYPY_CACHE", os.devnull),
                              f"{SOURCE}/python/ashlar"],
                             text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert checked.returncode == 0, checked.stdout


def test_the_examples_of_the_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testfile(f"{SOURCE}/docs/PYTHON.md", module_relative=False)
    assert failed == 0 and tried > 5
