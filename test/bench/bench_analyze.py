"""How fast traces are analysed for wait states, and a check that memory does not grow with their size."""
import struct
import subprocess
import sys

sys.path.insert(0, str(__import__("pathlib").Path(__file__).resolve().parents[1] / "shared"))

from bench_export import GROWTH_MIB, at_least, run  # noqa: E402
from common import skipped  # noqa: E402
from vfd_files import MPI, RECEIVE, SEND, Vfd, packed  # noqa: E402

NAME = "analyze/events"
GOAL = 5e6  # per second
RANKS = 4
TURNS = 400_000  # of each rank
US = 1000


class Counted(list):
    """Samples that are held in few pieces of memory."""
    count = 0

    def __len__(self):
        return self.count


class Trace(Vfd):
    operations_bytes = b""

    def operations_section(self):
        return self.operations_bytes


def write_trace(path, rank, turns):
    """In each turn, rank 0 waits for a message from the next rank, which computes longer, and so on:
    there are as many waits as turns. Returns the number of events."""
    vfd = Trace(rank=rank, processes=RANKS, runtime_s=turns * 20e-6 + 1e-3)
    main = vfd.stack(0, "main")
    work = vfd.stack(main, "work")
    leaves = [vfd.stack(work, "leaf"), vfd.stack(work, "other_leaf")]
    send, receive = vfd.stack(main, "MPI_Send", MPI), vfd.stack(main, "MPI_Recv", MPI)
    vfd.communicator(1, RANKS)
    turn = [(0, work, 0), (0, leaves[0], 1), (1, leaves[0], 2), (0, leaves[1], 3),
            (1, leaves[1], 4), (1, work, 5)]
    operations = b""
    latest = 0
    if rank > 0:
        turn += [(0, send, 6 + 2 * rank), (1, send, 7 + 2 * rank)]
        start = (6 + 2 * rank) * US
        operations += packed(SEND, start - latest, US, send, 0, 0, rank - 1 + 1, 0, 8)
        latest = start
    if rank < RANKS - 1:
        begin = 8 + 2 * rank if rank else 6
        turn += [(0, receive, begin), (1, receive, 11 + 2 * rank)]
        operations += packed(RECEIVE, begin * US - latest, (11 + 2 * rank - begin) * US, receive, 0,
                             0, rank + 1 + 1, 0, 8)
        latest = begin * US
    first = operations
    # In further turns, the time of the first operation is relative to the last one of the previous turn.
    lead = len(packed(SEND))
    between = 20 * US - latest + (turn[6][2] * US)
    rest = first[lead + len(packed(turn[6][2] * US)):]
    again = first[:lead] + packed(between) + rest
    vfd.operations_bytes = first + again * (turns - 1)

    samples = Counted()
    block = struct.Struct("=" + "iiq" * len(turn) * 1000)
    for start in range(0, turns, 1000):
        numbers = []
        for i in range(start, start + 1000):
            for kind, stack, us in turn:
                numbers += (kind, stack, (20 * i + us) * US)
        samples.append(block.pack(*numbers))
    samples.count = len(turn) * turns
    vfd.samples[0] = samples
    path.write_bytes(vfd.bytes())
    return samples.count + (len(turn) - 6) // 2 * turns


def measure(build, scratch):
    command = build / "vftrace"
    if not command.exists() or "  analyze " not in subprocess.run(
            [command, "--help"], capture_output=True, text=True).stdout:
        return [skipped(NAME, "there is no vftrace analyze")]
    folders = [scratch / name for name in ("analyze_large", "analyze_small")]
    try:
        events = []
        for folder, turns in zip(folders, (TURNS, TURNS // 10)):
            folder.mkdir(exist_ok=True)
            events.append(sum(write_trace(folder / f"program_{rank}.vfd", rank, turns)
                              for rank in range(RANKS)))
        seconds, mib = min(run([str(command), "analyze", *sorted(folders[0].iterdir())],
                               "/dev/null") for _ in range(3))
        _, small_mib = run([str(command), "analyze", *sorted(folders[1].iterdir())], "/dev/null")
        # Waits get 16 MiB before they go to a file, whose pages also count while they are used.
        waits_mib = (RANKS - 1) * TURNS * 48 / 2**20
        if mib > small_mib + GROWTH_MIB + 2 * waits_mib:
            raise SystemExit(f"{NAME}: {mib:.0f} MiB for {events[0]} events, {small_mib:.0f} MiB "
                             "for a tenth of them")
        return [at_least(NAME, events[0] / seconds, GOAL)]
    finally:
        for folder in folders:
            for path in folder.glob("*"):
                path.unlink()
            folder.rmdir()
