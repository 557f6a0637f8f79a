"""Start and end of a large program: 50 MB, 100,000 symbols, 10,000 call paths."""
import platform
import statistics
import subprocess
import tempfile
import time

from common import compile_to, environment, row, skipped
from many_functions import write_assembler

FUNCTIONS = 100_000
CALLED = 10_000
TURNS = 15

MAIN = """
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <sys/syscall.h>
#include <unistd.h>
extern void (*const table[])(void);
static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}
int main(int count, char **arguments) {
    int calls = atoi(arguments[1]);
    for (int i = 0; i < calls; i++)
        table[i * (%d / %d)]();
    if (count > 2)
        syscall(SYS_exit_group, 0);  /* _exit would have the profile made */
    printf("%%.9f\\n", now());
    fflush(stdout);
    return 0;
}
"""


def build_program(scratch):
    program = scratch / "large"
    if program.exists():
        return program
    assembler, main = scratch / "large.s", scratch / "large_main.c"
    write_assembler(assembler, FUNCTIONS, "large_program_function_number_", "table",
                    binding="\t.globl\t{name}\n", padding="\t.skip\t450\n")
    main.write_text(MAIN % (FUNCTIONS, CALLED))
    compile_to(program, "gcc", "-O2", main, assembler)
    assembler.unlink()
    return program


def measure(build, scratch):
    if platform.machine() != "x86_64":
        return [skipped(name, "written in x86-64 assembly") for name in ("startup-ms", "finish-ms")]
    program = build_program(scratch)
    library = build / ".libs" / "libvftrace.so"
    variants = {"alone": environment(), "ours": environment(LD_PRELOAD=library)}
    started = {variant: [] for variant in variants}
    finished = {variant: [] for variant in variants}
    for _ in range(TURNS):
        for variant, variables in variants.items():
            with tempfile.TemporaryDirectory(dir=scratch) as trees:
                start = time.monotonic()
                subprocess.run([program, "1", "exit"], env={**variables, "TMPDIR": trees},
                               check=True, cwd=scratch)
                started[variant].append((time.monotonic() - start) * 1000)
            result = subprocess.run([program, str(CALLED)], env=variables, check=True, cwd=scratch,
                                    capture_output=True, text=True)
            finished[variant].append((time.monotonic() - float(result.stdout)) * 1000)
    print(f"\n{program.stat().st_size / 1e6:.0f} MB, {FUNCTIONS} functions; medians in ms: " +
          ", ".join(f"{variant} start {statistics.median(started[variant]):.2f} "
                    f"finish {statistics.median(finished[variant]):.2f}" for variant in variants))

    def added(samples):
        return statistics.median(samples["ours"]) - statistics.median(samples["alone"])

    return [row("startup-ms", added(started), 5, "ms"), row("finish-ms", added(finished), 150, "ms")]
