"""Whole programs with every function instrumented: what the default settings cost, and what stays visible.

Our mini-application and two programs from Debian's sources. The base is the same binary with the
hooks of each function taken out at its first call: instrumentation itself keeps the compiler from
inlining, which is not what vftrace can change.
"""
import json
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import tempfile
import time

import debian_programs
from common import HERE, compile_to, environment, median_ratio, row, row_at_least, skipped

TURNS = 5
BUDGETS = (2, 10, 50)
MOST_ROWS = 12      # of ours, in which perf's top ten are sought
LEAST_SHARE = 0.5   # % of perf's samples that make a function one of its top ten
HOOKS = "-finstrument-functions"
MINIAPP = ["-std=c++20", "-O2", "-pthread", HERE / "miniapp" / "miniapp.cpp"]
LOCAL_PART = re.compile(r"\.(constprop|isra|part|cold|lto_priv)\b.*")


class Program:
    def __init__(self, name, plain, hooked, arguments=()):
        self.name, self.plain, self.hooked = name, plain, hooked
        self.arguments = [str(argument) for argument in arguments]
        self.seconds = {}  # by variant, a value a turn

    def run(self, folder, variant, program, **variables):
        start = time.monotonic()
        result = subprocess.run([program, *self.arguments], cwd=folder, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, env=environment(**variables))
        self.seconds.setdefault(variant, []).append(time.monotonic() - start)
        return result.returncode, result.stdout

    def profile(self, folder):
        return json.loads((pathlib.Path(folder) / f"{self.hooked.name}_all.json").read_text())


def own_symbols(program):
    """The functions that the compiler has not inlined everywhere."""
    listed = subprocess.run(["nm", "--defined-only", program], check=True, capture_output=True, text=True)
    return {LOCAL_PART.sub("", line.split()[-1]) for line in listed.stdout.splitlines()}


def visible_functions(profile, own):
    """Symbols of functions with rows, the largest exclusive time first. As perf sees them: what the
    uninstrumented program has inlined everywhere counts for its caller."""
    times, nodes = {}, profile["nodes"]
    for node in nodes:
        holder = node
        while holder is not None:
            function = profile["functions"][holder["function"]]
            symbol = LOCAL_PART.sub("", function.get("symbol", ""))
            if symbol in own and function["kind"] == "function":
                times[symbol] = times.get(symbol, 0) + node["exclusive_ns"]
                break
            holder = nodes[holder["parent"]] if holder.get("parent") is not None else None
    return sorted(times, key=times.get, reverse=True)


def sampled_functions(program, folder):
    """{symbol: samples} of the uninstrumented program in its own code, by perf; None without perf.
    What was inlined counts for the function that it was inlined in."""
    if not shutil.which("perf"):
        return None
    data = pathlib.Path(folder) / "perf.data"
    subprocess.run(["perf", "record", "-q", "-F", "2000", "-o", data, program.plain,
                             *program.arguments], cwd=folder, capture_output=True)
    listed = subprocess.run(["perf", "script", "-i", data, "-F", "ip,sym,dso", "--no-demangle"],
                            cwd=folder, capture_output=True, text=True)
    if listed.returncode or not listed.stdout:
        return None
    samples = {}
    for line in listed.stdout.splitlines():
        fields = line.split()
        if len(fields) >= 3 and program.plain.name in fields[-1]:
            symbol = LOCAL_PART.sub("", fields[1])
            samples[symbol] = samples.get(symbol, 0) + 1
    return samples


def build_programs(scratch, folder):
    """The programs, and why those of Debian are missing."""
    programs = [Program("miniapp", compile_to(scratch / "miniapp_plain", "g++", *MINIAPP),
                        compile_to(scratch / "miniapp_hooked", "g++", HOOKS, *MINIAPP))]
    try:
        sources = scratch / "debian"
        sources.mkdir(exist_ok=True)
        for package, where in debian_programs.fetched(sources).items():
            plain, hooked = (debian_programs.build(where, package, scratch / f"{package}_{kind}", *flags)
                             for kind, flags in (("plain", []), ("hooked", [HOOKS])))
            programs.append(Program(package, plain, hooked,
                                    debian_programs.arguments(folder, package)))
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        return programs, f"no sources from Debian: {str(error)[:60]}"
    return programs, None


def build_wrapped(build, scratch):
    """{"wrapped, gcc": (program, its base), ...} for the compilers that there are."""
    wrapped = {}
    for name, compiler in (("gcc", "g++"), ("clang", "clang++-19"), ("clang", "clang++")):
        if f"wrapped, {name}" not in wrapped and shutil.which(compiler):
            plain = compile_to(scratch / f"miniapp_{name}", compiler, *MINIAPP)
            subprocess.run([str(build / "scripts" / "vftrace-c++"), *map(str, MINIAPP), "-o",
                            str(scratch / f"miniapp_wrapped_{name}")],
                           check=True, env=environment(VFTRACE_CXX=compiler))
            wrapped[f"wrapped, {name}"] = scratch / f"miniapp_wrapped_{name}", plain
    return wrapped


def build_filtered(build, scratch, profile):
    options = scratch / "miniapp.filter"
    subprocess.run([build / "vftrace", "filter", "--format", "gcc", "-o", options, profile],
                   check=True, capture_output=True)
    return compile_to(scratch / "miniapp_filtered", "g++", HOOKS, f"@{options}", *MINIAPP)


def top_ten_missing(samples, visible):
    """How many of perf's ten hottest functions are not among our first rows."""
    total = sum(samples.values())
    hottest = sorted(samples, key=samples.get, reverse=True)[:10]
    hottest = [name for name in hottest if 100 * samples[name] >= LEAST_SHARE * total]
    missing = [name for name in hottest if name not in visible[:MOST_ROWS]]
    for name in missing:
        print(f"    not among our first {MOST_ROWS}: {100 * samples[name] / total:.1f} % {name[:90]}")
    return len(missing)


def measure(build, scratch):
    names = ("miniapp/default", "miniapp/wrapped", "miniapp/filtered", "miniapp/visible",
             "truth/top10", "budget/held")
    if platform.machine() != "x86_64":
        return [skipped(name, "hooks are overwritten on x86-64 only") for name in names]
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        return measure_in(folder, build, scratch)


def measure_in(folder, build, scratch):
    programs, why_missing = build_programs(scratch, folder)
    miniapp = programs[0]
    ours = {"LD_PRELOAD": build / ".libs" / "libvftrace.so"}
    wrapped = build_wrapped(build, scratch)
    miniapp.run(folder, "warm", miniapp.hooked, **ours)
    filtered = build_filtered(build, scratch, pathlib.Path(folder) / f"{miniapp.hooked.name}_all.json")

    for turn in range(TURNS):
        for program in programs:
            results = [
                program.run(folder, "plain", program.plain),
                program.run(folder, "taken out", program.hooked, **ours, VFTR_FILTER_EXCLUDE="."),
                program.run(folder, "default", program.hooked, **ours)]
            if turn == 0:
                program.visible = visible_functions(program.profile(folder), own_symbols(program.plain))
            if program is miniapp:
                for budget in BUDGETS:
                    if budget != 10:  # the default
                        results.append(program.run(folder, f"budget {budget}", program.hooked, **ours,
                                                   VFTR_OVERHEAD_BUDGET=budget))
                results.append(program.run(folder, "filtered", filtered, **ours))
                for name, (ours_in, base) in wrapped.items():
                    # Compilers round in their own ways: compared with the same one's.
                    if program.run(folder, name, ours_in) != program.run(folder, f"{name}, plain", base):
                        raise AssertionError(f"{name}: another result")
            if any(result != results[0] for result in results):
                raise AssertionError(f"{program.name}: another result with vftrace")
    miniapp.seconds["budget 10"] = miniapp.seconds["default"]

    print(f"\nseconds, median of {TURNS} turns")
    missing, hidden = [], []
    for program in programs:
        print(f"{program.name}: " + ", ".join(
            f"{variant} {statistics.median(values):.2f}" for variant, values in program.seconds.items()
            if variant != "warm"))
        samples = sampled_functions(program, folder)
        if samples:
            total = sum(samples.values())
            seen = sum(count for name, count in samples.items() if name in program.visible) / total
            hidden.append(seen)
            print(f"    functions with rows: {len(program.visible)}; of perf's {total} samples "
                  f"{100 * seen:.1f} % in them")
            missing.append(top_ten_missing(samples, program.visible))

    def ratio(variant, base):
        return median_ratio(miniapp.seconds, variant, base)

    rows = [row("miniapp/default", max(median_ratio(program.seconds, "default", "taken out")
                                       for program in programs), 1.15,
                f"x hooks taken out, worst of {len(programs)} programs"),
            row("miniapp/wrapped", max(ratio(name, f"{name}, plain") for name in wrapped), 1.15,
                f"x uninstrumented, worst of {' and '.join(name[9:] for name in wrapped)}"),
            row("miniapp/filtered", ratio("filtered", "plain"), 1.05, "x uninstrumented"),
            row("budget/held", max(100 * (ratio(f"budget {budget}", "taken out") - 1) - budget
                                   for budget in BUDGETS), 3.0,
                "points over a budget of 2, 10, 50 % (worst)")]
    if hidden:
        rows.append(row_at_least("miniapp/visible", min(hidden), 0.90,
                                 f"of perf's samples in functions with rows, worst of {len(hidden)}"))
        rows.append(row_at_least("truth/top10", 10 - max(missing), 9,
                                 f"of perf's top 10 in our first {MOST_ROWS}, worst program"))
    else:
        rows += [skipped(name, "perf cannot be used") for name in ("miniapp/visible", "truth/top10")]
    if why_missing:
        rows.append(skipped("miniapp/debian", why_missing))
    return rows
