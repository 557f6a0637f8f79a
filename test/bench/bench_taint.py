"""The cost of an analysis run: time and memory of kernels and whole programs built with vftrace-taint-c++ against the
same built as usual."""
import os
import statistics
import subprocess
import tempfile

from common import HERE, compile_to, environment, row, skipped

TURNS = 7
GOAL_SLOWDOWN, GOAL_PROGRAMS, GOAL_MEMORY = 12, 10, 2.2
KERNELS = (("matmul", 600), ("stencil", 1200), ("particles", 8000), ("tree", 400000))


# Whole programs, whose only parameter is the time for which they work.
PROGRAMS, SECONDS = ("hydrodynamics", "molecular_dynamics", "finite_elements"), "0.5"


def processor_time(command, folder, **variables):
    """Seconds, and what it printed."""
    with open(os.path.join(folder, "printed"), "w+", encoding="utf-8") as printed:
        process = subprocess.Popen(list(map(str, command)), cwd=folder, stdout=printed,
                                   stderr=subprocess.DEVNULL, env=environment(**variables))
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        assert status == 0, f"{command} ended with status {status}"
        printed.seek(0)
        return usage.ru_utime + usage.ru_stime, printed.read()


def run_once(program, kernel, size, folder):
    """Seconds of processor time and KiB of memory; and what it printed."""
    seconds, printed = processor_time((program, kernel, size), folder)
    result, memory = printed.split()
    return seconds, int(memory), result


def whole_programs(compiler, scratch):
    print(f"\nwhole programs, median of {TURNS} turns\n{'program':<20}{'plain s':>10}{'analysed s':>12}{'x':>8}")
    slowdowns = []
    for name in PROGRAMS:
        source = HERE / "apps" / f"{name}.cpp"
        programs = {"plain": compile_to(scratch / name, "g++", "-std=c++20", "-O2", source),
                    "analysed": compile_to(scratch / f"{name}_analysed", compiler, "-std=c++20", "-O2", source)}
        times = {variant: [] for variant in programs}
        with tempfile.TemporaryDirectory(dir=scratch) as folder:
            for _ in range(TURNS):
                for variant, program in programs.items():
                    times[variant].append(processor_time((program, SECONDS), folder, VFTR_PARAMETERS="seconds=argv[1]")[0])
        slowdowns.append(statistics.median(a / p for a, p in zip(times["analysed"], times["plain"])))
        print(f"{name:<20}{statistics.median(times['plain']):>10.3f}{statistics.median(times['analysed']):>12.3f}{slowdowns[-1]:>8.2f}")
    return [row("taint/programs", max(slowdowns), GOAL_PROGRAMS, "x a plain run, the slowest whole program")]


def measure(build, scratch):
    compiler = build / "taint" / "vftrace-taint-c++"
    if not (build / "taint" / "libvftrace_taint.a").exists():
        return [skipped(name, "built without LLVM 19") for name in ("taint/slowdown", "taint/memory", "taint/programs")]
    source = HERE / "taint_kernels.cpp"
    programs = {"plain": compile_to(scratch / "taint_kernels_plain", "g++", "-std=c++20", "-O2", source),
                "analysed": compile_to(scratch / "taint_kernels", compiler, "-std=c++20", "-O2", source)}
    slowdowns, memories = [], []
    print(f"\nan analysis run against a plain one, median of {TURNS} turns\n{'kernel':<12}{'plain s':>10}{'analysed s':>12}{'x':>8}"
          f"{'plain MiB':>12}{'MiB':>8}{'x':>8}")
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        for kernel, size in KERNELS:
            found = {name: [] for name in programs}
            for _ in range(TURNS):
                for name, program in programs.items():
                    found[name].append(run_once(program, kernel, size, folder))
            assert found["plain"][0][2] == found["analysed"][0][2], f"{kernel} prints something else"
            slowdown = statistics.median(a[0] / p[0] for a, p in zip(found["analysed"], found["plain"]))
            memory = statistics.median(a[1] / p[1] for a, p in zip(found["analysed"], found["plain"]))
            median = {name: [statistics.median(run[i] for run in runs) for i in (0, 1)] for name, runs in found.items()}
            print(f"{kernel:<12}{median['plain'][0]:>10.3f}{median['analysed'][0]:>12.3f}{slowdown:>8.2f}"
                  f"{median['plain'][1] / 1024:>12.1f}{median['analysed'][1] / 1024:>8.1f}{memory:>8.2f}")
            slowdowns.append(slowdown)
            memories.append(memory)
    return [row("taint/slowdown", max(slowdowns), GOAL_SLOWDOWN, "x a plain run, the slowest kernel"),
            row("taint/memory", max(memories), GOAL_MEMORY, "x the memory of a plain run, the largest"),
            *whole_programs(compiler, scratch)]
