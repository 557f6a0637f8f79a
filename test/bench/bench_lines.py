"""The hottest source line of the applications, with samples of vftrace and of perf, by gcc and clang; and what the addresses
add to profiles and to the cost of a sample.

Both sample the processor time of the same program, one after the other. perf finds lines by addr2line. Two lines with nearly
the same share may change places, so a line counts as the same if its share by perf is within 3 points of the first one's."""
import collections
import csv
import io
import json
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


def compiled(source, compiler, scratch):
    program = scratch / f"{source.stem}_{compiler}"
    subprocess.run([compiler, "-O2", "-g", *FLAGS.get(source.suffix, []), str(source), "-o", str(program), "-lm"], check=True)
    return program


def lines_of_perf(program, folder):
    """{"file:line": share in %}, by the addresses of perf's samples and addr2line."""
    subprocess.run(["perf", "record", "-q", "-o", "perf.data", "-e", "cpu-clock:u", "-F", "999", program, SECONDS], cwd=folder,
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    # Addresses in the file: those of position-independent programs are given with the offset of their segment.
    text = subprocess.run(["perf", "script", "-i", "perf.data", "-F", "ip,sym,symoff,dso"], cwd=folder, capture_output=True,
                          text=True, check=True).stdout
    symbols = {}
    for line in subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout.splitlines():
        if len(words := line.split()) == 3 and words[1] in "tTwW":
            symbols[words[2]] = int(words[0], 16)
    counts, all_samples = collections.Counter(), 0
    for line in text.splitlines():
        all_samples += 1
        if (found := re.match(r"\s*[0-9a-f]+ (\S+)\+0x([0-9a-f]+) \((.*)\)", line)) and found[3] == str(program) \
                and found[1] in symbols:
            counts[symbols[found[1]] + int(found[2], 16)] += 1
    places = subprocess.run(["addr2line", "-e", program], input="".join(f"{at:#x}\n" for at in counts), capture_output=True,
                            text=True, check=True).stdout.splitlines()
    shares = collections.Counter()
    for place, count in zip(places, counts.values()):
        shares[pathlib.Path(place.split(" ")[0]).name] += 100 * count / all_samples
    return shares


def lines_of_vftrace(program, folder, build, **variables):
    """The same, and the profile."""
    subprocess.run([build / "vftrace", "run", "--sample=1000", "--", program, SECONDS], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment(**variables))
    file = folder / f"{program.name}_all.json"
    profile = json.loads(file.read_text())
    text = subprocess.run([build / "vftrace", "report", "--lines", "--format", "csv", file], capture_output=True, text=True,
                          check=True, env=environment()).stdout
    shares = collections.Counter()
    for line in csv.DictReader(io.StringIO(text)):
        shares[line["place"]] += float(line["share[%]"])
    return shares, profile


def size_without(profile):
    return len(json.dumps({key: value for key, value in profile.items() if key != "addresses"}, indent=0))


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
            with tempfile.TemporaryDirectory(dir=scratch) as folder:
                folder = pathlib.Path(folder)
                expected = lines_of_perf(program, folder)
                found, profile = lines_of_vftrace(program, folder, build)
            place, share = expected.most_common(1)[0]
            first, own = found.most_common(1)[0]
            is_same = abs(found[place] - share) <= CLOSE and (first == place or share - expected[first] <= CLOSE)
            same, programs = same + is_same, programs + 1
            size = size_without(profile)
            growth.append(100 * len(json.dumps(profile["addresses"], indent=0)) / size)
            print(f"{program.name:<24} {place:<28} {share:>5.1f}   {first:<28} {own:>5.1f} {found[place]:>5.1f}"
                  f"{'' if is_same else '   differs'}")
    return [row_at_least("lines/same-first-line", 100 * same / programs, 95, "% of the programs, with a share within 3 points"),
            row("lines/profile", max(growth), 20, "% that addresses add to a profile, at most")]
