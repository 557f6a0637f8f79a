"""How fast traces are read and exported, and a check that memory does not grow with their size."""
import os
import struct
import subprocess
import sys

sys.path.insert(0, str(__import__("pathlib").Path(__file__).resolve().parents[1] / "shared"))

from common import environment, row, skipped  # noqa: E402
from vfd_files import Vfd  # noqa: E402

SAMPLES = 20_000_000
GROWTH_MIB = 16  # the allowed difference in memory between a file and one with a tenth of its samples
# name, goal in events per second, arguments
COMMANDS = (("export/perfetto-events-per-s", 5e6, ("export", "--format", "perfetto", "-o")),
            ("export/chrome-events-per-s", 1e6, ("export", "--format", "chrome", "-o")),
            ("dump/events-per-s", 3e6, ("dump",)))


def write_trace(path, samples):
    """Calls of four functions, three deep, a microsecond apart."""
    vfd = Vfd(runtime_s=samples * 1e-6)
    main = vfd.stack(0, "main")
    work = vfd.stack(main, "work")
    leaves = [vfd.stack(work, "leaf"), vfd.stack(work, "other_leaf")]
    one_turn = [(0, work), (0, leaves[0]), (1, leaves[0]), (0, leaves[1]), (1, leaves[1]),
                (1, work)]
    # Blocks are written one at a time, because a list of all samples would not fit into memory.
    turns = 4000
    layout = struct.Struct("=" + "iiq" * len(one_turn) * turns)
    block_samples = len(one_turn) * turns
    blocks = samples // block_samples
    vfd.samples[0] = [b"", b""]
    head, tail = split_at_samples(vfd, blocks * block_samples)
    with path.open("wb") as file:
        file.write(head)
        for block in range(blocks):
            numbers = []
            for i in range(block_samples):
                numbers += (*one_turn[i % len(one_turn)], (block * block_samples + i) * 1000)
            file.write(layout.pack(*numbers))
        file.write(tail)
    return blocks * block_samples


def split_at_samples(vfd, count):
    """The bytes of the file before and after `count` samples."""
    vfd.samples[0] = []
    empty = bytearray(vfd.bytes())
    numbers = empty.index(b"\0" + struct.pack("=qiii", 0, 1, 0, 1)) + 1
    begin = struct.unpack_from("=q", empty, numbers + 48)[0]
    struct.pack_into("=I", empty, numbers + 28, count)
    for offset in range(56, 80, 8):  # of the tables
        value = struct.unpack_from("=q", empty, numbers + offset)[0]
        struct.pack_into("=q", empty, numbers + offset, value + 16 * count)
    value = struct.unpack_from("=q", empty, len(empty) - 16)[0]
    struct.pack_into("=q", empty, len(empty) - 16, value + 16 * count)
    # The section of threads contains the number of samples of each thread.
    threads = empty.index(struct.pack("=iiIQ", -1, 4000, 0, 0))
    struct.pack_into("=Q", empty, threads + 12, count)
    return bytes(empty[:begin]), bytes(empty[begin:])


def run(command, output):
    """Seconds of processor time, and the peak of memory in MiB."""
    pid = os.posix_spawn(command[0], [str(word) for word in command], environment(),
                         file_actions=[(os.POSIX_SPAWN_OPEN, 1, str(output),
                                        os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)])
    _, status, usage = os.wait4(pid, 0)
    if status != 0:
        raise subprocess.CalledProcessError(status, command)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def measure(build, scratch):
    command = build / "vftrace"
    if not command.exists():
        return [skipped(name, "built without the vftrace command") for name, _, _ in COMMANDS]
    large, small = scratch / "large.vfd", scratch / "small.vfd"
    rows = []
    try:
        samples = write_trace(large, SAMPLES)
        write_trace(small, SAMPLES // 10)
        printed = subprocess.run([command, "--help"], capture_output=True, text=True).stdout
        for name, goal, arguments in COMMANDS:
            if f"  {arguments[0]} " not in printed:
                rows.append(skipped(name, f"there is no vftrace {arguments[0]}"))
                continue
            words = [str(command), *arguments, *(["/dev/null"] if arguments[-1] == "-o" else [])]
            seconds, mib = min(run([*words, large], "/dev/null") for _ in range(3))
            _, small_mib = run([*words, small], "/dev/null")
            if mib > small_mib + GROWTH_MIB:
                raise SystemExit(f"{name}: {mib:.0f} MiB for {samples} samples, {small_mib:.0f} "
                                 "MiB for a tenth of them")
            rows.append(at_least(name, samples / seconds, goal))
    finally:
        for path in (large, small):
            path.unlink(missing_ok=True)
    return rows


def at_least(name, value, goal):
    """A goal from below; the other goals are upper limits."""
    return {**row(name, value, goal, "1/s, at least"), "holds": value >= goal}
