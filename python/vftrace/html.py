"""What notebooks show. Everything that comes from a profile is escaped."""
from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, List, Optional, Sequence

from .errors import printable
from .functions import shares
from .text import calls_text, cell_text, is_numeric, run_line, time_text, uncertainty_text

if TYPE_CHECKING:
    from .profile import Profile
    from .table import Table

_ROWS = 10
_MOST_REMARKS = 5
_MOST_COLUMNS = 40
_TABLE = '<table style="border-collapse:collapse">'
_CELL = "padding:1px 8px;text-align:"


def profile_html(profile: "Profile") -> str:
    parts = ['<div class="vftrace">', f"<p><b>{escape(run_line(profile.core))}</b></p>"]
    parts += [f"<p>{escape(remark)}</p>" for remark in profile.quality.remarks(_MOST_REMARKS)]
    functions = profile.table("functions").sorted_by("exclusive_ns")
    parts += [_top(functions), profile.flame_graph(), "</div>"]
    return "\n".join(parts)


def _top(functions: "Table") -> str:
    rows = []
    exclusive = functions.column("exclusive_ns")
    of_all = shares(list(exclusive))
    for i, row in enumerate(functions.head(_ROWS)):
        share: Optional[float] = of_all[i]
        rows.append(["" if share is None else f"{100 * share:.1f} %",
                     time_text(row["exclusive_ns"]) + uncertainty_text(row["exclusive_ns"], row["exclusive_error_ns"]),
                     time_text(row["inclusive_ns"]), calls_text(row["calls"], row["calls_are"]), printable(row["function"], 100)])
    left = len(functions) - len(rows)
    note = f"<p>{left:,} more functions: profile.table(\"functions\")</p>" if left > 0 else ""
    return _table(["share", "own time", "total time", "calls", "function"], rows, [False] * 4 + [True]) + note


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], are_texts: Sequence[bool]) -> str:
    def line(tag: str, cells: Sequence[str]) -> str:
        return "<tr>" + "".join(f'<{tag} style="{_CELL}{"left" if is_text else "right"}">{escape(cell)}</{tag}>'
                                for cell, is_text in zip(cells, are_texts)) + "</tr>"
    return "\n".join([_TABLE, line("th", head), *(line("td", row) for row in rows), "</table>"])


def table_html(table: "Table", rows: int = 20) -> str:
    names = table.columns[:_MOST_COLUMNS]
    shown = table.head(rows)
    columns: List[Sequence[Any]] = [shown.column(name) for name in names]
    cells = [[cell_text(value) for value in row] for row in zip(*columns)]
    more = [f"{len(table) - len(shown):,} more rows"] if len(table) > len(shown) else []
    more += [f"{len(table.columns) - len(names):,} more columns"] if len(names) < len(table.columns) else []
    note = f"<p>{' and '.join(more)}</p>" if more else ""
    head = [printable(name, 60) for name in names]
    return f"<p><b>{escape(printable(table.name))}</b></p>{_table(head, cells, [not is_numeric(column) for column in columns])}{note}"
