"""Functions that lost their hooks in one of two runs. To compare like with like, their time is added to that of their callers
in the run that measured them, as it is in the other one."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Set

from .checked import check_positions, column
from .path_hash import path_hash
from .paths import ROOT, Paths, joined
from .schema import TABLES

if TYPE_CHECKING:
    from .compare import ComparedPath


class FilteredInOne(NamedTuple):
    """`filtered_in` is "a" or "b"; figures are those of the whole run in the one that measured it, else until the removal."""
    function: str
    filtered_in: str
    reason: str
    still_called: bool
    a_calls: int
    b_calls: int
    a_exclusive_ns: int
    b_exclusive_ns: int
    a_overhead_ns: int
    b_overhead_ns: int


_FIGURES = ("calls", "exclusive_ns", "overhead_ns")


def _filtered(paths: Paths) -> Dict[str, Dict[str, Any]]:
    """Functions without call paths, by what identifies them."""
    document, rows = paths.core.document, paths.core.document.objects("filtered")
    columns = {entry.name: column(document, "filtered", rows, entry) for entry in TABLES["filtered"]}
    check_positions(document, "filtered", "function", columns["function"], len(paths.core.functions))
    names = paths.identities
    found: Dict[str, Dict[str, Any]] = {}
    for i, function in enumerate(columns["function"]):
        if columns["reason"][i] != "sampled":
            found.setdefault(names[function], {"display": paths.core.displays[function],
                                               **{name: values[i] for name, values in columns.items()}})
    return found


def _found(side: str, measured: List["ComparedPath"], there: Dict[str, Dict[str, Any]],
           here: Dict[str, Any]) -> List[FilteredInOne]:
    """What the one run has measured of functions that only the other one, `side`, has filtered."""
    sums: Dict[str, Dict[str, int]] = {}
    for path in measured:
        if path.key in there and path.key not in here:
            of_key = sums.setdefault(path.key, dict.fromkeys(_FIGURES, 0))
            for figure in _FIGURES:
                of_key[figure] += getattr(path, figure)
    other = "b" if side == "a" else "a"
    found = []
    for key, of_key in sums.items():
        row = there[key]
        figures = {**{f"{side}_{figure}": row[figure] for figure in _FIGURES},
                   **{f"{other}_{figure}": of_key[figure] for figure in _FIGURES}}
        found.append(FilteredInOne(row["display"], side, "excluded" if row["reason"] == "excluded" else "budget",
                                   row["still_called"], **figures))
    return found


def fold_filtered_in_one(pair: Dict[str, List["ComparedPath"]], paths: Dict[str, Paths]) -> List[FilteredInOne]:
    filtered = {side: _filtered(paths[side]) for side in pair}
    found = _found("a", pair["b"], filtered["a"], filtered["b"]) + _found("b", pair["a"], filtered["b"], filtered["a"])
    if found:
        keys = {path.key for side, other in (("a", "b"), ("b", "a")) for path in pair[other]
                if path.key in filtered[side] and path.key not in filtered[other]}
        for side in pair:
            pair[side] = _folded(pair[side], keys)
    return sorted(found, key=lambda row: -max(row.a_exclusive_ns, row.b_exclusive_ns))


def _folded(paths: List["ComparedPath"], keys: Set[str]) -> List["ComparedPath"]:
    is_folded = [path.key in keys for path in paths]
    for path, folded in zip(paths, is_folded):
        if not folded:
            continue
        caller = path.parent
        while caller >= 0 and is_folded[caller]:
            caller = paths[caller].parent
        if caller >= 0:
            paths[caller].exclusive_ns += path.exclusive_ns
            paths[caller].error_ns += path.error_ns
            paths[caller].doubt_ns += max(path.overhead_ns, 0)
    below = [False] * len(paths)  # whether a path or a caller of it is folded
    for i, path in enumerate(paths):
        below[i] = is_folded[i] or (path.parent >= 0 and below[path.parent])
    for i, path in enumerate(paths):
        if below[i] and not is_folded[i]:
            kept, at = [], i
            while at >= 0:
                if not is_folded[at]:
                    kept.append(paths[at])
                at = paths[at].parent
            path.path = joined([entry.function for entry in kept])
            path.path_key = path_hash(["init" if entry.key == ROOT else entry.key for entry in kept])
    return [path for path, folded in zip(paths, is_folded) if not folded]
