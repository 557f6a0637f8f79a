"""vftrace ab: alarms for a program against itself beside busy loops, and how often 5 % more work is found."""
import json
import subprocess

from busy_loops import busy_loops
from common import HERE, compile_to, environment, row, row_at_least

TIMES, STEPS, BUSY = 20, 100_000_000, 3


def verdicts(build, scratch, program, more):
    found = []
    for _ in range(TIMES):
        words = [build / "vftrace", "ab", "--json", "--", program, str(STEPS), "--", program, str(int(STEPS * (1 + more)))]
        result = subprocess.run(words, cwd=scratch, capture_output=True, text=True, env=environment())
        found.append(json.loads(result.stdout)["verdict"])
    return found


def measure(build, scratch):
    program = compile_to(scratch / "steady", "gcc", "-O2", HERE / "steady.c")
    with busy_loops(BUSY):
        same = verdicts(build, scratch, program, 0)
    slower = verdicts(build, scratch, program, 0.05)
    print(f"\nvftrace ab, {TIMES} times each\n  the same program, beside {BUSY} busy loops: {sorted(same)}\n"
          f"  5 % more work: {sorted(slower)}")
    return [row("ab/false-alarms", sum(verdict in ("slower", "faster") for verdict in same), 0,
                f"of {TIMES} comparisons of a program with itself beside {BUSY} busy loops"),
            row_at_least("ab/found", slower.count("slower"), 19, f"of {TIMES} comparisons with 5 % more work")]
