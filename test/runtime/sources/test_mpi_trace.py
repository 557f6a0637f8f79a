"""Messages in traces: those that the profile counts, which are those that the program sent."""
import collections
import unittest

from mpi_support import MPICH, OPEN_MPI, MpiTest, _message_lines
from trace_support import Vfd

TRACED = {"sampling.active": "yes", "sampling.sample_interval": "0"}


def traces_of(result):
    """The traces, by rank."""
    traces = {}
    for path in result.folder.glob("*.vfd"):
        vfd = Vfd(path)
        traces[vfd.rank] = vfd
    return traces


def traced_messages(traces):
    """The messages in the traces, by function, as recorded_messages() has it."""
    totals = collections.Counter()
    for vfd in traces.values():
        for message in vfd.messages:
            function = vfd.names[message["stack"]].rstrip("*")
            direction = "received" if message["received"] else "sent"
            totals[function, direction] += 1
            totals[function, f"bytes {direction}"] += message["count"] * message["bytes"]
    return _message_lines(totals, {})


class Messages:
    """For each family."""

    def check(self, name, ranks, **options):
        result = self.profile(name, ranks, config=TRACED, **options)
        self.check_messages(result)
        traces = traces_of(result)
        self.assertEqual(sorted(traces), list(range(ranks)), result.files())
        recorded = [line for line in result.recorded_messages() if not line.startswith("rank ")]
        self.assertEqual(traced_messages(traces), recorded)
        for vfd in traces.values():
            self.assertEqual(vfd.times, sorted(vfd.times))
            self.assertEqual(vfd.ranks, ranks)
            for message in vfd.messages:
                self.assertLessEqual(message["start"], message["end"])
                self.assertLess(message["thread"], vfd.thread_count)
        return traces

    def test_blocking_point_to_point(self):
        self.check("p2p_blocking.c", 3)

    def test_nonblocking_point_to_point(self):
        self.check("p2p_nonblocking.c", 3)

    def test_persistent_point_to_point(self):
        self.check("persistent.c", 3)

    def test_partitioned(self):
        self.check("partitioned.c", 3)

    def test_requests_that_are_cancelled_freed_shared(self):
        self.check("requests.c", 3)

    def test_threads(self):
        traces = self.check("threads.c", 3)
        threads = {message["thread"] for vfd in traces.values() for message in vfd.messages}
        self.assertGreater(len(threads), 1)

    def test_datatypes(self):
        self.check("datatypes.c", 3)

    def test_collectives(self):
        self.check("collectives.c", 3)

    def test_collectives_on_intercommunicators(self):
        self.check("intercommunicators.c", 3)

    def test_collectives_among_neighbours(self):
        self.check("neighbours.c", 3)

    def test_one_sided(self):
        self.check("one_sided.c", 3)

    def test_matching_pairs(self):
        """Every sent message is received by another rank with the same size and tag."""
        traces = self.check("p2p_blocking.c", 3)
        sent, received = collections.Counter(), collections.Counter()
        for rank, vfd in traces.items():
            for message in vfd.messages:
                size, tag = message["count"] * message["bytes"], message["tag"]
                if message["received"]:
                    received[message["peer"], rank, size, tag] += 1
                else:
                    sent[rank, message["peer"], size, tag] += 1
        self.assertEqual(sent, received)
        self.assertGreater(len(sent), 0)

    def test_clock_offsets(self):
        """Ranks on one host read the same clock."""
        result = self.profile("p2p_blocking.c", 3, config=TRACED)
        for vfd in traces_of(result).values():
            self.assertEqual(vfd.clock["measured"], 1)
            self.assertEqual((vfd.clock["begin_offset"], vfd.clock["begin_error"]), (0, 0))

    def test_clock_offsets_at_the_start(self):
        result = self.profile("p2p_blocking.c", 3,
                              config={**TRACED, "sampling.clocks_at_begin": "yes"})
        self.check_messages(result)
        for vfd in traces_of(result).values():
            self.assertEqual(vfd.clock["measured"], 2)
            self.assertEqual(vfd.clock["begin_offset"], 0)
            self.assertGreater(vfd.clock["end"], vfd.clock["begin"])


class MessagesOpenMpi(Messages, MpiTest):
    family = OPEN_MPI


class MessagesMpich(Messages, MpiTest):
    family = MPICH


if __name__ == "__main__":
    unittest.main()
