"""Whole programs with every function instrumented: the cost of the default settings, and what remains visible.

Our mini-application and two programs from Debian's sources. The base is the same binary with the
hooks of each function removed at its first call: instrumentation itself prevents inlining, which
vftrace cannot change.
"""
import json
import pathlib
import platform
import shutil
import statistics
import subprocess
import tempfile
import time

import debian_programs
from common import HERE, compile_to, environment, median_ratio, row, row_at_least, skipped
from sampled_chains import plain_symbol, sampled_chains

TURNS = 5
BUDGETS = (2, 10, 50)
MOST_ROWS = 12      # of ours, among which perf's top ten are sought
LEAST_SHARE = 0.5   # % of perf's samples that make a place one of its top ten
HOOKS = "-finstrument-functions"
LONG_STEPS = 650    # of the mini-application: 3 s, both without hooks and with them at the default settings
MINIAPP = ["-std=c++20", "-O2", "-pthread", HERE / "miniapp" / "miniapp.cpp"]
FOR_PERF = ["-g"]   # the code is the same


class Program:
    def __init__(self, name, plain, hooked, arguments=()):
        self.name, self.plain, self.hooked = name, plain, hooked
        self.arguments = [str(argument) for argument in arguments]
        self.seconds = {}  # by variant, one value per turn

    def run(self, folder, variant, program, **variables):
        start = time.monotonic()
        result = subprocess.run([program, *self.arguments], cwd=folder, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, env=environment(**variables))
        self.seconds.setdefault(variant, []).append(time.monotonic() - start)
        return result.returncode, result.stdout

    def profile(self, folder):
        return json.loads((pathlib.Path(folder) / f"{self.hooked.name}_all.json").read_text())


def functions_with_rows(profile):
    """Their symbols, the largest exclusive time first."""
    times = {}
    for node in profile["nodes"]:
        function = profile["functions"][node["function"]]
        if function["kind"] == "function":
            symbol = plain_symbol(function.get("symbol", ""))
            times[symbol] = times.get(symbol, 0) + node["exclusive_ns"]
    return sorted(times, key=times.get, reverse=True)


def samples_by_symbol(chains):
    """{symbol: {innermost function that was inlined there, or the symbol itself: samples}}"""
    symbols = {}
    for chain, samples in chains.items():
        inlined = symbols.setdefault(chain[-1], {})
        inlined[chain[0]] = inlined.get(chain[0], 0) + samples
    return symbols


def build_programs(scratch, folder):
    """The programs, and the reason if those of Debian are missing."""
    programs = [Program("miniapp", compile_to(scratch / "miniapp_plain", "g++", *FOR_PERF, *MINIAPP),
                        compile_to(scratch / "miniapp_hooked", "g++", HOOKS, *FOR_PERF, *MINIAPP))]
    try:
        sources = scratch / "debian"
        sources.mkdir(exist_ok=True)
        for package, where in debian_programs.fetched(sources, debian_programs.IN_CXX).items():
            plain, hooked = (debian_programs.build(where, package, scratch / f"{package}_{kind}", *flags)
                             for kind, flags in (("plain", FOR_PERF), ("hooked", [HOOKS, *FOR_PERF])))
            programs.append(Program(package, plain, hooked,
                                    debian_programs.arguments(folder, package)))
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        return programs, f"no sources from Debian: {str(error)[:60]}"
    return programs, None


def build_wrapped(build, scratch):
    """{"wrapped, gcc": (program, its base), ...} for the installed compilers."""
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


def top_ten_missing(symbols, rows):
    """The number of perf's first ten symbols that are not among our first rows. A symbol that consists
    almost entirely of one inlined function counts as found if that function has a row: force_on has no
    row if 99 % of its code is force_in_box, which has one."""
    total = sum(sum(inlined.values()) for inlined in symbols.values())
    hottest = sorted(symbols, key=lambda symbol: sum(symbols[symbol].values()), reverse=True)[:10]
    missing = 0
    for symbol in hottest:
        inlined, share = symbols[symbol], 100 * sum(symbols[symbol].values()) / total
        if share < LEAST_SHARE or {symbol, max(inlined, key=inlined.get)} & set(rows[:MOST_ROWS]):
            continue
        print(f"    not among our first {MOST_ROWS}: {share:.1f} % {symbol[:90]}")
        missing += 1
    return missing


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

    long = Program("miniapp, long", miniapp.plain, miniapp.hooked, [LONG_STEPS])

    for turn in range(TURNS):
        if long.run(folder, "plain", long.plain) != long.run(folder, "filtered", filtered, **ours):
            raise AssertionError("filtered: another result")
        for name, (ours_in, base) in wrapped.items():
            # Compilers round differently, so the result is compared with one of the same compiler.
            if long.run(folder, name, ours_in) != long.run(folder, f"{name}, plain", base):
                raise AssertionError(f"{name}: another result")
        for program in programs:
            results = [
                program.run(folder, "plain", program.plain),
                program.run(folder, "taken out", program.hooked, **ours, VFTR_FILTER_EXCLUDE="."),
                program.run(folder, "default", program.hooked, **ours)]
            if turn == 0:
                program.rows = functions_with_rows(program.profile(folder))
            if program is miniapp:
                for budget in BUDGETS:
                    if budget != 10:  # the default
                        results.append(program.run(folder, f"budget {budget}", program.hooked, **ours,
                                                   VFTR_OVERHEAD_BUDGET=budget))
            if any(result != results[0] for result in results):
                raise AssertionError(f"{program.name}: another result with vftrace")
    miniapp.seconds["budget 10"] = miniapp.seconds["default"]

    print(f"\nseconds, median of {TURNS} turns")
    missing, hidden = [], []
    for program in [*programs, long]:
        print(f"{program.name}: " + ", ".join(
            f"{variant} {statistics.median(values):.2f}" for variant, values in program.seconds.items()
            if variant != "warm"))
    for program in programs:
        print(f"{program.name}:")
        # The same code with its hooks overwritten.
        chains = sampled_chains(program.hooked, program.arguments, folder, **ours, VFTR_FILTER_EXCLUDE=".")
        if chains:
            symbols = samples_by_symbol(chains)
            total, rows = sum(chains.values()), set(program.rows)
            seen = sum(samples for chain, samples in chains.items() if rows & set(chain)) / total
            hidden.append(seen)
            print(f"    functions with rows: {len(program.rows)}; of perf's {total} samples "
                  f"{100 * seen:.1f} % in them")
            missing.append(top_ten_missing(symbols, program.rows))

    def ratio(variant, base, program=long):
        return median_ratio(program.seconds, variant, base)

    rows = [row("miniapp/default", max(median_ratio(program.seconds, "default", "taken out")
                                       for program in programs), 1.15,
                f"x hooks taken out, worst of {len(programs)} programs"),
            row("miniapp/wrapped", max(ratio(name, f"{name}, plain") for name in wrapped), 1.15,
                f"x uninstrumented, worst of {' and '.join(name[9:] for name in wrapped)}"),
            row("miniapp/filtered", ratio("filtered", "plain"), 1.05, "x uninstrumented"),
            row("budget/held", max(100 * (ratio(f"budget {budget}", "taken out", miniapp) - 1) - budget
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
