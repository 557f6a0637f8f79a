"""The cost of tracing every call, and the size of the files. On tmpfs."""
import os
import pathlib
import shutil
import statistics
import struct
import subprocess
import tempfile

from common import HERE, compile_to, environment, row, skipped

TURNS = 7
SECONDS = 0.7   # per shape and turn
SUSTAINED = 10  # seconds of the one long run
SHAPES = ("leaf", "nest")  # goals; fib is a direct recursion, so a profile does not time its inner calls
CHUNK = struct.Struct("<4sHHQQIIQQQQ")
EVENTS = 3  # kind of chunk (src/core/record/trace_file.hpp)
WAITED, DROPPED = 6, 7  # kinds of record (src/core/record/trace_words.hpp)


def run_shape(program, library, folder, shape, seconds, traced, kill=True):
    variables = {"LD_PRELOAD": library, "VFTR_TREE_FILE_ACTIVE": "no", "VFTR_TIMING": "exact",
                 "VFTR_OVERHEAD_BUDGET": "0"}
    if traced:
        variables |= {"VFTR_SAMPLING_ACTIVE": "yes", "VFTR_SAMPLING_SAMPLE_INTERVAL": "0"}
    result = subprocess.run([program, shape, str(seconds), *(["kill"] if kill else [])], cwd=folder,
                            capture_output=True, text=True, env=environment(**variables))
    time, calls = result.stdout.split()
    return float(time), int(calls)


def trace_of(folder):
    traces = list(pathlib.Path(folder).glob("*.tmpvfd"))
    assert len(traces) == 1, traces
    return traces[0]


def losses(trace):
    """Waits and dropped events in the chunks of a trace."""
    waits = drops = 0
    with open(trace, "rb") as file:
        while len(header := file.read(CHUNK.size)) == CHUNK.size:
            _, _, kind, size, *_ = CHUNK.unpack(header)
            if kind != EVENTS:
                file.seek(size, os.SEEK_CUR)
                continue
            # Both are at the beginning of a piece, before its events; see packed_words.hpp.
            start = file.read(min(size, 96))
            file.seek(size - len(start), os.SEEK_CUR)
            at = 8
            while at + 9 <= len(start) and start[at] >> 1 & 3 == 3:
                word, = struct.unpack_from("<Q", start, at + 1)
                waits += word >> 2 & 63 == WAITED
                drops += word >> 2 & 63 == DROPPED
                at += 9 + 8 * (word >> 8 & 0xffffff)
    return waits, drops


def touch_memory(folder, gigabytes):
    """Uses memory once, because on a virtual machine memory that was never used comes from the host,
    at 0.4 GB/s, which is not what is measured here."""
    path = pathlib.Path(folder) / "memory"
    with open(path, "wb") as file:
        for _ in range(int(gigabytes * 1024)):
            file.write(bytes(1 << 20))
    path.unlink()


def measure(build, scratch):
    program = compile_to(scratch / "trace_calls", "g++", "-std=c++20", "-O2",
                         HERE / "trace_calls.cpp", "-finstrument-functions")
    library = build / ".libs" / "libvftrace.so"
    memory = pathlib.Path("/dev/shm")
    names = ["trace/every-call", "trace/every-call-10s", "trace/bytes-per-event"]
    if not memory.is_dir() or shutil.disk_usage(memory).free < 2 << 30:
        return [skipped(name, "there is no tmpfs with 2 GB of room") for name in names]
    times = {(shape, traced): [] for shape in (*SHAPES, "fib") for traced in (False, True)}
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        def once(shape, seconds, traced, kill=True):
            time, calls = run_shape(program, library, folder, shape, seconds, traced, kill)
            found = losses(trace_of(folder)) if traced and kill else (0, 0)
            for path in pathlib.Path(folder).iterdir():
                if kill:
                    path.unlink()
            return time, calls, found

        for _ in range(TURNS):
            for shape, traced in times:
                touch_memory(folder, 0.5)  # before each, because the host reclaims it
                times[shape, traced].append(once(shape, SECONDS, traced)[0])
        ratio = {shape: statistics.median(a / b for a, b in zip(times[shape, True],
                                                                times[shape, False]))
                 for shape in (*SHAPES, "fib")}
        print(f"\nns per call; median (minimum) of {TURNS} turns of {SECONDS} s")
        for (shape, traced), values in times.items():
            print(f"{shape:<6} {'traced' if traced else 'profile alone':<14}"
                  f"{statistics.median(values):8.2f} ({min(values):.2f})")
        print("recursion (fib), traced / profile alone: "
              f"{ratio['fib']:.2f}; a profile does not time inner calls")
        rows = [row("trace/every-call", max(ratio[shape] for shape in SHAPES), 1.3,
                    "x profile alone (worst shape)")]
        if shutil.disk_usage(memory).free < 12 << 30:
            rows.append(skipped("trace/every-call-10s", "there is no tmpfs with 12 GB of room"))
        else:
            touch_memory(folder, 9)
            alone = once("leaf", SUSTAINED / 4, False)[0]
            time, calls, (waits, drops) = once("leaf", SUSTAINED, True)
            alone = statistics.mean([alone, once("leaf", SUSTAINED / 4, False)[0]])
            print(f"{SUSTAINED} s: {calls / 1e6:.0f} million calls, {waits} waits, "
                  f"{drops} gaps by dropped events")
            rows.append(row("trace/every-call-10s", time / alone, 1.3,
                            f"x profile alone, {SUSTAINED} s without a dropped event"))
            rows[-1]["holds"] &= drops == 0
        _, calls, _ = once("leaf", 0.2, True, kill=False)
        size = next(pathlib.Path(folder).glob("*_0.vfd")).stat().st_size
        rows.append(row("trace/bytes-per-event", size / (2 * calls), 16.2, "bytes on disk"))
    return rows
