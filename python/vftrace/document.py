"""The JSON text of one profile: read, parsed and checked to be of the format and version that this module knows.

Nothing in the file is trusted. Whatever is wrong with it becomes a ProfileError with the file's name.
"""
from __future__ import annotations

import contextlib
import gc
import gzip
import json
import os
import re
import stat
import zlib
from typing import Any, BinaryIO, Dict, Iterator, List, NoReturn, Optional, Tuple, Union, cast

from .errors import ProfileError, printable

try:
    import orjson
    if [int(part) for part in orjson.__version__.split(".")[:3]] < [3, 9, 15]:
        raise ImportError("deep nesting ends older versions with a segmentation fault (CVE-2024-27454)")
except (ImportError, ValueError):
    orjson = None

FORMAT = "vftrace-profile"
VERSION = 1
LARGEST = 4 << 30  # bytes of text, after decompression

Text = Union[bytes, bytearray]
Source = Union[str, "os.PathLike[str]", BinaryIO]

_START = 1 << 16
_PIECE = 1 << 24
_GZIP = b"\x1f\x8b"
_MARK = b"\xef\xbb\xbf"  # byte order mark
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")


class Document:
    """A parsed profile, and the name by which errors call it."""

    def __init__(self, name: str, data: Dict[str, Any], path: Optional[str] = None,
                 stamp: Optional[Tuple[int, int]] = None) -> None:
        self.name = name
        self.data = data
        self.path = path  # of the file, if it is one that other programs can read
        self.stamp = stamp  # its size and time of change then

    def fail(self, reason: str) -> NoReturn:
        raise ProfileError(self.name, reason)

    def member(self, place: str) -> Any:
        """The value at a place such as "gpu.work"; None if there is none."""
        value: Any = self.data
        for at, key in enumerate(place.split(".")):
            if value is None:
                return None
            if not isinstance(value, dict):
                self.fail(f"{'.'.join(place.split('.')[:at])} is not an object")
            value = value.get(key)
        return value

    def objects(self, place: str) -> List[Dict[str, Any]]:
        """The list of objects at a place; empty if it is absent."""
        value = self.member(place)
        if value is None:
            return []
        if not isinstance(value, list):
            self.fail(f"{place} is not a list")
        if not set(map(type, value)) <= {dict}:
            self.fail(f"{place} has an element that is not an object")
        return value

    def is_unchanged(self) -> bool:
        """Whether the file still is the one that was read."""
        if self.path is None:
            return False
        try:
            return self.stamp == stamp_of(os.stat(self.path))
        except OSError:
            return False


def stamp_of(status: os.stat_result) -> Tuple[int, int]:
    return status.st_size, status.st_mtime_ns


def load(source: Source, largest: int = LARGEST, only_regular: bool = False) -> Document:
    """Reads a file by its name, or a file that is open for reading bytes. Raises OSError if it cannot be read."""
    if hasattr(source, "read"):
        name = getattr(source, "name", None)
        name = name if isinstance(name, str) else "<file>"
        text, _ = read_all(name, cast(BinaryIO, source), largest)
        return Document(name, parsed(name, text))
    name = os.fsdecode(source)
    if only_regular and not stat.S_ISREG(os.stat(name).st_mode):
        raise ProfileError(name, "is not a regular file")
    with open(name, "rb", buffering=0) as file:
        stamp = stamp_of(os.fstat(file.fileno()))
        text, packed = read_all(name, cast(BinaryIO, file), largest, stamp[0])
    data = parsed(name, text)
    return Document(name, data) if packed else Document(name, data, os.path.abspath(name), stamp)


def read_all(name: str, file: BinaryIO, largest: int, size: Optional[int] = None) -> Tuple[Text, bool]:
    """The whole text, and whether it was compressed. Files that cannot be a profile are not read to their end. `size` is that
    of the file, if it is known."""
    wanted = _START if size is None or size > _PIECE else size
    start = file.read(wanted + 1) or b""
    if isinstance(start, str):
        raise TypeError("a profile must be opened for reading bytes: open(name, \"rb\")")
    if not start:
        raise ProfileError(name, "is empty")
    packed = start[:2] == _GZIP
    if packed:
        start, file = b"", gzip.GzipFile(fileobj=cast(Any, _Rest(start, file)), mode="rb")  # type: ignore[assignment]
    elif len(start) == size and size <= largest:
        check_start(name, start)
        return start, packed  # without a copy
    text = bytearray(start)
    try:
        while True:
            if len(text) > largest:
                raise ProfileError(name, f"has more than {largest:,} bytes; read(..., largest=N) sets another limit")
            piece = file.read(min(_PIECE, largest + 1 - len(text)))
            if len(text) <= _START + 1:
                check_start(name, text or piece)
            if not piece:
                return text, packed
            text += piece
    except MemoryError:
        raise ProfileError(name, "needs more memory than there is") from None
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise ProfileError(name, "is damaged: it cannot be decompressed") from None


def check_start(name: str, text: Text) -> None:
    start = bytes(text[:_START])
    if not (start[len(_MARK):] if start.startswith(_MARK) else start).lstrip().startswith(b"{"):
        raise ProfileError(name, "is not a profile: that is the file that ends in _all.json, not the log or the trace")


class _Rest:
    """A file whose first bytes were read already."""

    def __init__(self, start: bytes, file: BinaryIO) -> None:
        self.start = start
        self.file = file

    def read(self, size: int = -1) -> bytes:
        if not self.start:
            return self.file.read(size)
        size = size if size >= 0 else len(self.start)
        piece, self.start = self.start[:size], self.start[size:]
        return piece


def parsed(name: str, text: Text) -> Dict[str, Any]:
    """The JSON object, if it is a profile of the version that is read here."""
    try:
        with no_collection_of_cycles():
            data = value_of(text)
    except RecursionError:
        raise ProfileError(name, "is not a profile: it is nested too deeply") from None
    except MemoryError:
        raise ProfileError(name, "needs more memory than there is") from None
    except ValueError as error:
        line = getattr(error, "lineno", None)
        raise ProfileError(name, f"is not valid JSON: {f'error in line {line}' if line else error}") from None
    if not isinstance(data, dict):
        raise ProfileError(name, "is JSON, but not a vftrace profile")
    found = data.get("format")
    if found != FORMAT:
        is_ours = isinstance(found, str) and found.startswith("vftrace-")
        raise ProfileError(name, f"is of the format {printable(found, 40)}, but only profiles are read here" if is_ours
                           else "is JSON, but not a vftrace profile")
    version = data.get("version")
    if type(version) is not int or version != VERSION:
        raise ProfileError(name, f"has version {printable(version, 40)} of the profile format, but this module reads version "
                                 f"{VERSION}")
    return data


@contextlib.contextmanager
def no_collection_of_cycles() -> Iterator[None]:
    """The collector would visit all objects of a document again and again while it is read, and find nothing."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def value_of(text: Text) -> Any:
    """The value of a JSON text."""
    if text.startswith(_MARK):
        text = text[len(_MARK):]
    try:
        return parse(text)
    except ValueError:
        try:
            text.decode()
        except UnicodeDecodeError:  # bytes that are not UTF-8 are read as U+FFFD, as by the command
            return parse(text.decode("utf-8", "replace").encode())
        raise


def parse(text: Text) -> Any:
    """With the faster parser if it is installed. Both accept and refuse the same."""
    if orjson is not None:
        return orjson.loads(text)
    value = _DECODER.decode(text.decode())
    if b"\\" in text and _HALF.search(text):  # there are escapes of halves of characters: refused unless all are in pairs
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise ValueError("half of a character") from None
    return value


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a JSON number")


_DECODER = json.JSONDecoder(parse_constant=_refuse)
