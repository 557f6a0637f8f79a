"""A table whose columns are made when they are needed: what is there without pandas."""
from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, Mapping, Optional, Sequence, Tuple, Union, overload

from .errors import NoTable

if TYPE_CHECKING:
    import pandas

Make = Callable[[], Sequence[Any]]
_QUOTED = re.compile('[",\r\n]')


class Table:
    """Rows and columns. Values that are not known are None.

    `len(table)` is the number of rows; iteration gives the rows as dictionaries, `table[i]` one of them, `table[2:5]` a table
    of some of them, `table["calls"]` a column. Each column `x_ns` can also be had as `x_s`, in seconds.
    """

    def __init__(self, name: str, length: int, columns: Mapping[str, Make]) -> None:
        self.name = name
        self._length = length
        self._makers = dict(columns)
        self._made: Dict[str, Sequence[Any]] = {}

    @property
    def columns(self) -> Tuple[str, ...]:
        return tuple(self._makers)

    def column(self, name: str) -> Sequence[Any]:
        """The values of a column, in the order of the rows. They must not be changed."""
        if name not in self._made:
            make = self._makers.get(name)
            if make is not None:
                self._made[name] = make()
            elif self._has(name):
                self._made[name] = [None if ns is None else ns / 1e9 for ns in self.column(name[:-2] + "_ns")]
            else:
                raise self._missing(name)
        return self._made[name]

    def _has(self, name: str) -> bool:
        return name in self._makers or (name.endswith("_s") and name[:-2] + "_ns" in self._makers)

    def _missing(self, name: str) -> NoTable:
        return NoTable(f"the table {self.name} does not have a column {name!r}; it has: {', '.join(self.columns)}")

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        names = self.columns
        for values in zip(*(self.column(name) for name in names)):
            yield dict(zip(names, values))

    @overload
    def __getitem__(self, key: int) -> Dict[str, Any]: ...
    @overload
    def __getitem__(self, key: str) -> Sequence[Any]: ...
    @overload
    def __getitem__(self, key: slice) -> "Table": ...

    def __getitem__(self, key: Union[int, str, slice]) -> Union[Dict[str, Any], Sequence[Any], "Table"]:
        if isinstance(key, str):
            return self.column(key)
        if isinstance(key, slice):
            return self.take(range(self._length)[key])
        if not -self._length <= key < self._length:
            raise IndexError(f"the table {self.name} has {self._length} rows")
        return {name: self.column(name)[key] for name in self.columns}

    def take(self, rows: Sequence[int]) -> "Table":
        """A table of these rows, in this order."""
        def taken(name: str) -> Make:
            return lambda: [values[row] for values in (self.column(name),) for row in rows]
        return Table(self.name, len(rows), {name: taken(name) for name in self.columns})

    def select(self, *columns: str) -> "Table":
        """A table of these columns, in this order; `x_s` is `x_ns` in seconds."""
        for name in columns:
            if not self._has(name):
                raise self._missing(name)

        def maker(name: str) -> Make:
            return lambda: self.column(name)
        return Table(self.name, self._length, {name: maker(name) for name in columns})

    def head(self, rows: int = 10) -> "Table":
        return self[:rows]

    def where(self, condition: Callable[[Dict[str, Any]], Any]) -> "Table":
        """The rows for which the condition, a function of a row, is true."""
        return self.take([i for i, row in enumerate(self) if condition(row)])

    def sorted_by(self, column: str, descending: bool = True) -> "Table":
        """Largest first; rows whose value is not known are last."""
        values = self.column(column)
        known = [i for i, value in enumerate(values) if value is not None]
        unknown = [i for i, value in enumerate(values) if value is None]
        return self.take(sorted(known, key=lambda i: values[i], reverse=descending) + unknown)

    def to_csv(self, file: Union[None, str, io.TextIOBase] = None) -> Optional[str]:
        """Writes the table as CSV (RFC 4180), as the command does: lines end with a newline, empty cells are not known.
        Returns the text without a file."""
        if isinstance(file, str):
            with open(file, "w", encoding="utf-8", newline="") as opened:
                self.to_csv(opened)
            return None
        rows = zip(*(map(_csv_cell, [name, *self.column(name)]) for name in self.columns))
        lines = (",".join(row) + "\n" for row in rows)
        if file is None:
            return "".join(lines)
        file.writelines(lines)
        return None

    def frame(self, seconds: bool = False) -> "pandas.DataFrame":
        """The table as a DataFrame; with `seconds`, columns `x_s` in place of `x_ns`."""
        from .frames import frame_of
        return frame_of(self, seconds)

    def text(self, rows: int = 20) -> str:
        """The first rows, for people."""
        from .text import table_text
        return table_text(self, rows)

    def __repr__(self) -> str:
        return f"<vftrace.Table {self.name}: {self._length} rows, columns {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        from .html import table_html
        return table_html(self)


def _csv_cell(value: Any) -> str:
    """Not with the module csv, which does not write all characters in all versions of Python."""
    text = "" if value is None else str(value)
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text


def table_of_rows(name: str, rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> Table:
    """A table of dictionaries."""
    def maker(column: str) -> Make:
        return lambda: [row[column] for row in rows]
    return Table(name, len(rows), {column: maker(column) for column in columns})
