"""The table of many runs as a DataFrame, without a Python object for each value."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Sequence

from . import call_tree as states
from .frames import need_pandas
from .paths import calls_are, times_are_from

if TYPE_CHECKING:
    import pandas

    from .runs import Function


def frame_of_runs(columns: Dict[str, Any], functions: Sequence["Function"], seconds: bool) -> "pandas.DataFrame":
    pandas = need_pandas("the attribute table has the same rows")
    import numpy

    def array(name: str) -> Any:
        values = columns[name]
        return numpy.frombuffer(values, dtype=values.typecode) if len(values) else numpy.empty(0, dtype=values.typecode)

    def categories(codes: Any, words: List[Any]) -> Any:
        """Of positions in a list in which a word may be there several times, or be None."""
        different = list(dict.fromkeys(word for word in words if word is not None))
        place = {word: i for i, word in enumerate(different)}
        code_of = numpy.array([place.get(word, -1) for word in words], dtype="int32")
        return pandas.Categorical.from_codes(code_of[codes] if len(codes) else [], categories=different)

    state = array("state")
    of_state, state_codes = numpy.unique(state, return_inverse=True)
    code = array("function")
    unknown = (state & states.CALLS_UNKNOWN) != 0
    frame: Dict[str, Any] = {
        "run": array("run"),
        "node": array("node"),
        "parent": pandas.arrays.IntegerArray(array("parent").copy(), array("parent") < 0),
        "function": categories(code, [function.display for function in functions]),
        "kind": categories(code, [function.kind for function in functions]),
        "calls": pandas.arrays.IntegerArray(array("calls").copy(), unknown) if unknown.any() else array("calls"),
        "calls_are": categories(state_codes, [calls_are(int(value)) for value in of_state]),
    }
    for name in ("exclusive_ns", "inclusive_ns", "exclusive_error_ns"):
        frame[name[:-3] + "_s" if seconds else name] = array(name) / 1e9 if seconds else array(name)
    frame["times_are_from"] = categories(state_codes, [times_are_from(int(value)) for value in of_state])
    frame["uncertain"] = (state & states.UNCERTAIN) != 0
    frame["paused"] = (state & states.PAUSED) != 0
    frame["hash"] = array("hash")
    return pandas.DataFrame(frame, copy=False)
