"""How much faster programs of others are with the sample profile that vftrace exports for clang, and, to compare, with clang's own
profile of a build that counts. User time, in turns."""
import pathlib
import resource
import shutil
import statistics
import subprocess
import tempfile
import time

import debian_programs
from common import environment, median_ratio, row_at_least, skipped

PACKAGES = ("lua5.4", "bzip2", "duktape", "brotli", "lzip", "zopfli")
SECONDS, TURNS = 10, 15
LINES = ("-gline-tables-only", "-fdebug-info-for-profiling")
GOAL_MEDIAN, GOAL_LEAST = 1.02, 0.99


def sample_profile(build, program, words, folder):
    """Samples runs of the program for SECONDS, and exports them."""
    profiles, start = [], time.monotonic()
    while not profiles or time.monotonic() - start < SECONDS:
        output = folder / f"{len(profiles)}"
        output.mkdir()
        subprocess.run([build / "vftrace", "run", "--sample=1000", f"--output-directory={output}", "--", program, *words],
                       cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment())
        profiles.append(next(output.glob("*_all.json")))
    subprocess.run([build / "vftrace", "export", "--format", "autofdo", "-o", folder / "samples.prof", *profiles], check=True,
                   capture_output=True)
    return folder / "samples.prof"


def counted_profile(source, package, words, folder):
    program = debian_programs.build(source, package, folder / "counting", f"-fprofile-generate={folder}/raw", compiler=1)
    subprocess.run([program, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["llvm-profdata-19", "merge", "-o", folder / "counts.profdata", folder / "raw"], check=True)
    return folder / "counts.profdata"


def user_seconds(program, words, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    output = subprocess.run([program, *words], cwd=folder, check=True, stdout=subprocess.PIPE).stdout
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, output


def speedups(build, source, package, folder):
    """{"samples": with our profile, "counts": with clang's own}"""
    words = debian_programs.arguments(folder, package)
    plain = debian_programs.build(source, package, folder / "plain", *LINES, compiler=1)
    samples, counts = sample_profile(build, plain, words, folder), counted_profile(source, package, words, folder)
    programs = {"plain": plain}
    for name, option in (("samples", [f"-fprofile-sample-use={samples}", "-mllvm", "-sample-profile-use-profi"]),
                         ("counts", [f"-fprofile-use={counts}"])):
        programs[name] = debian_programs.build(source, package, folder / name, *LINES, *option, compiler=1)
    times, outputs = {name: [] for name in programs}, set()
    for _ in range(TURNS):
        for name, program in programs.items():
            seconds, output = user_seconds(program, words, folder)
            times[name].append(seconds)
            outputs.add(output)
    if len(outputs) != 1:
        raise ValueError(f"{package}: the outputs differ")
    return {name: median_ratio(times, "plain", name) for name in ("samples", "counts")}


def measure(build, scratch):
    for tool in ("clang-19", "llvm-profdata-19"):
        if not shutil.which(tool):
            return [skipped("lines/autofdo", f"{tool} is not installed")]
    try:
        folder = scratch / "debian"
        folder.mkdir(exist_ok=True)
        sources = debian_programs.fetched(folder, PACKAGES)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        return [skipped("lines/autofdo", f"no sources from Debian: {str(error)[:60]}")]
    print(f"\n{'faster by the profile':<24} {'samples':>8} {'counts':>8}")
    found = []
    for package, source in sources.items():
        with tempfile.TemporaryDirectory(dir=scratch) as work:
            result = speedups(build, source, package, pathlib.Path(work))
        print(f"{package:<24} {result['samples']:>7.3f}x {result['counts']:>7.3f}x", flush=True)
        found.append(result["samples"])
    return [row_at_least("lines/autofdo", statistics.median(found), GOAL_MEDIAN, "x as fast, the median program"),
            row_at_least("lines/autofdo-least", min(found), GOAL_LEAST, "x as fast, the program that gains least")]
