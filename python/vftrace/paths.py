"""The table of call paths: names, places in the tree, and what is known about calls and times."""
from __future__ import annotations

from array import array
from typing import Any, Dict, List, Optional, Sequence

from . import call_tree as states
from .checked import check_positions, column, numbers_of
from .call_tree import Core
from .document import Document
from .errors import printable
from .schema import TABLES
from .table import Make, Table

ROOT = "<root>"  # identifies the root, which is not something that a program could call
_MOST_LEVELS = 200  # of a path that is written whole
_LEAST_DIGITS = 6
_COLUMNS = {described.name: described for described in TABLES["nodes"]}


class Paths:
    """What is computed from the call paths, each once and only when it is needed."""

    def __init__(self, core: Core) -> None:
        self.core = core
        self._ids: Optional[List[str]] = None
        self._hashes: Optional["array[int]"] = None
        self._depths: Optional[List[int]] = None
        self._identities: Optional[List[str]] = None

    @property
    def hashes(self) -> "array[int]":
        if self._hashes is None:
            self._hashes = self.core.hashes()
        return self._hashes

    @property
    def ids(self) -> List[str]:
        """The numbers of paths in `vftrace report --path`: as many digits of the hash as distinguish it from all others."""
        if self._ids is None:
            texts = [f"{value:016x}" for value in self.hashes]
            order = sorted(set(texts))
            needed: Dict[str, int] = dict.fromkeys(order, _LEAST_DIGITS)
            for before, after in zip(order, order[1:]):
                alike = next(i for i in range(16) if before[i] != after[i]) + 1
                needed[before] = max(needed[before], alike)
                needed[after] = max(needed[after], alike)
            self._ids = [text[:needed[text]] for text in texts]
        return self._ids

    @property
    def identities(self) -> List[str]:
        """What a function is compared by in other runs: its name, whichever module and kind it has."""
        if self._identities is None:
            self._identities = [ROOT if kind == "root" else name for kind, name in zip(self.core.kinds, self.core.names)]
        return self._identities

    @property
    def depths(self) -> List[int]:
        if self._depths is None:
            depths: List[int] = []
            for parent in self.core.parents:
                depths.append(0 if parent < 0 else depths[parent] + 1)
            self._depths = depths
        return self._depths

    def function(self, node: int) -> str:
        return self.core.displays[self.core.function_of[node]]

    def functions(self) -> List[str]:
        displays = self.core.displays
        return [displays[function] for function in self.core.function_of]

    def callpath(self, node: int) -> str:
        """As in tables: "leaf<main<init"; of a path of more than 200 levels the middle is left out."""
        return joined([self.function(at) for at in self.chain(node)])

    def chain(self, node: int) -> List[int]:
        """The positions from the path itself to the root."""
        chain = []
        while node >= 0:
            chain.append(node)
            node = self.core.parents[node]
        return chain

    def outermost(self, identities: Sequence[Any]) -> List[bool]:
        """Whether no caller of a path is the same function: only then do inclusive times of a function add up.
        `identities` has what identifies each function."""
        core = self.core
        numbers: Dict[Any, int] = {}
        identity_of = [numbers.setdefault(identities[function], len(numbers)) for function in core.function_of]
        children: List[List[int]] = [[] for _ in range(core.count)]
        for node in range(1, core.count):
            children[core.parents[node]].append(node)
        result = [True] * core.count
        open_calls = [0] * len(numbers)
        stack = [0] if core.count else []
        while stack:
            node = stack.pop()
            if node < 0:
                open_calls[identity_of[~node]] -= 1
                continue
            result[node] = open_calls[identity_of[node]] == 0
            open_calls[identity_of[node]] += 1
            stack.append(~node)
            stack += children[node]
        return result

    def table(self) -> Table:
        core = self.core
        makers: Dict[str, Make] = {
            "path": lambda: self.ids,
            "function": self.functions,
            "caller": lambda: [None if parent < 0 else self.function(parent) for parent in core.parents],
            "depth": lambda: self.depths,
            "kind": lambda: [core.kinds[function] for function in core.function_of],
            "calls": lambda: [None if state & states.CALLS_UNKNOWN else calls for calls, state in zip(core.calls, core.states)],
            "calls_are": lambda: list(map(calls_are, core.states)),
            "samples": self._samples,
            "exclusive_ns": lambda: core.exclusive_ns,
            "inclusive_ns": lambda: core.inclusive_ns,
            "exclusive_error_ns": lambda: core.exclusive_error_ns,
            "inclusive_error_ns": lambda: self.of_schema("inclusive_error_ns"),
            "times_are_from": lambda: list(map(times_are_from, core.states)),
            "uncertain": lambda: [bool(state & states.UNCERTAIN) for state in core.states],
            "paused": lambda: [bool(state & states.PAUSED) for state in core.states],
            "kernel_ns": lambda: self.of_schema("kernel_ns"),
            "page_faults": self._page_faults,
            "overhead_ns": lambda: self.of_schema("overhead_ns"),
            "raw_exclusive_ns": lambda: self._raw("raw_exclusive_ns", core.exclusive_ns),
            "raw_inclusive_ns": lambda: self._raw("raw_inclusive_ns", core.inclusive_ns),
            "callpath": lambda: list(map(self.callpath, range(core.count))),
            "node": lambda: range(core.count),
            "parent": lambda: [None if parent < 0 else parent for parent in core.parents],
            "stid": lambda: self.of_schema("stid"),
            "hash": lambda: [f"{value:016x}" for value in self.hashes],
            "flags": lambda: [flags or [] for flags in self.of_schema("flags")],
            "file": lambda: self._of_functions("file"),
            "line": lambda: self._of_functions("line"),
        }
        for member in ("ranks", "messages"):
            if any(member in node for node in core.nodes):
                for name in _COLUMNS:
                    if name.startswith(member + "."):
                        makers[name] = lambda name=name: self.of_schema(name)  # type: ignore[misc]
        for metric, text in self._metrics().items():
            makers["metrics." + text] = lambda metric=metric: self._metric(metric)  # type: ignore[misc]
        return Table("paths", core.count, makers)

    def of_schema(self, name: str) -> List[Any]:
        return column(self.core.document, "nodes", self.core.nodes, _COLUMNS[name])

    def _of_functions(self, name: str) -> List[Any]:
        described = next(described for described in TABLES["functions"] if described.name == name)
        values = column(self.core.document, "functions", self.core.functions, described)
        return [values[function] for function in self.core.function_of]

    def _raw(self, name: str, usual: Sequence[int]) -> List[int]:
        return [value if raw is None else raw for raw, value in zip(self.of_schema(name), usual)]

    def _samples(self) -> List[Optional[int]]:
        core = self.core
        if not core.is_sampled:
            return list(core.samples)
        return [None if samples == 0 and calls > 0 else samples for samples, calls in zip(core.samples, core.calls)]

    def _page_faults(self) -> List[Optional[int]]:
        """Absent if 0; if no path has any, they were not sampled."""
        values = self.of_schema("page_faults")
        return values if any(values) else [None] * len(values)

    def _metrics(self) -> Dict[int, str]:
        """Metrics that paths have, by their position."""
        core = self.core
        if not any("metrics" in node for node in core.nodes):
            return {}
        metrics = core.document.objects("metrics")
        names = column(core.document, "metrics", metrics, TABLES["metrics"][0])
        return {i: name for i, name in enumerate(names) if metrics[i].get("scope") is None}

    def _metric(self, metric: int) -> List[Optional[float]]:
        values: List[Optional[float]] = [None] * self.core.count
        for node, number, value in self.metric_values():
            if number == metric:
                values[node] = value
        return values

    def metric_values(self) -> List[Any]:
        """(node, position of the metric, value) of all paths; values that are not numbers are None."""
        core = self.core
        metrics = len(core.document.objects("metrics"))
        values = pairs_of(core.document, "nodes.metrics", self.of_schema("metrics"), 2)
        check_positions(core.document, "nodes.metrics", "metric", [row[1] for row in values], metrics)
        return values


def joined(names: Sequence[str]) -> str:
    half = _MOST_LEVELS // 2
    shown = list(map(printable, names if len(names) <= _MOST_LEVELS else [*names[:half], "...", *names[-half:]]))
    return "<".join(shown)


def pairs_of(document: Document, place: str, lists: Sequence[Any], width: int) -> List[Any]:
    """(position of the list, ...) for the elements of lists of lists of `width` numbers."""
    rows = []
    for i, pairs in enumerate(lists):
        if pairs is None:
            continue
        for pair in pairs:
            values = numbers_of(document, place, pair)
            if len(values) != width or type(values[0]) is not int:
                document.fail(f"{place} has an element that is not a list of {width} numbers")
            rows.append((i, *values))
    return rows


def calls_are(state: int) -> Optional[str]:
    """What the number of calls is; None if it is not known."""
    if state & states.CALLS_UNKNOWN:
        return None
    return "at least" if state & states.CALLS_AT_LEAST else "estimated" if state & states.CALLS_ESTIMATED else "exact"


def times_are_from(state: int) -> str:
    if state & states.CLOCK_AND_SAMPLES:
        return "clock and samples"
    if state & states.FROM_SAMPLES:
        return "samples"
    return "some of the calls" if state & states.PARTLY_TIMED else "clock"
