"""The hottest source line of the applications, with samples of vftrace and of perf, by gcc and clang; and what the addresses
add to profiles.

Both sample the time that the same program computes, in turn. Two lines with nearly
the same share may change places, so a line counts as the same if its share by perf is within 3 points of the first one's."""
import collections
import csv
import io
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from common import HERE, environment, row, row_at_least, skipped

SECONDS = os.environ.get("VFTRACE_BENCH_SECONDS", "3")
APPS = HERE / "apps"
COMPILERS = {".c": ("gcc", "clang"), ".cpp": ("g++", "clang++"), ".f90": ("gfortran",)}
FLAGS = {".cpp": ["-std=c++20"]}
CLOSE = 3  # points
TURNS = 3
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
            row("lines/profile", max(growth), 20, "% that addresses add to a profile, at most")]
