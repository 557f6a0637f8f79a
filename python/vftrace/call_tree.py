"""The part of a profile that everything else needs: which call paths there are, with calls and times, checked when it is read."""
from __future__ import annotations

from array import array
from operator import add, gt, itemgetter, lt
from typing import Any, Dict, List, Sequence, Union

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

Numbers = Union["array[int]", List[int]]  # a list if there are numbers of more than 63 bits


class Core:
    """Columns of the call paths, by their position in the file. The caller of the first one is -1."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.run: Dict[str, Any] = self._run()
        self.functions = document.objects("functions")
        self.kinds = self._texts("kind")
        self.names = self._texts("name")
        self.displays = self._texts("display")
        self.nodes = document.objects("nodes")
        self.count = len(self.nodes)
        if self._values("id") != list(range(self.count)):
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
        self.exclusive_error_ns = self._numbers("exclusive_error_ns", [node.get("exclusive_error_ns", 0) for node in self.nodes])
        self.is_sampled = bool(self.run.get("sample_period_ns"))
        self.states = self._states()

    @property
    def samples(self) -> Numbers:
        return self._numbers("samples", [node.get("samples", 0) for node in self.nodes])

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

    def _values(self, key: str) -> List[Any]:
        try:
            return list(map(itemgetter(key), self.nodes))
        except KeyError:
            self.document.fail(f"nodes: an element does not have {key!r}")

    def _column(self, key: str) -> Numbers:
        return self._numbers(key, self._values(key))

    def _numbers(self, key: str, values: List[Any]) -> Numbers:
        """The conversion to an array is also the fastest check."""
        try:
            return array("q", values)
        except TypeError:
            self.document.fail(f"nodes: {key} is not a whole number in an element")
        except OverflowError:
            check_type(self.document, "nodes", key, "whole", values, REQUIRED)
            return values

    def _parents(self) -> Numbers:
        """Of all but the first one the position of an earlier one."""
        values = self._values("parent")
        if values and values[0] is not None:
            self.document.fail("nodes: the parent of the first one is not null")
        if values:
            values[0] = -1
        parents = self._numbers("parent", values)
        if parents and (min(parents) < -1 or parents.count(-1) != 1 or not all(map(lt, parents, range(self.count)))):
            self.document.fail("nodes: parent is not the position of an earlier element")
        return parents

    def _states(self) -> "array[int]":
        states = array("H", bytes(2 * self.count))
        lists = [node.get("flags") for node in self.nodes]
        if lists.count(None) < self.count:
            for i, flags in enumerate(lists):
                if flags is not None:
                    states[i] = self._state_of_flags(flags)
        for i, is_more in enumerate(self._more_subtracted()):
            if is_more and not states[i] & CLOCK_AND_SAMPLES and "raw_exclusive_ns" in self.nodes[i]:
                states[i] |= UNCERTAIN
        if "pause" in self.kinds:
            for i, function in enumerate(self.function_of):
                if self.kinds[function] == "pause":
                    states[i] |= PAUSED
        if self.calls.count(0) > 0:
            for i, calls in enumerate(self.calls):
                if calls == 0 and (self.is_sampled or self.nodes[i].get("samples", 0)):
                    states[i] |= CALLS_UNKNOWN | FROM_SAMPLES
        return states

    def _more_subtracted(self) -> List[bool]:
        """Whether more than half of the time as measured was subtracted; empty if that is so for none."""
        try:
            raw = [node.get("raw_exclusive_ns", 0) for node in self.nodes]
            more = list(map(gt, raw, map(add, self.exclusive_ns, self.exclusive_ns)))
        except TypeError:
            self.document.fail("nodes: raw_exclusive_ns is not a whole number in an element")
        return more if True in more else []

    def _state_of_flags(self, flags: Any) -> int:
        if type(flags) is not list or not set(map(type, flags)) <= {str}:
            self.document.fail("nodes: flags is not a list of texts in an element")
        state = 0
        for flag in flags:
            state |= _FLAGS.get(flag, 0)
        if state & CALLS_AT_LEAST and not state & CLOCK_AND_SAMPLES:
            state |= FROM_SAMPLES
        return state

    def hashes(self) -> "array[int]":
        """The hashes as numbers."""
        texts = self._values("hash")
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
