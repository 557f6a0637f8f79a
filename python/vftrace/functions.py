"""The table of functions: sums over the call paths that end in them."""
from __future__ import annotations

from typing import Any, Dict, List, Optional

from . import call_tree as states
from .lists import Lists
from .paths import Paths, calls_are, times_are_from
from .table import Make, Table

_OF_SCHEMA = ("name", "symbol", "demangled", "file", "line")


def functions_table(paths: Paths, lists: Lists) -> Table:
    """A row for each function that has call paths, in the order of the file. Times without pauses; the inclusive time is that of
    the outermost calls, so that recursion does not count twice."""
    core = paths.core
    sums = [_Sum() for _ in core.functions]
    outermost = paths.outermost(range(len(core.functions)))
    for node, function in enumerate(core.function_of):
        if not core.states[node] & states.PAUSED:
            sums[function].add(paths, node, outermost[node])
    shown = [function for function, of_function in enumerate(sums) if of_function.paths]
    chosen = [sums[function] for function in shown]
    makers: Dict[str, Make] = {
        "function": lambda: [core.displays[function] for function in shown],
        "kind": lambda: [core.kinds[function] for function in shown],
        "paths": lambda: [of_function.paths for of_function in chosen],
        "calls": lambda: [None if of_function.state & states.CALLS_UNKNOWN else of_function.calls for of_function in chosen],
        "calls_are": lambda: [calls_are(of_function.state) for of_function in chosen],
        "exclusive_ns": lambda: [of_function.exclusive_ns for of_function in chosen],
        "inclusive_ns": lambda: [of_function.inclusive_ns for of_function in chosen],
        "exclusive_error_ns": lambda: [of_function.error_ns for of_function in chosen],
        "times_are_from": lambda: [times_are_from(of_function.state) for of_function in chosen],
        "position": lambda: shown,
    }
    def of_schema(name: str) -> Make:
        return lambda: [values[function] for values in lists.columns("functions", name) for function in shown]
    makers.update((name, of_schema(name)) for name in _OF_SCHEMA)
    return Table("functions", len(shown), makers)


class _Sum:
    def __init__(self) -> None:
        self.paths = self.calls = self.exclusive_ns = self.inclusive_ns = self.error_ns = self.state = 0

    def add(self, paths: Paths, node: int, outermost: bool) -> None:
        core = paths.core
        self.paths += 1
        self.calls += core.calls[node]
        self.exclusive_ns += core.exclusive_ns[node]
        self.error_ns += core.exclusive_error_ns[node]  # added up as if all were off in the same direction
        self.state |= core.states[node]
        if outermost:
            self.inclusive_ns += core.inclusive_ns[node]


def shares(values: List[Optional[int]]) -> List[Optional[float]]:
    """Parts of the sum."""
    whole: Any = sum(value for value in values if value is not None)
    return [None if value is None or whole <= 0 else value / whole for value in values]
