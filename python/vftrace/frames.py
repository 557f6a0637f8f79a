"""Tables as DataFrames of pandas, arrays of numpy. Nothing else imports these packages."""
from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any, List, Optional, Sequence

from .errors import MissingPackage
from .table import Table

if TYPE_CHECKING:
    import pandas


def need_pandas(instead: str = "the method table() returns the same rows") -> Any:
    try:
        import pandas
    except ImportError:
        raise MissingPackage("pandas", instead) from None
    return pandas


def numpy_or_none() -> Any:
    try:
        import numpy
    except ImportError:
        return None
    return numpy


def series_of(values: Sequence[Any]) -> Any:
    """A column of a DataFrame. Whole numbers remain whole where some are not known; other unknown numbers are NaN."""
    pandas = need_pandas()
    import numpy
    if isinstance(values, array):
        return pandas.Series(numpy.frombuffer(values, dtype=values.typecode) if values else [], dtype=values.typecode)
    types = set(map(type, values))
    known = types - {type(None)}
    if known == {int}:
        numbers = [value for value in values if value is not None]
        if not (-(1 << 63) <= min(numbers) and max(numbers) < 1 << 63):
            return pandas.Series(values, dtype=object)
        return pandas.Series(values, dtype="int64" if len(known) == len(types) else "Int64")
    if known == {bool}:
        return pandas.Series(values, dtype="bool" if len(known) == len(types) else "boolean")
    if known <= {int, float}:  # also if nothing is known
        return pandas.Series([numpy.nan if value is None else float(value) for value in values], dtype="float64")
    return pandas.Series(list(values), dtype=object)


def frame_of(table: Table, seconds: bool) -> "pandas.DataFrame":
    pandas = need_pandas()
    names = [name[:-3] + "_s" if seconds and name.endswith("_ns") else name for name in table.columns]
    return pandas.DataFrame({name: series_of(table.column(name)) for name in names}, columns=names)


def array_of(rows: List[List[Optional[float]]], width: int) -> Any:
    """A two-dimensional array with NaN for what is not known; without numpy the list of lists itself."""
    numpy = numpy_or_none()
    if numpy is None:
        return rows
    values = numpy.array(rows, dtype=float)  # None becomes NaN
    return values.reshape(len(rows), width)
