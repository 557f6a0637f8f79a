"""Numbers, names and tables for people."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Optional, Sequence

from . import call_tree as states
from .errors import printable

if TYPE_CHECKING:
    from .call_tree import Core
    from .table import Table

_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"))


def time_text(ns: float) -> str:
    """Three digits and the unit that fits: 1.23 ms."""
    seconds = ns / 1e9
    for size, unit in _UNITS:
        if abs(seconds) >= size:
            return f"{_three_digits(seconds / size)} {unit}"
    return f"{_three_digits(ns)} ns"


def _three_digits(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 999.5 else f"{value:.3g}"


def calls_text(calls: Optional[int], are: Optional[str]) -> str:
    """As in the tables of the command: ~ is an estimate, >= a lower bound, nothing is not known."""
    if calls is None:
        return ""
    return {"estimated": "~", "at least": ">="}.get(are or "", "") + f"{calls:,}"


def count_text(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 'es' if what.endswith('s') else 's'}"


def run_line(core: "Core") -> str:
    """What ran, how long, and how it ended."""
    run = core.run
    parts = []
    for key, what in (("application_ns", "without measuring"), ("runtime_ns", "as measured")):
        if type(run.get(key)) is int:
            parts.append(f"{time_text(run[key])} {what}")
    for key, what in (("ranks", "process"), ("threads", "thread")):
        if type(run.get(key)) is int:
            parts.append(count_text(run[key], what))
    ended = run.get("ended")
    if run.get("snapshot") is True:
        parts.append("still running")
    elif type(ended) is str and ended:
        parts.append(f"ended: {printable(ended, 80)}")
    return ", ".join([printable(run.get("application", "?"), 80), *parts])


def uncertainty_text(exclusive_ns: float, error_ns: float) -> str:
    """+- and the standard error if it is at least 0.5 % of the time, as in `vftrace report --brief`."""
    return f" +- {time_text(error_ns)}" if error_ns > 0 and error_ns >= 0.005 * abs(exclusive_ns) else ""


def is_estimate(state: int) -> bool:
    return bool(state & (states.PARTLY_TIMED | states.FROM_SAMPLES | states.CLOCK_AND_SAMPLES | states.UNCERTAIN))


def cell_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.6g}"
    return printable(value, 60)


def is_numeric(values: Sequence[Any]) -> bool:
    return all(value is None or isinstance(value, (int, float)) for value in values)


def table_text(table: "Table", rows: int) -> str:
    shown = table.head(rows)
    columns: List[List[str]] = [[name, *map(cell_text, shown.column(name))] for name in shown.columns]
    widths = [max(map(len, column)) for column in columns]
    numeric = [is_numeric(shown.column(name)) for name in shown.columns]
    lines = ["  ".join(cell.rjust(width) if right else cell.ljust(width)
                       for cell, width, right in zip(row, widths, numeric)).rstrip() for row in zip(*columns)]
    if len(table) > len(shown):
        lines.append(f"({len(table) - len(shown):,} more rows)")
    return "\n".join(lines)
