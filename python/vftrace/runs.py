"""Many runs: one table of all call paths, one of the runs, and sums by function or by path and run."""
from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from . import call_tree as states
from .batch import Batch
from .errors import NoTable
from .frames import need_pandas
from .paths import ROOT, calls_are, times_are_from
from .table import Make, Table

if TYPE_CHECKING:
    import pandas

_VALUES = ("exclusive_ns", "inclusive_ns", "calls")


class Function(NamedTuple):
    """What functions are compared by in several runs, and what is shown."""
    identity: str
    display: str
    kind: str


class Problem(NamedTuple):
    """A file that could not be read."""
    file: str
    reason: str


class Runs:
    """What read_many() returns. Runs have the numbers of their files in the order in which those were given."""

    def __init__(self, batch: Batch, files: Sequence[str]) -> None:
        self._columns = batch.columns
        self._functions = [Function(ROOT if kind == "root" else name, display, kind) for name, display, kind in batch.functions]
        self._runs = sorted(batch.runs, key=lambda run: run["number"])
        self.files = list(files)
        self.problems = [Problem(file, reason) for _, file, reason in batch.problems]
        self._outermost: Optional[bytearray] = None

    def __len__(self) -> int:
        return len(self._runs)

    @property
    def runs(self) -> Table:
        """The facts of each run; parameters of the runs are columns `parameters.NAME`."""
        names: Dict[str, None] = {"run": None}
        for run in self._runs:
            names.update((name, None) for name in run if name != "number")

        def maker(name: str) -> Make:
            return lambda: [run.get("number" if name == "run" else name) for run in self._runs]
        return Table("runs", len(self._runs), {name: maker(name) for name in names})

    @property
    def table(self) -> Table:
        """All call paths of all runs. `node` and `parent` are positions within the run; `hash` is that of a path in all runs."""
        columns = self._columns
        of_code = self._functions
        state = columns["state"]
        makers: Dict[str, Make] = {
            "run": lambda: columns["run"],
            "node": lambda: columns["node"],
            "parent": lambda: [None if parent < 0 else parent for parent in columns["parent"]],
            "function": lambda: self._texts([function.display for function in of_code]),
            "kind": lambda: self._texts([function.kind for function in of_code]),
            "calls": lambda: self._calls(),
            "calls_are": lambda: _of_states(calls_are, state),
            "exclusive_ns": lambda: columns["exclusive_ns"],
            "inclusive_ns": lambda: columns["inclusive_ns"],
            "exclusive_error_ns": lambda: columns["exclusive_error_ns"],
            "times_are_from": lambda: _of_states(times_are_from, state),
            "uncertain": lambda: [bool(value & states.UNCERTAIN) for value in state],
            "paused": lambda: [bool(value & states.PAUSED) for value in state],
            "hash": lambda: [f"{value:016x}" for value in columns["hash"]],
        }
        return Table("runs.paths", len(state), makers)

    def _texts(self, of_code: List[str]) -> List[str]:
        return list(map(of_code.__getitem__, self._columns["function"]))

    def _calls(self) -> Sequence[Optional[int]]:
        calls, state = self._columns["calls"], self._columns["state"]
        if not any(value & states.CALLS_UNKNOWN for value in set(state)):
            return calls
        return [None if value & states.CALLS_UNKNOWN else count for count, value in zip(calls, state)]

    def frame(self, seconds: bool = False) -> "pandas.DataFrame":
        """The table of all call paths as DataFrame, with `function`, `kind`, `calls_are` and `times_are_from` as categories."""
        from .run_frames import frame_of_runs
        return frame_of_runs(self._columns, self._functions, seconds)

    def pivot(self, values: str = "exclusive_ns", by: str = "function") -> Table:
        """A row for each function, or each path, and a column for each run, called by its number. None: the run does not have the
        function, or the number is not known. Pauses are left out."""
        rows, labels = self._sums(values, by)
        runs = [run["number"] for run in self._runs]
        makers: Dict[str, Make] = {name: (lambda name=name: labels[name]) for name in labels}  # type: ignore[misc]
        for run in runs:
            makers[str(run)] = lambda run=run: [sums.get(run) for sums in rows]  # type: ignore[misc]
        return Table("pivot", len(rows), makers)

    def pivot_frame(self, values: str = "exclusive_ns", by: str = "function") -> "pandas.DataFrame":
        """The same as DataFrame: runs are the columns, NaN is what is not known."""
        pandas = need_pandas("pivot() returns the same values")
        rows, labels = self._sums(values, by)
        index = pandas.MultiIndex.from_arrays(list(labels.values()), names=list(labels)) if len(labels) > 1 else \
            pandas.Index(labels["function"], name="function")
        runs = [run["number"] for run in self._runs]
        data = {run: pandas.Series([sums.get(run) for sums in rows], dtype="float64").values for run in runs}
        return pandas.DataFrame(data, index=index, columns=runs)

    def _sums(self, values: str, by: str) -> Tuple[List[Dict[int, Optional[int]]], Dict[str, List[str]]]:
        """For each row its sums by run, largest first, and the columns that say what the rows are."""
        if values not in _VALUES:
            raise NoTable(f"there are no values {values!r}, only {', '.join(_VALUES)}")
        if by not in ("function", "path"):
            raise ValueError(f"by must be \"function\" or \"path\", not {by!r}")
        columns = self._columns
        keys, numbers = self._keys(by)
        counted = self._is_outermost() if values == "inclusive_ns" and by == "function" else None
        unknown = states.CALLS_UNKNOWN if values == "calls" else 0
        sums: List[Dict[int, Optional[int]]] = [{} for _ in numbers]
        for i, (key, run, value, state) in enumerate(zip(keys, columns["run"], columns[values], columns["state"])):
            if state & states.PAUSED:
                continue
            of_key = sums[key]
            before = of_key.get(run, 0)
            if before is None or state & unknown:
                of_key[run] = None
            else:
                of_key[run] = before + (value if counted is None or counted[i] else 0)
        order = sorted((key for key, of_key in enumerate(sums) if of_key),
                       key=lambda key: -sum(value for value in sums[key].values() if value))
        names = list(numbers.values())
        labels = {"function": [names[key] for key in order]}
        if by == "path":
            labels = {"hash": [f"{hashed:016x}" for hashed in map(list(numbers).__getitem__, order)], **labels}
        return [sums[key] for key in order], labels

    def _keys(self, by: str) -> Tuple[Sequence[int], Dict[Any, str]]:
        """For each row of the table the number of what it belongs to, and what these are: identities with the names to show."""
        functions = self._columns["function"]
        shown: Dict[Any, str] = {}
        numbers: Dict[Any, int] = {}
        if by == "function":
            of_code = []
            for function in self._functions:
                of_code.append(numbers.setdefault(function.identity, len(numbers)))
                shown.setdefault(function.identity, function.display)
            return array("i", map(of_code.__getitem__, functions)), shown
        keys = array("i")
        for hashed, code in zip(self._columns["hash"], functions):
            if hashed not in numbers:
                numbers[hashed] = len(numbers)
                shown[hashed] = self._functions[code].display
            keys.append(numbers[hashed])
        return keys, shown

    def _is_outermost(self) -> bytearray:
        """Whether no caller of a path is the same function; callers come before what they call."""
        if self._outermost is None:
            columns, identities = self._columns, [function.identity for function in self._functions]
            result = bytearray(len(columns["node"]))
            above: List[frozenset[str]] = []
            sets: Dict[Tuple[frozenset[str], str], frozenset[str]] = {}
            for i, (node, parent, code) in enumerate(zip(columns["node"], columns["parent"], columns["function"])):
                if node == 0:
                    above = []
                before = above[parent] if parent >= 0 else frozenset()
                identity = identities[code]
                result[i] = identity not in before
                key = (before, identity)
                if key not in sets:
                    sets[key] = before | {identity}
                above.append(sets[key])
            self._outermost = result
        return self._outermost

    def __repr__(self) -> str:
        damaged = f", {len(self.problems):,} files not read" if self.problems else ""
        return f"<vftrace.Runs: {len(self):,} runs, {len(self._columns['node']):,} call paths{damaged}>"


def _of_states(text: Any, state: Sequence[int]) -> List[Optional[str]]:
    words = {value: text(value) for value in set(state)}
    return list(map(words.__getitem__, state))
