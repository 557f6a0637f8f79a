"""The cost of folded recursion, as a ratio to the same calls with a path for every level."""
import statistics
import subprocess

from common import HERE, compile_to, environment, row

TURNS = 15
CALLS = 50_000  # per turn, about
GOAL = 2
DEPTHS = (8, 12, 16, 100)  # of each of the two functions; the first is not folded
FOLDED = {"VFTR_TIMING": "exact", "VFTR_OVERHEAD_BUDGET": "0", "VFTR_JSON": "no"}
UNFOLDED = {**FOLDED, "VFTR_MAX_RECURSION": "1000"}


def builds(build, scratch):
    """(kind of hooks, plain program, program with hooks)"""
    source, folder = HERE / "mutual_recursion.c", build / ".libs"
    flags = ("-O1", "-fno-optimize-sibling-calls")
    link = (f"-L{folder}", "-lvftrace", f"-Wl,-rpath,{folder}")
    plain = compile_to(scratch / "recursion_plain", "gcc", *flags, source)
    specs = HERE.parent.parent / "scripts" / "prologue-hooks.specs"
    yield "called hooks", plain, compile_to(scratch / "recursion_called", "gcc", *flags, source,
                                            "-finstrument-functions", *link)
    yield "prologues", plain, compile_to(scratch / "recursion_prologues", "gcc", *flags, source,
                                         f"-specs={specs}", *link)


def ns_a_call(program, depth, scratch, variables):
    command = [str(program), str(depth), str(CALLS // (2 * depth))]
    return float(subprocess.run(command, cwd=scratch, check=True, capture_output=True, text=True,
                                env=environment(**variables)).stdout)


def measure(build, scratch):
    rows = []
    for kind, plain, hooked in builds(build, scratch):
        for depth in DEPTHS:
            ratios = []
            for _ in range(TURNS):
                alone = ns_a_call(plain, depth, scratch, {})
                folded = ns_a_call(hooked, depth, scratch, FOLDED) - alone
                unfolded = ns_a_call(hooked, depth, scratch, UNFOLDED) - alone
                ratios.append(folded / unfolded)
            rows.append(row(f"recursion/{kind}/{depth}", statistics.median(ratios), GOAL,
                            "x the same calls unfolded, plain ones subtracted"))
    return rows
