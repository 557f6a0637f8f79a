"""The hottest source line of the applications, with samples of vftrace and of perf, by gcc and clang; what the addresses
add to profiles; and how long commands need.

Both sample the time that the same program computes, in turn. Two lines with nearly
the same share may change places, so a line counts as the same if its share by perf is within 3 points of the first one's."""
import collections
import csv
import io
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import tempfile
import time

from common import HERE, environment, row, row_at_least, skipped

SECONDS = os.environ.get("VFTRACE_BENCH_SECONDS", "3")
APPS = HERE / "apps"
COMPILERS = {".c": ("gcc", "clang"), ".cpp": ("g++", "clang++"), ".f90": ("gfortran",)}
FLAGS = {".cpp": ["-std=c++20"]}
CLOSE = 3  # points
TURNS = 3
ADDRESSES = 100_000
SHARE = re.compile(r"\s+([\d.]+)%\s+([^\s:]+:\d+)\s*$")


def compiled(source, compiler, scratch):
    program = scratch / f"{source.stem}_{compiler}"
    subprocess.run([compiler, "-O2", "-g", *FLAGS.get(source.suffix, []), str(source), "-o", str(program), "-lm"], check=True)
    return program


def lines_of_perf(program, folder):
    """{"file:line": share in %}"""
    subprocess.run(["perf", "record", "-q", "-o", "perf.data", "-e", "cpu-clock:u", "-F", "999", program, SECONDS], cwd=folder,
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    text = subprocess.run(["perf", "report", "-i", "perf.data", "--stdio", "--no-children", "-s", "srcline"], cwd=folder,
                          capture_output=True, text=True, check=True).stdout
    shares = collections.Counter()
    for line in text.splitlines():
        if found := SHARE.match(line):
            if not found[2].endswith(":0"):  # code that the compiler made
                shares[found[2]] += float(found[1])
    return shares


def lines_of_vftrace(program, folder, build):
    """The same, and the part of the profile that addresses take, in % of the rest."""
    subprocess.run([build / "vftrace", "run", "--sample=1000", "--", program, SECONDS], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment(VFTR_STACK_SAMPLING_KERNEL_TIME="no"))
    file = folder / f"{program.name}_all.json"
    profile = file.read_text()
    addresses = profile[profile.index('"addresses": ['):]
    size = addresses.index("]\n")
    text = subprocess.run([build / "vftrace", "report", "--lines", "--format", "csv", file], capture_output=True, text=True,
                          check=True, env=environment()).stdout
    shares = collections.Counter()
    for line in csv.DictReader(io.StringIO(text)):
        if line["line"] != "0":
            shares[line["place"]] += float(line["share[%]"])
    return shares, 100 * size / (len(profile) - size)


def long_function(path):
    """A C program that spends its time in a function of some 5,000 instructions, in a loop."""
    statements = "\n".join(f"        x{i % 8} = x{(i + 3) % 8} * {i % 89 + 2}u + (x{(i + 5) % 8} ^ a[(x{i % 8} + {i}u) & 1023]);"
                           for i in range(850))
    path.write_text(f"""#include <stdio.h>
unsigned a[1024];
__attribute__((noinline)) unsigned longest(unsigned rounds) {{
    unsigned {', '.join(f'x{i} = {i}' for i in range(8))};
    for (unsigned i = 0; i < rounds; i++) {{
{statements}
    }}
    return {' + '.join(f'x{i}' for i in range(8))};
}}
int main(void) {{ printf("%u\\n", longest(600000)); return 0; }}
""")


def seconds_of(*command):
    times = []
    for _ in range(5):
        start = time.monotonic()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment())
        times.append(time.monotonic() - start)
    return statistics.median(times)


def many_addresses(profile, program):
    """The profile as if its samples were at ADDRESSES places all over the code of the program, a large one with lines."""
    sections = subprocess.run(["readelf", "-SW", "-n", program], capture_output=True, text=True, check=True).stdout
    start, size = (int(digits, 16) for digits in re.search(r" \.text +PROGBITS +(\w+) \w+ (\w+)", sections).groups())
    run = json.loads(profile.read_text())
    row = run["addresses"][0]
    run["modules"][row["module"]] = {"path": str(program), "build_id": re.search(r"Build ID: (\w+)", sections)[1]}
    step = size // ADDRESSES
    run["addresses"] = [{**row, "offsets": [start] + [step] * (ADDRESSES - 1), "samples": [1] * ADDRESSES}]
    many = profile.with_name("many.json")
    many.write_text(json.dumps(run))
    return many


def measure_tools(build, scratch):
    """Times of the commands, of a large function and of many addresses."""
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        folder = pathlib.Path(folder)
        long_function(folder / "longest.c")
        program = folder / "longest"
        subprocess.run(["gcc", "-O1", "-g", folder / "longest.c", "-o", program], check=True)
        code = subprocess.run(["objdump", "-d", "--disassemble=longest", program], capture_output=True, text=True, check=True).stdout
        print(f"\nfunction of {len(re.findall(r'^ +[0-9a-f]+:', code, re.M))} instructions")
        subprocess.run([build / "vftrace", "run", "--sample=1000", "--", program], cwd=folder, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, env=environment())
        profile = folder / "longest_all.json"
        annotate = seconds_of(build / "vftrace", "annotate", "--instructions", "longest", profile)
        lines = seconds_of(build / "vftrace", "report", "--lines", "--limit", "100", many_addresses(profile, (build / "vftrace").resolve()))
    return [row("lines/annotate", annotate, 0.3, "s for a function of 5,000 instructions"),
            row("lines/addresses", lines, 3, f"s for the lines of {ADDRESSES} addresses in a program of C++")]


def measure(build, scratch):
    if not shutil.which("perf") or not shutil.which("addr2line"):
        return [skipped("lines/same-first-line", "perf or addr2line is not installed")]
    same, programs, growth = 0, 0, []
    print(f"\n{'application':<24} {'first line by perf':<28} {'%':>5}   by vftrace")
    for source in sorted(APPS.iterdir()):
        for compiler in COMPILERS.get(source.suffix, ()):
            if not shutil.which(compiler):
                continue
            program = compiled(source, compiler, scratch)
            expected, found = collections.Counter(), collections.Counter()
            with tempfile.TemporaryDirectory(dir=scratch) as folder:
                folder = pathlib.Path(folder)
                for _ in range(TURNS):
                    expected.update({place: share / TURNS for place, share in lines_of_perf(program, folder).items()})
                    shares, size = lines_of_vftrace(program, folder, build)
                    found.update({place: share / TURNS for place, share in shares.items()})
                    growth.append(size)
            place, share = expected.most_common(1)[0]
            first, own = found.most_common(1)[0]
            is_same = abs(found[place] - share) <= CLOSE and (first == place or share - expected[first] <= CLOSE)
            same, programs = same + is_same, programs + 1
            print(f"{program.name:<24} {place:<28} {share:>5.1f}   {first:<28} {own:>5.1f} {found[place]:>5.1f}"
                  f"{'' if is_same else '   differs'}")
    return [row_at_least("lines/same-first-line", 100 * same / programs, 95, "% of the programs, with a share within 3 points"),
            row("lines/profile", max(growth), 20, "% that addresses add to a profile, at most"),
            *measure_tools(build, scratch)]
