"""Checks that the times of a profile are consistent. support.py checks every profile that a test
makes.

    profile_sums.py PROFILE...   checks files *_all.json
"""
import json
import sys

# Possible differences due to rounding to nanoseconds, and to reading threads while they run.
ROUNDING_NS, WHILE_READ = 2000, 0.001
# Runs may be this much shorter than the process: its start and end are not part of any function's time.
BEGIN_AND_END_NS = 10_000_000
# The uncertain part of the cost of measuring: hooks cost less while the processor waits for
# something else, and no row is made shorter than what it called (doc/design/overhead.md). On a
# machine with other work, calibration may yield twice the cost.
UNSURE_PART_OF_COST = 0.75
# Of a run that is said to have consisted of little else than measuring, the estimate is too high: hooks in loops of
# tiny functions cost less than in the calibration, and what cannot be right is not subtracted.
MOST_MEASURING = 0.7


class Sums:
    def __init__(self, profile):
        self.run = profile["run"]
        self.nodes = profile["nodes"]
        self.kinds = [profile["functions"][node["function"]]["kind"] for node in self.nodes]
        self.names = [profile["functions"][node["function"]]["name"] for node in self.nodes]
        self.callees = [[] for _ in self.nodes]
        for number, node in enumerate(self.nodes):
            if node["parent"] is not None and not self.is_paused(number):
                self.callees[node["parent"]].append(number)

    def is_paused(self, number):
        return "paused" in self.nodes[number].get("flags", ())

    def inclusive(self, numbers):
        return sum(self.nodes[number]["inclusive_ns"] for number in numbers)

    def has_stacks_of_its_own(self):
        """Fibers and coroutines: a caller may be suspended while its callee continues."""
        return self.run["application"].startswith(("fiber", "coroutine"))

    def wrong_paths(self):
        """Inclusive time is exclusive time plus the time of what is called."""
        for number, node in enumerate(self.nodes):
            if node["parent"] is None or self.is_paused(number):
                continue  # the time of `init` is not shown
            # Frames with which a child of fork continues have no time of their own.
            if node["calls"] == 0 and node["inclusive_ns"] == 0:
                continue
            # A thread adds nothing to its creator's time; a team and its tasks add the part that
            # the calling thread did itself, which is unknown (doc/design/threads.md).
            shared = [callee for callee in self.callees[number] if self.kinds[callee] == "openmp"]
            own = [callee for callee in self.callees[number]
                   if self.kinds[callee] not in ("thread", "openmp")]
            rest = node["inclusive_ns"] - node["exclusive_ns"] - self.inclusive(own)
            allowed = ROUNDING_NS + len(own) + WHILE_READ * self.inclusive(own)
            if rest < -allowed or (rest > allowed and not shared):
                yield (f"{self.names[number]} (node {number}): inclusive {node['inclusive_ns']}, "
                       f"exclusive {node['exclusive_ns']}, callees {self.inclusive(own)}")

    def wrong_sums(self):
        """The exclusive times of a single thread add up to the time of the application."""
        ends = "snapshot" in self.run or "ended" in self.run
        if self.run["ranks"] != 1 or self.run["threads"] != 1 or ends:
            return
        timed = [node for number, node in enumerate(self.nodes) if not self.is_paused(number)]
        exclusive = sum(node["exclusive_ns"] for node in timed)
        errors = sum(node.get("exclusive_error_ns", 0) for node in timed)
        runtime = self.run["runtime_ns"] - self.run.get("paused_ns", 0)
        if exclusive > runtime + ROUNDING_NS + len(timed) + 3 * errors:
            yield f"exclusive times add up to {exclusive}, the run took {runtime}"
        if not any("raw_exclusive_ns" in node for node in timed):
            return  # nothing is subtracted: overhead.corrected is false
        delay = self.run.get("delay_ns", 0)
        if delay < MOST_MEASURING * runtime and \
                exclusive > runtime - delay + UNSURE_PART_OF_COST * delay + 3 * errors + BEGIN_AND_END_NS:
            yield (f"exclusive times add up to {exclusive}, the application took "
                   f"{runtime - delay} without {delay} of measuring")
        # No more is subtracted than the cost of measuring.
        raw = sum(node.get("raw_exclusive_ns", node["exclusive_ns"]) for node in timed)
        if raw - exclusive > 1.01 * delay + 3 * errors + BEGIN_AND_END_NS:
            yield f"of {raw} only {exclusive} is left, but measuring has cost {delay}"


def wrong_times(profile):
    """Inconsistencies, as texts."""
    sums = Sums(profile)
    if not sums.has_stacks_of_its_own():
        yield from sums.wrong_paths()
    yield from sums.wrong_sums()


if __name__ == "__main__":
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            for text in wrong_times(json.load(file)):
                print(f"{path}: {text}")
