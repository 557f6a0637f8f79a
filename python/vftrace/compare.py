"""What differs between two profiles, by function or by call path, as `vftrace diff` compares them (doc/diff.md)."""
from __future__ import annotations

import math
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from . import call_tree as states
from .errors import printable
from .filtered import FilteredInOne, fold_filtered_in_one
from .paths import Paths
from .table import Make, Table

_SIDES = ("a", "b")


class ComparedPath:
    """A call path with what identifies it in both profiles."""

    def __init__(self, paths: Paths, node: int, outermost: bool, overhead_ns: int) -> None:
        core = paths.core
        self.function = paths.function(node)
        self.key = paths.identities[core.function_of[node]]
        self.path = paths.callpath(node)
        self.path_key = paths.hashes[node]
        self.parent = core.parents[node]
        self.outermost = outermost
        self.calls = core.calls[node]
        self.state = core.states[node]
        self.exclusive_ns = core.exclusive_ns[node]
        self.inclusive_ns = core.inclusive_ns[node]
        self.error_ns = core.exclusive_error_ns[node]
        self.overhead_ns = overhead_ns
        self.doubt_ns = 0  # how much of exclusive_ns may be the cost of calls that the other profile did not measure


class Figures:
    """Sums of one profile."""

    def __init__(self) -> None:
        self.calls = self.state = self.exclusive_ns = self.inclusive_ns = self.doubt_ns = self.error_ns = 0

    def add(self, path: ComparedPath, with_inclusive: bool) -> None:
        self.calls += path.calls
        self.state |= path.state
        self.exclusive_ns += path.exclusive_ns
        self.doubt_ns += path.doubt_ns
        self.error_ns += path.error_ns
        if with_inclusive:
            self.inclusive_ns += path.inclusive_ns


class _Row:
    def __init__(self, text: str, states_if_missing: Dict[str, int]) -> None:
        self.text = text
        self.sides: Dict[str, Optional[Figures]] = dict.fromkeys(_SIDES)
        self.states_if_missing = states_if_missing

    def value(self, side: str, figure: str) -> Any:
        figures = self.sides[side]
        return None if figures is None else getattr(figures, figure)

    def difference(self, figure: str) -> int:
        return (self.value("b", figure) or 0) - (self.value("a", figure) or 0)

    def calls(self, side: str) -> Optional[int]:
        figures = self.sides[side]
        return None if figures is None or figures.state & states.CALLS_UNKNOWN else figures.calls

    def _are_any(self, calls: int) -> bool:
        return any((self.states_if_missing[side] if figures is None else figures.state) & calls
                   for side, figures in self.sides.items())

    def calls_difference(self) -> Optional[int]:
        """None if a number of calls is not known, or is only known to be at least something."""
        return None if self._are_any(states.CALLS_UNKNOWN | states.CALLS_AT_LEAST) else self.difference("calls")

    def calls_changed(self) -> Optional[bool]:
        """Exact: counts of both. None if one of them is an estimate or not known."""
        inexact = states.CALLS_UNKNOWN | states.CALLS_AT_LEAST | states.CALLS_ESTIMATED
        return None if self._are_any(inexact) else self.difference("calls") != 0

    def error(self) -> float:
        """Of the difference: the standard errors of the two, which do not depend on each other."""
        return math.hypot(*(self.value(side, "error_ns") or 0 for side in _SIDES))

    def time_changed(self, least_ns: float) -> bool:
        doubt = sum(self.value(side, "doubt_ns") or 0 for side in _SIDES)
        return abs(self.difference("exclusive_ns")) >= max(least_ns, 2 * self.error() + doubt, 1)

    def slower(self, percent: float, least_ns: float) -> bool:
        before = sum(self.value(side, "doubt_ns") or 0 for side in _SIDES) + (self.value("a", "exclusive_ns") or 0)
        return is_slower(before, self.value("b", "exclusive_ns") or 0, percent, least_ns)

    def note(self) -> str:
        return "new" if self.sides["a"] is None else "gone" if self.sides["b"] is None else ""


def is_slower(a: float, b: float, percent: float, least: float) -> bool:
    """Whether b is larger than a by more than a percentage, and by at least something; any increase from 0 is."""
    return b - a > 0 and b - a >= least and (a == 0 or 100 * (b - a) / abs(a) > percent)


def ratio(a: Optional[int], b: Optional[int]) -> Optional[float]:
    return None if a is None or b is None or a <= 0 else b / a


class Side(NamedTuple):
    """A profile in a comparison."""
    file: str
    application: str
    runtime_ns: int
    ranks: int
    threads: int
    parameters: Dict[str, float]


class Comparison(Table):
    """The rows of a comparison, those whose time differs most first. `a` and `b` describe the two runs, `notes` what else
    differs between them, `filtered_in_one` lists the functions that only one of them has measured: in both, their time is part
    of their callers'."""

    a: Side
    b: Side
    notes: List[str]
    filtered_in_one: List[FilteredInOne]


def compared_paths(paths: Paths) -> List[ComparedPath]:
    """Without pauses; parents are positions in the result."""
    core = paths.core
    outermost, overhead_ns = paths.outermost(paths.identities), paths.of_schema("overhead_ns")
    place: Dict[int, int] = {-1: -1}
    result: List[ComparedPath] = []
    for node in range(core.count):
        if core.states[node] & states.PAUSED:
            place[node] = -1
            continue
        place[node] = len(result)
        path = ComparedPath(paths, node, outermost[node], overhead_ns[node])
        path.parent = place[path.parent]
        result.append(path)
    return result


def compare(a: Paths, b: Paths, sides: Tuple[Side, Side], by: str, min_time: float, threshold: Optional[float],
            threshold_seconds: float) -> Comparison:
    if by not in ("function", "path"):
        raise ValueError(f"by must be \"function\" or \"path\", not {by!r}")
    pair = {"a": compared_paths(a), "b": compared_paths(b)}
    in_one = fold_filtered_in_one(pair, {"a": a, "b": b})
    # A run with hooks has not called what it does not have; a sampled one may have.
    missing = {side: states.CALLS_UNKNOWN if paths.core.is_sampled else 0 for side, paths in (("a", a), ("b", b))}
    rows: Dict[Any, _Row] = {}
    for side in _SIDES:
        for path in pair[side]:
            key = path.key if by == "function" else path.path_key
            row = rows.get(key)
            if row is None:
                row = rows[key] = _Row(printable(path.function) if by == "function" else path.path, missing)
            figures = row.sides[side] or Figures()
            row.sides[side] = figures
            figures.add(path, by == "path" or path.outermost)
    ordered = sorted(rows.values(), key=lambda row: -abs(row.difference("exclusive_ns")))
    least = min_time * 1e9
    shown = [row for row in ordered if max(row.value(side, "exclusive_ns") or 0 for side in _SIDES) >= least]
    table = Comparison("comparison", len(shown), _columns(shown, by, threshold, threshold_seconds * 1e9))
    table.a, table.b = sides
    table.notes = _notes(*sides, len(in_one))
    table.filtered_in_one = in_one
    return table


def _columns(rows: List[_Row], by: str, threshold: Optional[float], least_ns: float) -> Dict[str, Make]:
    columns: Dict[str, Make] = {
        by: lambda: [row.text for row in rows],
        "note": lambda: [row.note() for row in rows],
        "a_calls": lambda: [row.calls("a") for row in rows],
        "b_calls": lambda: [row.calls("b") for row in rows],
        "calls_difference": lambda: [row.calls_difference() for row in rows],
        "calls_changed": lambda: [row.calls_changed() for row in rows],
    }
    for figure in ("exclusive", "inclusive"):
        for side in _SIDES:
            columns[f"{side}_{figure}_ns"] = lambda side=side, figure=figure: [  # type: ignore[misc]
                row.value(side, figure + "_ns") for row in rows]
        columns[figure + "_difference_ns"] = lambda figure=figure: [  # type: ignore[misc]
            row.difference(figure + "_ns") for row in rows]
        columns[figure + "_ratio"] = lambda figure=figure: [  # type: ignore[misc]
            ratio(row.value("a", figure + "_ns"), row.value("b", figure + "_ns")) for row in rows]
    columns["exclusive_difference_error_ns"] = lambda: [row.error() for row in rows]
    columns["time_changed"] = lambda: [row.time_changed(least_ns) for row in rows]
    if threshold is not None:
        percent = threshold
        columns["slower"] = lambda: [row.slower(percent, least_ns) for row in rows]
    return columns


def _notes(a: Side, b: Side, filtered: int) -> List[str]:
    notes = []
    if a.application and b.application and a.application != b.application:
        notes.append(f"The programs differ: {printable(a.application)} and {printable(b.application)}.")
    for what, of_a, of_b in (("ranks", a.ranks, b.ranks), ("threads", a.threads, b.threads)):
        if of_a != of_b:
            notes.append(f"The numbers of {what} differ: {of_a} and {of_b}. Calls and times are sums over all {what}.")
    different = [name for name in sorted({*a.parameters, *b.parameters}) if a.parameters.get(name) != b.parameters.get(name)]
    if different:
        values = ", ".join(f"{printable(name)} = {_given(a, name)} and {_given(b, name)}" for name in different)
        notes.append(f"The parameters differ: {values}.")
    if filtered:
        what, its = ("1 function was", "its") if filtered == 1 else (f"{filtered} functions were", "their")
        notes.append(f"{what} measured in only one of the runs (see filtered_in_one); in both columns {its} time is part of {its} "
                     "callers'.")
    return notes


def _given(side: Side, name: str) -> str:
    value = side.parameters.get(name)
    return "not given" if value is None else f"{value:g}"
