"""The call paths of many profiles as columns of one table. Batches are made by several processes and joined by one."""
from __future__ import annotations

from array import array
from itertools import repeat
from typing import Any, Dict, List, Sequence, Tuple

from .call_tree import Core
from .document import load
from .errors import ProfileError

# The columns and the types of their values.
TYPES = {"run": "i", "node": "i", "parent": "i", "function": "i", "hash": "Q", "calls": "q", "exclusive_ns": "q",
         "inclusive_ns": "q", "exclusive_error_ns": "q", "state": "H"}
_MOST_ROWS = (1 << 31) - 1
_FACTS = {"application": str, "command_line": str, "host": str, "ranks": int, "threads": int, "runtime_ns": int,
          "application_ns": int, "start": str, "ended": str}


class Batch:
    """The columns of some profiles; functions are positions in a list of their own."""

    def __init__(self) -> None:
        self.columns: Dict[str, "array[Any]"] = {name: array(kind) for name, kind in TYPES.items()}
        self.functions: Dict[Tuple[str, str, str], int] = {}  # name, display, kind
        self.runs: List[Dict[str, Any]] = []
        self.problems: List[Tuple[int, str, str]] = []  # number of the file, its name, the reason

    def read(self, number: int, file: str, largest: int) -> None:
        """Adds a profile, which gets the number of its file, or the reason why it cannot be read."""
        try:
            core = Core(load(file, largest, only_regular=True))
            facts, added = _facts(core, file), self._columns_of(core)
        except ProfileError as error:
            self.problems.append((number, file, error.reason))
        except OSError as error:
            self.problems.append((number, file, error.strerror or str(error)))
        else:
            self.runs.append({"number": number, **facts})
            for name, values in added.items():
                self.columns[name].extend(values)
            self.columns["run"].extend(array("i", repeat(number, core.count)))

    def _columns_of(self, core: Core) -> Dict[str, "array[Any]"]:
        try:
            added = {
                "node": array("i", range(core.count)),
                "parent": array("i", core.parents),
                "hash": core.hashes(),
                "calls": array("q", core.calls),
                "exclusive_ns": array("q", core.exclusive_ns),
                "inclusive_ns": array("q", core.inclusive_ns),
                "exclusive_error_ns": array("q", core.exclusive_error_ns),
                "state": core.states,
            }
        except OverflowError:
            core.document.fail("nodes: a number does not fit into 63 bits in an element")
        numbers = self.functions
        of_function = [numbers.setdefault(function, len(numbers)) for function in zip(core.names, core.displays, core.kinds)]
        added["function"] = array("i", map(of_function.__getitem__, core.function_of))
        return added

    def join(self, other: "Batch") -> None:
        """Adds the columns of another batch."""
        if len(self.columns["node"]) + len(other.columns["node"]) > _MOST_ROWS:
            raise MemoryError("more than 2^31 call paths: read the files in several parts")
        numbers = [self.functions.setdefault(function, len(self.functions)) for function in other.functions]
        if numbers != list(range(len(numbers))):
            other.columns["function"] = array("i", map(numbers.__getitem__, other.columns["function"]))
        for name, values in other.columns.items():
            self.columns[name].extend(values)
        self.runs += other.runs
        self.problems += other.problems


def _facts(core: Core, file: str) -> Dict[str, Any]:
    facts: Dict[str, Any] = {"file": file}
    for key, kind in _FACTS.items():
        value = core.run.get(key)
        if value is not None and type(value) is not kind:
            core.document.fail(f"run: {key} is not of the type that it should be")
        facts[key] = value
    facts["ended"] = "still running" if core.run.get("snapshot") is True else facts["ended"] or "normally"
    facts["paths"] = core.count
    warnings = core.run.get("warnings")
    facts["warnings"] = len(warnings) if isinstance(warnings, list) else 0
    for parameter in core.document.objects("run.parameters"):
        name, value = parameter.get("name"), parameter.get("value")
        if type(name) is not str or type(value) not in (int, float):
            core.document.fail("run.parameters has an element that is not a name and a number")
        facts["parameters." + name] = value
    return facts


def batch_of(files: Sequence[Tuple[int, str]], largest: int) -> Batch:
    batch = Batch()
    for number, file in files:
        batch.read(number, file, largest)
    return batch
