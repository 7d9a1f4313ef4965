"""Which build of Ashlar is measured, as the lines of bench/results.jsonl name it."""
import os
import subprocess


def build_of(ashlar):
    here = os.path.dirname(os.path.abspath(__file__))
    commit = subprocess.run(["git", "-C", here, "describe", "--always", "--dirty", "--abbrev=12"], capture_output=True,
                            text=True).stdout.strip()
    version = subprocess.run([ashlar, "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    return {"version": version, "commit": commit or "unknown"}
