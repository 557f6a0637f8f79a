#!/usr/bin/env python3
"""On a machine with an NVIDIA GPU: compares profiles of real CUDA programs with what the programs really did.

    real.py --build DIR

Bytes and counts must be exact, kernel times within 5 % of CUDA's events, and a loop of empty kernels
at most 1.1 times as long as with a client of CUPTI that does nothing. Where PyTorch is installed, the kernels
and copies of a program of its are those that its own profiler finds. Prints a line PASS or FAIL for each.
"""
import argparse
import collections
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TURNS, LAUNCHES = 9, 100000
failures = 0


def check(holds, what):
    global failures
    failures += not holds
    print(("PASS " if holds else "FAIL ") + what, flush=True)


def compile_program(folder, name, *flags):
    command = ["nvcc", "-O2", "-g", "-Xcompiler", "-finstrument-functions", *flags,
               str(HERE / "real.cu"), "-o", str(folder / name)]
    result = subprocess.run(command, capture_output=True, text=True)
    return folder / name if result.returncode == 0 else print(result.stderr)


def run(program, folder, *arguments, **variables):
    return subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True,
                          env={**os.environ, **{key: str(value)
                                                for key, value in variables.items()}})


def expectations(text):
    """Counts and bytes of copies, counts of kernels, their time by events."""
    bytes_of, kernels, times = collections.Counter(), collections.Counter(), {}
    for line in text.splitlines():
        what, *words = line.split()
        if what == "bytes":
            bytes_of[words[0], "count"] += int(words[1])
            bytes_of[words[0], "bytes"] += int(words[2])
        elif what == "kernels":
            kernels[words[0]] += int(words[1])
        elif what == "time":
            times[words[0]] = float(words[1]) * 1e6
    return bytes_of, kernels, times


def check_profile(name, program, library):
    with tempfile.TemporaryDirectory() as folder:
        alone = run(program, folder)
        result = run(program, folder, LD_PRELOAD=library, VFTR_OVERHEAD_BUDGET=0)
        check(result.returncode == alone.returncode == 0 and result.stderr == alone.stderr,
              f"{name}: the program runs as it does alone {result.stderr.strip()}")
        files = list(pathlib.Path(folder).glob("*_all.json"))
        if len(files) != 1:
            check(False, f"{name}: there is a profile")
            return
        profile = json.loads(files[0].read_text())
    bytes_of, kernels, times = expectations(result.stdout)
    found_bytes, found_kernels = collections.Counter(), collections.Counter()
    found_ns, migrated = collections.Counter(), 0
    for work in profile.get("gpu", {}).get("work", []):
        if work["work"] == "kernel":
            kernel = profile["functions"][work["function"]]["display"]
            found_kernels[kernel] += work["count"]
            found_ns[kernel] += work["time_ns"]
        elif work["work"].startswith("migrated"):
            migrated += work["bytes"]
        else:
            found_bytes[work["work"], "count"] += work["count"]
            found_bytes[work["work"], "bytes"] += work.get("bytes", 0)
    if "cuBLAS" in name:  # cuBLAS makes copies and sets of its own
        check(sum(found_kernels.values()) > sum(kernels.values()), f"{name}: kernels of cuBLAS")
    else:
        check(found_bytes == bytes_of, f"{name}: bytes {dict(found_bytes)}, not {dict(bytes_of)}")
        check(found_kernels == kernels, f"{name}: {dict(found_kernels)}, not {dict(kernels)}")
    for kernel, ns in times.items():
        check(abs(found_ns[kernel] / ns - 1) <= 0.05,
              f"{name}: {kernel} took {found_ns[kernel]} ns, {ns:.0f} by events")
    print(f"{name}: {migrated} bytes of managed memory have moved")
    for device in profile.get("gpu", {}).get("devices", []):
        print(f"{name}: {device}")


def work_of_torch_profiler(trace):
    """Counts of kernels by name and of copies, and the kernels' time in ns."""
    kernels, copies, ns = collections.Counter(), 0, 0
    for event in json.loads(trace.read_text())["traceEvents"]:
        if event.get("cat") == "kernel":
            kernels[event["name"]] += 1
            ns += event["dur"] * 1000
        copies += event.get("cat") == "gpu_memcpy"
    return kernels, copies, ns


def check_torch(command):
    """A program that somebody else's profiler of GPUs has measured as well, in a run of its own."""
    program = HERE / "products.py"
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        trace = folder / "trace.json"
        alone = run("python3", folder, program, trace)
        if alone.returncode:
            print("SKIP PyTorch:", alone.stderr.strip().splitlines()[-1:])
            return
        result = run(command, folder, "run", "--", "python3", program)
        check(result.returncode == 0 and result.stdout == alone.stdout,
              f"PyTorch: prints what it prints alone {result.stderr.strip()[-300:]}")
        profiles = sorted(folder.glob("*_all.json"), key=lambda path: path.stat().st_size)
        if not profiles:
            check(False, "PyTorch: there is a profile")
            return
        profile = json.loads(profiles[-1].read_text())
        expected, expected_copies, expected_ns = work_of_torch_profiler(trace)
    found, copies, ns = collections.Counter(), 0, 0
    for work in profile.get("gpu", {}).get("work", []):
        if work["work"] == "kernel":
            found[profile["functions"][work["function"]]["display"]] += work["count"]
            ns += work["time_ns"]
        elif "device" in work["work"]:
            copies += work["count"]
    check(sum(found.values()) == sum(expected.values()) and sorted(found.values()) == sorted(expected.values()),
          f"PyTorch: {sum(found.values())} kernels of {len(found)} names, its profiler finds "
          f"{sum(expected.values())} of {len(expected)}")
    check(copies == expected_copies, f"PyTorch: {copies} copies, its profiler finds {expected_copies}")
    check(expected_ns and abs(ns / expected_ns - 1) <= 0.05,
          f"PyTorch: kernels took {ns / 1e6:.3f} ms, {expected_ns / 1e6:.3f} ms by its profiler")


def measure_empty_kernels(program, client, library):
    ratios, plain = [], []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(TURNS):
            times = [int(run(program, folder, "empty", str(LAUNCHES), **variables).stdout.split()[1])
                     for variables in ({}, {"CUDA_INJECTION64_PATH": client},
                                       {"LD_PRELOAD": library})]
            plain.append(times[0])
            ratios.append(times[2] / times[1])
    ratio = statistics.median(ratios)
    check(ratio <= 1.1, f"{LAUNCHES} empty kernels: {ratio:.3f} of the time with an empty client, "
                        f"{statistics.median(plain) / LAUNCHES:.0f} ns each without")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    build = pathlib.Path(parser.parse_args().build).resolve()
    library = build / ".libs" / "libvftrace.so"
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for name, flags in (("static cudart", ()), ("shared cudart", ("-cudart", "shared")),
                            ("cuBLAS", ("-DWITH_CUBLAS", "-lcublas"))):
            program = compile_program(folder, name.replace(" ", "_"), *flags)
            if program:
                check_profile(name, program, library)
            else:
                print(f"SKIP {name}: nvcc does not compile it")
        client = folder / "libempty.so"
        subprocess.run(["gcc", "-O2", "-w", "-fPIC", "-shared", HERE.parent / "empty_client.c", "-o",
                        client, "-ldl"], check=True)
        check_torch(build / "vftrace")
        measure_empty_kernels(folder / "static_cudart", client, library)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
