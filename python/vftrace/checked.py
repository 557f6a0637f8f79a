"""Columns of lists of JSON objects, taken out and checked in one step for all rows, because profiles have many."""
from __future__ import annotations

from typing import Any, Dict, Iterable, List, Optional, Sequence, Set

from .document import Document
from .errors import printable
from .schema import REQUIRED, Column

_LEAST, _MOST = -(1 << 63), (1 << 64) - 1
_NONE: type = type(None)
_TYPES: Dict[str, Set[type]] = {"whole": {int}, "number": {int, float, _NONE}, "text": {str}, "yes": {bool}, "list": {list}}
_WORDS = {"whole": "a whole number", "number": "a number", "text": "a text", "yes": "true or false", "list": "a list"}
_MISSING = object()


def member_of(rows: Sequence[Dict[str, Any]], name: str, absent: Any) -> List[Any]:
    """The member `name`, or `object.member`, of each row."""
    outer, _, inner = name.partition(".")
    values = [row.get(outer, absent) for row in rows]
    for name in inner.split(".") if inner else ():
        values = [value.get(name, absent) if type(value) is dict else absent if value is absent or value is None else _MISSING
                  for value in values]
    return values


def check_type(document: Document, place: str, name: str, kind: str, values: Sequence[Any], absent: Any) -> None:
    """Fails unless all values have the type, or are what stands for an absent key."""
    types = set(map(type, values))
    wrong = types - _TYPES[kind] - ({type(absent)} if absent is not REQUIRED else set())
    if wrong:
        has_missing = _MISSING in values or REQUIRED in values
        document.fail(f"{place}: an element does not have {name!r}" if has_missing
                      else f"{place}: {name} is not {_WORDS[kind]} in an element")
    if int in types:
        if not _in_64_bits(values if types == {int} else [value for value in values if type(value) is int]):
            document.fail(f"{place}: {name} does not fit into 64 bits in an element")


def _in_64_bits(numbers: Sequence[int]) -> bool:
    return not numbers or (_LEAST <= min(numbers) and max(numbers) <= _MOST)


def column(document: Document, place: str, rows: Sequence[Dict[str, Any]], described: Column) -> List[Any]:
    """One column of a list at a place of the schema. Numbers that are not finite are None: they are not known."""
    values = member_of(rows, described.name, described.absent)
    if described.type == "any":
        if REQUIRED in values:
            document.fail(f"{place}: an element does not have {described.name!r}")
        return values
    check_type(document, place, described.name, described.type, values, described.absent)
    return finite(values) if described.type == "number" else values


def finite(values: List[Any]) -> List[Any]:
    """JSON readers make infinity of a number such as 1e999."""
    return [value if type(value) is not float or value - value == 0 else None for value in values]


def check_positions(document: Document, place: str, name: str, values: Sequence[Optional[int]], length: int) -> None:
    known = [value for value in values if value is not None]
    if known and not (0 <= min(known) and max(known) < length):
        document.fail(f"{place}: {name} is not the position of an element")


def numbers_of(document: Document, place: str, value: Any) -> List[Any]:
    """A list of numbers inside an element."""
    check_type(document, place, "list", "list", [value], REQUIRED)
    if not set(map(type, value)) <= {int, float, _NONE} or not _in_64_bits([number for number in value if type(number) is int]):
        document.fail(f"{place} has an element that is not a number")
    return finite(value)


def other_keys(rows: Sequence[Dict[str, Any]], known: Iterable[str]) -> List[str]:
    """Keys that the schema does not have, in the order in which they appear: a later version of vftrace has written them."""
    found = set().union(*rows) if rows else set()
    left = found - {name.partition(".")[0] for name in known}
    if not left:
        return []
    order: Dict[str, None] = {}
    for row in rows:
        order.update((key, None) for key in row if key in left)
    return list(order)


def shown(value: object) -> str:
    return printable(value, 60)
