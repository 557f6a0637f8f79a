"""Reads many profiles, with several processes if there are many."""
from __future__ import annotations

import gc
import glob
import os
import pickle
import queue
import subprocess
import sys
import threading
from typing import Any, BinaryIO, Iterable, List, Optional, Sequence, Tuple, Union

from .batch import Batch, batch_of
from .document import LARGEST, no_collection_of_cycles
from .errors import ProfileError
from .runs import Runs

Files = Union[str, Iterable[Union[str, "os.PathLike[str]"]]]
Numbered = Tuple[int, str]

_FEW_BYTES = 16 << 20  # less is read by this process alone
_PART_BYTES = 8 << 20  # of files that a process reads at a time
_PART_FILES = 100
# Not a module of multiprocessing: processes of that start the script once more, or copy a notebook with its threads.
_WORKER = "import sys; sys.path[:] = {path!r}; from vftrace.many import work; work()"


def read_many(files: Files, processes: Optional[int] = None, strict: bool = False, largest: int = LARGEST) -> Runs:
    """Reads profiles into one table of all their call paths, with a column for the run.

    `files` are names, or a text with the wildcards of the shell ("runs/*_all.json"). Files that cannot be read are in `problems`
    of the result; with `strict`, the first one is raised. `processes` is the number of processes that read (default: all
    processors, if there is enough to read); 1 starts none."""
    names = sorted(glob.glob(files)) if isinstance(files, str) else [os.fsdecode(file) for file in files]
    numbered = list(enumerate(names))
    parts = _parts(numbered)
    count = min(_processes(parts) if processes is None else max(processes, 1), len(parts))
    batches = _with_processes([part for part, _ in parts], count, largest) if count > 1 and sys.executable else \
        _alone(numbered, largest)
    whole = Batch()
    for at in range(len(batches)):
        whole.join(batches[at])
        batches[at] = Batch()  # its memory is not needed any more
    if strict and whole.problems:
        raise ProfileError(whole.problems[0][1], whole.problems[0][2])
    return Runs(whole, names)


def _parts(files: Sequence[Numbered]) -> List[Tuple[List[Numbered], int]]:
    """Pieces of work, in the order of the files, and the number of bytes in each."""
    parts: List[Tuple[List[Numbered], int]] = []
    part: List[Numbered] = []
    size = 0
    for number, name in files:
        part.append((number, name))
        try:
            size += os.stat(name).st_size
        except OSError:
            pass  # whoever reads it reports that
        if size >= _PART_BYTES or len(part) >= _PART_FILES:
            parts.append((part, size))
            part, size = [], 0
    return [*parts, (part, size)] if part else parts


def _processes(parts: Sequence[Tuple[Any, int]]) -> int:
    if sum(size for _, size in parts) < _FEW_BYTES:
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _alone(files: Sequence[Numbered], largest: int) -> List[Batch]:
    with no_collection_of_cycles():
        return [batch_of(files, largest)]


def work() -> None:
    """What a process does: reads lists of files from its standard input, writes batches to its standard output."""
    gc.disable()
    requests, replies = sys.stdin.buffer, sys.stdout.buffer
    while True:
        try:
            files, largest = pickle.load(requests)
        except EOFError:
            return
        pickle.dump(batch_of(files, largest), replies, protocol=4)
        replies.flush()


class _Worker(threading.Thread):
    """Passes pieces of work to one process, and keeps what it answers."""

    def __init__(self, todo: "queue.SimpleQueue[Tuple[int, List[Numbered]]]", batches: List[Optional[Batch]],
                 largest: int) -> None:
        super().__init__(daemon=True)
        self.todo, self.batches, self.largest = todo, batches, largest
        self.process = subprocess.Popen([sys.executable, "-c", _WORKER.format(path=sys.path)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)

    def run(self) -> None:
        requests, replies = self.process.stdin, self.process.stdout
        assert requests is not None and replies is not None
        try:
            while True:
                at, files = self.todo.get_nowait()
                self.batches[at] = self._answer(files, requests, replies)  # type: ignore[arg-type]
        except (queue.Empty, OSError, EOFError, pickle.UnpicklingError):
            pass  # the process has ended: its pieces are missing, which read_many() notices
        finally:
            requests.close()
            replies.close()
            self.process.wait()

    def _answer(self, files: List[Numbered], requests: BinaryIO, replies: BinaryIO) -> Batch:
        pickle.dump((files, self.largest), requests, protocol=4)
        requests.flush()
        batch: Batch = pickle.load(replies)
        return batch


def _with_processes(parts: List[List[Numbered]], count: int, largest: int) -> List[Batch]:
    todo: "queue.SimpleQueue[Tuple[int, List[Numbered]]]" = queue.SimpleQueue()
    for piece in enumerate(parts):
        todo.put(piece)
    batches: List[Optional[Batch]] = [None] * len(parts)
    workers: List[_Worker] = []
    try:
        for _ in range(count):
            workers.append(_Worker(todo, batches, largest))
    except OSError:
        pass  # no more processes are allowed: those that there are do it
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return [_alone(part, largest)[0] if batch is None else batch for part, batch in zip(parts, batches)]
