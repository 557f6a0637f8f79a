"""What can go wrong: each message is one line that says what is wrong with which thing."""
from __future__ import annotations

import re
from typing import Match

# What a terminal or a browser would obey instead of showing it: control characters, those that change the direction of the
# text around them, separators of lines and paragraphs, halves of characters, and what XML does not allow.
_OBEYED = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
_SHORT = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}


def _visible(match: Match[str]) -> str:
    character = match[0]
    if character in _SHORT:
        return _SHORT[character]
    return f"\\x{ord(character):02x}" if character < "\x80" else f"\\u{ord(character):04x}"


def printable(text: object, longest: int = 0) -> str:
    """Text from a file in a form that one line can show; with `longest`, the middle of a longer one is left out."""
    shown = _OBEYED.sub(_visible, str(text))
    if 0 < longest < len(shown):
        half = (longest - 1) // 2
        shown = f"{shown[:longest - 1 - half]}\u2026{shown[len(shown) - half:]}"
    return shown


class ProfileError(ValueError):
    """The file is not a profile that this module reads. `file` is its name, `reason` what is wrong with it."""

    def __init__(self, file: str, reason: str) -> None:
        super().__init__(file, reason)
        self.file = file
        self.reason = reason

    def __str__(self) -> str:
        return f"{printable(self.file, 400)}: {self.reason}"


class NoTable(KeyError):
    """The profile does not have the table, or the table does not have the column."""

    def __str__(self) -> str:
        return str(self.args[0])


class ToolError(RuntimeError):
    """The command `vftrace` was not found, or could not do what was asked."""


class MissingPackage(ImportError):
    """A Python package that the function returns a type of is not installed."""

    def __init__(self, package: str, instead: str) -> None:
        super().__init__(f"this needs {package}: install it with \"python3 -m pip install {package}\"; without it, {instead}",
                         name=package)
