"""The cost of sections: a pair, reading the memory, live output, a query."""
import statistics
import subprocess
import tempfile

from common import HERE, compile_to, environment, median_ratio, row

TURNS = 15
GOAL_PAIR, GOAL_RSS_NS, GOAL_MEMORY, GOAL_LIVE, GOAL_QUERY_US = 1.3, 3200, 1.01, 1.02, 5
EXACT = {"VFTR_TIMING": "exact", "VFTR_OVERHEAD_BUDGET": "0", "VFTR_JSON": "no"}


def run_once(program, what, folder, **variables):
    result = subprocess.run([str(program), what], cwd=folder, capture_output=True, text=True, check=True,
                            env=environment(**variables))
    return float(result.stdout)


def measure(build, scratch):
    program = compile_to(scratch / "section_cost", "g++", "-std=c++11", "-O2", "-I", HERE.parent.parent / "include",
                         "-finstrument-functions", "-finstrument-functions-exclude-file-list=/usr/include,vftrace/",
                         HERE / "section_cost.cpp")
    ours = {"LD_PRELOAD": build / ".libs" / "libvftrace.so", **EXACT}
    variants = {
        "none": ("empty", {}),
        "no library": ("pairs", {}),
        "hooks": ("hooks", ours),
        "sections": ("pairs", {**ours, "VFTR_SECTION_MEMORY": "off"}),
        "sections, rss": ("pairs", {**ours, "VFTR_SECTION_MEMORY_LEVEL": "6"}),
        "memory": ("loop", {**ours, "VFTR_SECTION_LIVE": "off", "VFTR_SECTION_MEMORY": "rss"}),
        "live off": ("loop", {**ours, "VFTR_SECTION_LIVE": "off", "VFTR_SECTION_MEMORY": "off"}),
        "live on": ("loop", {**ours, "VFTR_SECTION_LIVE": "on", "VFTR_SECTION_MEMORY": "off"}),
        "query": ("query", {**ours, "VFTR_SECTION_MEMORY": "off"}),
    }
    times = {variant: [] for variant in variants}
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        for _ in range(TURNS):
            for variant, (what, variables) in variants.items():
                times[variant].append(run_once(program, what, folder, **variables))
    median = {variant: statistics.median(values) for variant, values in times.items()}
    print(f"\nns a pair; us a question; seconds of 10^7 sections; median of {TURNS} turns")
    for variant, value in median.items():
        print(f"{variant:<16} {value:>10.2f}")
    return [row("sections/pair-ns", median_ratio(times, "sections", "hooks"), GOAL_PAIR,
                "x a pair of hooks, every call timed"),
            row("sections/rss-ns", median["sections, rss"], GOAL_RSS_NS, "ns a section that reads the memory"),
            row("sections/memory", median_ratio(times, "memory", "live off"), GOAL_MEMORY,
                "x without memory, sections of level 1 and nothing else"),
            row("sections/live", median_ratio(times, "live on", "live off"), GOAL_LIVE, "x without live print"),
            row("sections/query-us", median["query"], GOAL_QUERY_US, "us a figure of 1,000 sections")]
