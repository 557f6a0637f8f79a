"""What the benchmarks share: compiling, running in turns, rows."""
import os
import pathlib
import statistics
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
    """A row whose goal is reached if the value is not above it."""
    return {"name": name, "value": round(value, 4), "goal": goal, "unit": unit,
            "holds": value <= goal}


def row_at_least(name, value, goal, unit):
    """A row whose goal is reached if the value is not below it."""
    return {**row(name, value, goal, unit), "holds": value >= goal}


def median_ratio(times, variant, base):
    """Compares neighbours within a turn: a processor whose twin is busy is slower for both."""
    return statistics.median(a / b for a, b in zip(times[variant], times[base]))


def skipped(name, why):
    return {"name": name, "skipped": why}
