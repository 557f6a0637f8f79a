"""What only the command `vftrace` computes: findings, source lines, and every other table that it prints."""
from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
from typing import Any, Dict, Iterator, List, Optional, Sequence

from .document import Document, value_of
from .errors import ToolError, printable
from .table import Make, Table

VARIABLE = "VFTRACE_COMMAND"


def command_of(command: Optional[str] = None) -> str:
    """The argument, or else the variable VFTRACE_COMMAND, or else `vftrace` in PATH."""
    wanted = command or os.environ.get(VARIABLE) or "vftrace"
    found = shutil.which(wanted)
    if found is None:
        raise ToolError(f"the command {printable(wanted, 200)} was not found: give it as command=..., in the variable "
                        f"{VARIABLE}, or add its folder to PATH")
    return found


@contextlib.contextmanager
def file_of(document: Document) -> Iterator[str]:
    """A file with what was read: the file itself, unless it has changed since or cannot be read by the command."""
    if document.is_unchanged():
        assert document.path is not None
        yield document.path
        return
    with tempfile.TemporaryDirectory(prefix="vftrace-") as folder:
        base = os.path.basename(document.name)
        base = base[:-3] if base.endswith(".gz") else base
        name = os.path.join(folder, base if base.endswith(".json") else "profile.json")
        with open(name, "w", encoding="utf-8") as file:
            json.dump(document.data, file, ensure_ascii=False)
        yield name


def output_of(command: Optional[str], words: Sequence[str], timeout: float) -> str:
    """What the command prints; a ToolError with its message if it fails."""
    program = command_of(command)
    try:
        result = subprocess.run([program, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                timeout=timeout)
    except subprocess.TimeoutExpired:
        raise ToolError(f"{program} {words[0]} has not ended within {timeout:g} s") from None
    except OSError as error:
        raise ToolError(f"{program}: {error.strerror}") from None
    if result.returncode != 0:
        said = result.stderr.decode("utf-8", "replace").strip().splitlines()
        raise ToolError(printable(said[-1] if said else f"{program} ended with status {result.returncode}", 1000))
    return result.stdout.decode("utf-8", "replace")


def report(document: Document, table: str, options: Sequence[str], command: Optional[str], timeout: float) -> List[Table]:
    """The tables that `vftrace report --table` prints."""
    words = ["report", "--table", table, "--format", "json", "--full-names", "--all", *options, "--"]
    with file_of(document) as name:
        text = output_of(command, [*words, name], timeout)
    return [_table(described, name, document.name) for described in _parsed(text).get("tables", [])]


def _parsed(text: str) -> Dict[str, Any]:
    try:
        value = value_of(text.encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise ToolError("the command vftrace has not printed JSON: is it of another version?")
    return value


def _table(described: Dict[str, Any], read: str, named: str) -> Table:
    """Columns `x` with estimates or lower bounds have a column `x_are` next to them: exact, estimated, at least. Commands in the
    text have the name that the user gave the file, not that of a copy."""
    rows = described["rows"]
    makers: Dict[str, Make] = {}
    for at, column in enumerate(described["columns"]):
        makers[column["id"]] = lambda at=at: [_value(row[at], read, named) for row in rows]  # type: ignore[misc]
        if any(type(row[at]) is dict for row in rows):
            makers[column["id"] + "_are"] = lambda at=at: [_kind(row[at]) for row in rows]  # type: ignore[misc]
    return Table(described["id"], len(rows), makers)


def _value(cell: Any, read: str, named: str) -> Any:
    if isinstance(cell, str):
        return cell.replace(read, named)
    return cell.get("about", cell.get("at_least")) if isinstance(cell, dict) else cell


def _kind(cell: Any) -> Optional[str]:
    if isinstance(cell, dict):
        return "estimated" if "about" in cell else "at least"
    return None if cell is None else "exact"


def grade(document: Document, command: Optional[str], timeout: float) -> str:
    """good, fair or poor."""
    with file_of(document) as name:
        brief = _parsed(output_of(command, ["report", "--brief", "--format", "json", "--", name], timeout))
    found = brief.get("quality", {}).get("grade") if isinstance(brief.get("quality"), dict) else None
    if not isinstance(found, str):
        raise ToolError("the command vftrace has not printed a grade: is it of another version?")
    return found
