"""What the benchmarks share: compiling, running in turns, rows."""
import os
import pathlib
import subprocess


HERE = pathlib.Path(__file__).resolve().parent


def compile_to(target, *command):
    subprocess.run([*map(str, command), "-o", str(target)], check=True)
    return target


def environment(**variables):
    result = {name: value for name, value in os.environ.items()
              if not name.startswith(("VFTR_", "LD_PRELOAD"))}
    result.update({name: str(value) for name, value in variables.items()})
    return result


def row(name, value, goal, unit):
    """A goal is reached if the value is not above it."""
    return {"name": name, "value": round(value, 4), "goal": goal, "unit": unit,
            "holds": value <= goal}


def skipped(name, why):
    return {"name": name, "skipped": why}
