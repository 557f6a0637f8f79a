"""The identity of a call path, the same in every run (doc/profile-json.md: `hash`), computed from its names."""
from __future__ import annotations

from typing import Sequence

_WORD = 0xFFFFFFFF
MOST_LEVELS = 256  # of which the names are hashed; deeper paths are hashed from the hash of their caller's path


def _one_at_a_time(text: bytes) -> int:
    """R. J. Jenkins, Hash functions, Dr. Dobb's Journal 22 (1997)."""
    value = 0
    for byte in text:
        value = (value + byte) & _WORD
        value = (value + (value << 10)) & _WORD
        value ^= value >> 6
    value = (value + (value << 3)) & _WORD
    value ^= value >> 11
    return (value + (value << 15)) & _WORD


def _scrambled(block: int) -> int:
    block = block * 0xCC9E2D51 & _WORD
    block = (block << 15 | block >> 17) & _WORD
    return block * 0x1B873593 & _WORD


def _murmur3(text: bytes, value: int) -> int:
    """MurmurHash3_x86_32 (A. Appleby, 2011)."""
    whole = len(text) // 4 * 4
    for at in range(0, whole, 4):
        value ^= _scrambled(int.from_bytes(text[at:at + 4], "little"))
        value = (value << 13 | value >> 19) & _WORD
        value = (value * 5 + 0xE6546B64) & _WORD
    if whole < len(text):
        value ^= _scrambled(int.from_bytes(text[whole:], "little"))
    value ^= len(text)
    value ^= value >> 16
    value = value * 0x85EBCA6B & _WORD
    value ^= value >> 13
    value = value * 0xC2B2AE35 & _WORD
    return value ^ value >> 16


def _of_text(text: str) -> int:
    encoded = text.encode() + b"\0"
    return _one_at_a_time(encoded) << 32 | _murmur3(encoded, 0x5C0940E9)


def path_hash(names: Sequence[str]) -> int:
    """Of the names of a path, from the leaf to the root."""
    first = max(len(names) - MOST_LEVELS, 0)
    value = _of_text("<".join(names[first:]))
    for name in reversed(names[:first]):
        value = _of_text(f"{name}<{value:016x}")
    return value
