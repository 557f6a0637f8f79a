"""The part of a profile that everything else needs: which call paths there are, with calls and times, checked when it is read."""
from __future__ import annotations

from array import array
from itertools import repeat
from operator import itemgetter, lt
from typing import Any, Dict, List, Sequence

from .checked import check_type
from .document import Document
from .schema import REQUIRED

# What is known about the calls and times of a path.
CALLS_ESTIMATED = 1  # from those of its caller, on some threads at least
CALLS_AT_LEAST = 2  # those before its function lost its hooks
CALLS_UNKNOWN = 4  # the path is known only from samples
PARTLY_TIMED = 8  # times are estimates from a part of the calls
FROM_SAMPLES = 16  # times are from samples
CLOCK_AND_SAMPLES = 32  # times are estimates from both
PAUSED = 64  # not part of the program's time
UNCERTAIN = 128  # more was subtracted as the cost of measuring than is left

_FLAGS = {"calls-estimated": CALLS_ESTIMATED, "calls-until-removal": CALLS_AT_LEAST, "thinned": PARTLY_TIMED,
          "clock-and-samples": CLOCK_AND_SAMPLES, "paused": PAUSED}


class Core:
    """Columns of the call paths, by their position in the file. The caller of the first one is -1."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.run: Dict[str, Any] = self._run()
        self.functions = document.objects("functions")
        self.kinds = self._texts("kind")
        self.names = self._texts("name")
        self.displays = self._texts("display")
        self.nodes = nodes = document.objects("nodes")
        self.count = len(nodes)
        if self._column("id") != list(range(self.count)):
            document.fail("nodes: id is not the position in the list in an element")
        self.parents = self._parents()
        self.function_of = self._column("function")
        if self.count and not (0 <= min(self.function_of) and max(self.function_of) < len(self.functions)):
            document.fail("nodes: function is not the position of an element")
        self.calls = self._column("calls")
        if self.count and min(self.calls) < 0:
            document.fail("nodes: calls is negative in an element")
        self.inclusive_ns = self._column("inclusive_ns")
        self.exclusive_ns = self._column("exclusive_ns")
        self.exclusive_error_ns = self._optional("exclusive_error_ns", 0)
        self.samples = self._optional("samples", 0)
        self.is_sampled = bool(self.run.get("sample_period_ns"))
        self.states = self._states()

    def _run(self) -> Dict[str, Any]:
        run = self.document.member("run")
        if not isinstance(run, dict):
            self.document.fail("run is not an object")
        return run

    def _texts(self, key: str) -> List[str]:
        try:
            values = list(map(itemgetter(key), self.functions))
        except KeyError:
            self.document.fail(f"functions: an element does not have {key!r}")
        check_type(self.document, "functions", key, "text", values, REQUIRED)
        return values

    def _column(self, key: str) -> List[int]:
        try:
            values = list(map(itemgetter(key), self.nodes))
        except KeyError:
            self.document.fail(f"nodes: an element does not have {key!r}")
        check_type(self.document, "nodes", key, "whole", values, REQUIRED)
        return values

    def _optional(self, key: str, absent: int) -> List[int]:
        values = [node.get(key, absent) for node in self.nodes]
        check_type(self.document, "nodes", key, "whole", values, REQUIRED)
        return values

    def _parents(self) -> List[int]:
        """Of all but the first one the position of an earlier one."""
        if not self.nodes:
            return []
        if self.nodes[0].get("parent") is not None:
            self.document.fail("nodes: the parent of the first one is not null")
        try:
            values = list(map(itemgetter("parent"), self.nodes))
        except KeyError:
            self.document.fail("nodes: an element does not have 'parent'")
        values[0] = -1
        if set(map(type, values)) != {int} or min(values[1:], default=0) < 0 or not all(map(lt, values, range(len(values)))):
            self.document.fail("nodes: parent is not the position of an earlier element")
        return values

    def _states(self) -> "array[int]":
        states = array("H", repeat(0, self.count))
        for i, node in enumerate(self.nodes):
            flags = node.get("flags")
            if flags is not None:
                states[i] = self._state_of_flags(flags)
            raw = node.get("raw_exclusive_ns")
            if raw is not None and not states[i] & CLOCK_AND_SAMPLES and self._more_subtracted(i, raw):
                states[i] |= UNCERTAIN
        if "pause" in self.kinds:
            for i, function in enumerate(self.function_of):
                if self.kinds[function] == "pause":
                    states[i] |= PAUSED
        if 0 in self.calls and (self.is_sampled or any(self.samples)):
            for i, calls in enumerate(self.calls):
                if calls == 0 and (self.is_sampled or self.samples[i] > 0):
                    states[i] |= CALLS_UNKNOWN | FROM_SAMPLES
        return states

    def _state_of_flags(self, flags: Any) -> int:
        if type(flags) is not list or not set(map(type, flags)) <= {str}:
            self.document.fail("nodes: flags is not a list of texts in an element")
        state = 0
        for flag in flags:
            state |= _FLAGS.get(flag, 0)
        if state & CALLS_AT_LEAST and not state & CLOCK_AND_SAMPLES:
            state |= FROM_SAMPLES
        return state

    def _more_subtracted(self, node: int, raw: Any) -> bool:
        if type(raw) is not int:
            self.document.fail("nodes: raw_exclusive_ns is not a whole number in an element")
        exclusive: int = self.exclusive_ns[node]
        return raw - exclusive > exclusive

    def hashes(self) -> "array[int]":
        """The hashes as numbers."""
        try:
            texts = list(map(itemgetter("hash"), self.nodes))
        except KeyError:
            self.document.fail("nodes: an element does not have 'hash'")
        check_type(self.document, "nodes", "hash", "text", texts, REQUIRED)
        return hashes_of(self.document, texts)


def hashes_of(document: Document, texts: Sequence[str]) -> "array[int]":
    """Hexadecimal digits as numbers of 64 bits; those of a file are usually 16 each."""
    values = array("Q")
    try:
        if set(map(len, texts)) - {16}:
            texts = [text.zfill(16) for text in texts]
        joined = bytes.fromhex("".join(texts))
    except ValueError:
        joined = b""
    if len(joined) != 8 * len(texts):
        document.fail("nodes: hash is not a number of at most 16 hexadecimal digits in an element")
    values.frombytes(joined)
    if array("H", [1]).tobytes() == b"\1\0":
        values.byteswap()
    return values
