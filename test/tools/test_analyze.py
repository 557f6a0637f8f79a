"""vftrace analyze on synthetic traces, with waits and critical paths computed by hand. Times are in
milliseconds."""
import json

from command_support import command
from vfd_files import (ALL_TO_ALL, ALL_TO_ONE, BARRIER, MPI, ONE_TO_ALL, PREFIX, RECEIVE, SEND,
                       Vfd)
from waits_support import MS, WORLD, AnalyzeTest, Rank


class Messages(AnalyzeTest):
    def test_late_sender(self):
        """Rank 0 waits from 10 to 40; rank 1 is in main for half of that, then computes."""
        receiver = Rank(0, 2, 100).receive(1, 10, 41)
        sender = Rank(1, 2, 60).work(20, 40).send(0, 40, 42)
        waits, causes, critical = self.analyze([receiver, sender])
        self.assertEqual(waits, {("late-sender", 0, "MPI_Recv"): (30, 1)})
        self.assertEqual(causes, {(1, "main", "late-sender", "MPI_Recv"): 10,
                                  (1, "compute", "late-sender", "MPI_Recv"): 20})
        # Backwards: rank 0 from 100 to 40, then rank 1. 59 + 20 of it is in main, in which the
        # ranks spend 69 and 38; 20 is in compute, in which the ranks spend 0 and 20. MPI_Recv
        # without waiting takes 1.
        self.assertEqual(critical, {(0, "main"): (59, round((79 - 53.5) * 59 / 79, 6)),
                                    (1, "main"): (20, round((79 - 53.5) * 20 / 79, 6)),
                                    (0, "MPI_Recv"): (1, 0.5),
                                    (1, "compute"): (20, 10)})

    def test_a_message_that_has_arrived_causes_no_wait(self):
        waits, causes, critical = self.analyze([Rank(0, 2, 100).receive(1, 50, 51),
                                                Rank(1, 2, 60).work(0, 40).send(0, 40, 42)])
        self.assertEqual((waits, causes), ({}, {}))
        self.assertEqual(critical[0, "main"][0], 99)

    def test_late_sender_of_a_request(self):
        """The receive is posted early; the time in MPI_Wait counts, not the time since it was posted."""
        receiver = Rank(0, 2, 100).call("MPI_Irecv", 5, 6).work(6, 30).call("MPI_Wait", 30, 51)
        receiver.operation(RECEIVE, 5, 51, "MPI_Irecv", wait=30, peer=1)
        waits, causes, _ = self.analyze([receiver, Rank(1, 2, 60).work(0, 50).send(0, 50, 51)])
        self.assertEqual(waits, {("late-sender", 0, "MPI_Wait"): (20, 1)})
        self.assertEqual(causes, {(1, "compute", "late-sender", "MPI_Wait"): 20})

    def test_waiting_for_several_counts_once(self):
        """MPI_Waitall for two late senders: the wait lasts until the later one, which is the cause."""
        receiver = Rank(0, 3, 100).call("MPI_Waitall", 10, 61)
        for source in (1, 2):
            receiver.operation(RECEIVE, 5, 61, "MPI_Irecv", wait=10, wait_name="MPI_Waitall",
                               peer=source)
        senders = [Rank(1, 3, 70).work(0, 40).send(0, 40, 41),
                   Rank(2, 3, 70).work(0, 60).send(0, 60, 61)]
        waits, causes, _ = self.analyze([receiver, *senders])
        self.assertEqual(waits, {("late-sender", 0, "MPI_Waitall"): (50, 1)})
        self.assertEqual(causes, {(2, "compute", "late-sender", "MPI_Waitall"): 50})

    def test_late_receiver(self):
        """The send ends when the receive has begun: it was not buffered."""
        waits, causes, _ = self.analyze([Rank(0, 2, 100).send(1, 10, 71),
                                         Rank(1, 2, 100).work(0, 70).receive(0, 70, 72)])
        self.assertEqual(waits, {("late-receiver", 0, "MPI_Send"): (60, 1)})
        self.assertEqual(causes, {(1, "compute", "late-receiver", "MPI_Send"): 60})

    def test_a_send_that_was_buffered_does_not_wait(self):
        waits, _, _ = self.analyze([Rank(0, 2, 100).send(1, 10, 60),
                                    Rank(1, 2, 100).work(0, 70).receive(0, 70, 72)])
        self.assertEqual(waits, {})

    def test_messages_in_wrong_order(self):
        """Rank 0 receives the second message first, and waits although the first one is there."""
        receiver = Rank(0, 2, 100).receive(1, 10, 51, tag=2).receive(1, 55, 56, tag=1)
        sender = Rank(1, 2, 60).send(0, 5, 6, tag=1).work(6, 50).send(0, 50, 51, tag=2)
        waits, causes, _ = self.analyze([receiver, sender])
        self.assertEqual(waits, {("wrong-order", 0, "MPI_Recv"): (40, 1)})
        self.assertEqual(causes, {(1, "compute", "wrong-order", "MPI_Recv"): 40})

    def test_messages_of_different_ranks_are_never_in_wrong_order(self):
        receiver = Rank(0, 3, 100).receive(1, 10, 51).receive(2, 55, 56)
        waits, _, _ = self.analyze([receiver, Rank(1, 3, 60).work(0, 50).send(0, 50, 51),
                                    Rank(2, 3, 60).send(0, 5, 6)])
        self.assertEqual(waits, {("late-sender", 0, "MPI_Recv"): (40, 1)})

    def test_tags_and_communicators_distinguish_messages(self):
        """The receive that comes first matches the later send, in the wrong order."""
        receiver = Rank(0, 2, 100).receive(1, 10, 41, tag=7).receive(1, 50, 51, communicator=1)
        sender = Rank(1, 2, 60).send(0, 5, 6, communicator=1).send(0, 40, 42, tag=7)
        for rank in (receiver, sender):
            rank.vfd.communicator(77, 2)
        waits, _, _ = self.analyze([receiver, sender])
        self.assertEqual(waits, {("wrong-order", 0, "MPI_Recv"): (30, 1)})

    def test_several_messages_of_one_channel(self):
        """The n-th send matches the n-th receive."""
        receiver = Rank(0, 2, 100).receive(1, 10, 21).receive(1, 30, 41).receive(1, 50, 51)
        sender = Rank(1, 2, 60)
        for begin in (20, 25, 45):
            sender.send(0, begin, begin + 1)
        waits, _, _ = self.analyze([receiver, sender])
        self.assertEqual(waits, {("late-sender", 0, "MPI_Recv"): (10, 1)})

    def test_messages_of_different_sizes_are_not_matched(self):
        receiver = Rank(0, 2, 100).receive(1, 10, 41, size=4)
        waits, _, _ = self.analyze([receiver, Rank(1, 2, 60).send(0, 40, 42, size=8)])
        self.assertEqual(waits, {})
        self.assertIn("sizes differ", self.remarks)


class Collectives(AnalyzeTest):
    def ranks(self, what, begins, end, **options):
        """Each rank works until it reaches the collective."""
        return [Rank(i, len(begins), 100).work(0, begin).collective(what, begin, end, **options)
                for i, begin in enumerate(begins)]

    def test_barrier(self):
        waits, causes, critical = self.analyze(self.ranks(BARRIER, [10, 40, 90], 91))
        self.assertEqual(waits, {("barrier", 0, "MPI_Barrier"): (80, 1),
                                 ("barrier", 1, "MPI_Barrier"): (50, 1)})
        self.assertEqual(causes, {(2, "compute", "barrier", "MPI_Barrier"): 130})
        # All ranks end at 100, so the path starts at the first one: 9 in main, 1 in the barrier, then rank 2.
        self.assertEqual({key: ms for key, (ms, _) in critical.items()},
                         {(0, "main"): 9, (0, "MPI_Barrier"): 1, (2, "compute"): 90})
        self.assertEqual(critical[2, "compute"][1], round(90 - (10 + 40 + 90) / 3, 6))

    def test_all_to_all(self):
        waits, causes, _ = self.analyze(self.ranks(ALL_TO_ALL, [10, 50], 60))
        self.assertEqual(waits, {("all-to-all", 0, "MPI_Allreduce"): (40, 1)})
        self.assertEqual(causes, {(1, "compute", "all-to-all", "MPI_Allreduce"): 40})

    def test_late_broadcast(self):
        """The root is the last but one: only the ranks before it wait, and only for it."""
        waits, causes, _ = self.analyze(self.ranks(ONE_TO_ALL, [20, 50, 80], 81, root=1))
        self.assertEqual(waits, {("late-broadcast", 0, "MPI_Bcast"): (30, 1)})
        self.assertEqual(causes, {(1, "compute", "late-broadcast", "MPI_Bcast"): 30})

    def test_early_reduce(self):
        """Only the root waits, until the last of the other ranks arrives."""
        waits, causes, _ = self.analyze(self.ranks(ALL_TO_ONE, [60, 20, 70], 71, root=1))
        self.assertEqual(waits, {("early-reduce", 1, "MPI_Reduce"): (50, 1)})
        self.assertEqual(causes, {(2, "compute", "early-reduce", "MPI_Reduce"): 50})

    def test_early_scan(self):
        """Each waits for lower ranks."""
        waits, _, _ = self.analyze(self.ranks(PREFIX, [30, 60, 40], 61))
        self.assertEqual(waits, {("early-scan", 2, "MPI_Scan"): (20, 1)})

    def test_sub_communicators(self):
        """Two communicators of two ranks each, known by different numbers on their ranks."""
        ranks = [Rank(i, 4, 100) for i in range(4)]
        for i, rank in enumerate(ranks):
            identity = 50 + i % 2
            if i >= 2:  # another communicator first
                rank.vfd.communicator(99, 1, [i])
            own = rank.vfd.communicator(identity, 2, [i % 2, i % 2 + 2])
            rank.work(0, 10 * i).collective(BARRIER, 10 * i, 50, communicator=own)
        waits, _, _ = self.analyze(ranks)
        self.assertEqual(waits, {("barrier", 0, "MPI_Barrier"): (20, 1),
                                 ("barrier", 1, "MPI_Barrier"): (20, 1)})

    def test_nonblocking(self):
        """The last rank has arrived when it calls MPI_Ibarrier; others wait in MPI_Wait."""
        early = Rank(0, 2, 100).call("MPI_Ibarrier", 10, 11).work(11, 20).call("MPI_Wait", 20, 71)
        early.operation(BARRIER, 10, 71, "MPI_Ibarrier", wait=20)
        late = Rank(1, 2, 100).work(0, 70).call("MPI_Ibarrier", 70, 71).call("MPI_Wait", 71, 72)
        late.operation(BARRIER, 70, 72, "MPI_Ibarrier", wait=71)
        waits, causes, _ = self.analyze([early, late])
        self.assertEqual(waits, {("barrier", 0, "MPI_Wait"): (50, 1)})
        self.assertEqual(causes, {(1, "compute", "barrier", "MPI_Wait"): 50})

    def test_sequence_numbers_distinguish_them(self):
        """Rank 1 has not recorded the first collective, so its number is missing."""
        first = Rank(0, 2, 100).collective(BARRIER, 10, 20).collective(BARRIER, 30, 60)
        second = Rank(1, 2, 100)
        second.numbers[0] = 1
        second.collective(BARRIER, 50, 60)
        waits, _, _ = self.analyze([first, second])
        self.assertEqual(waits, {("barrier", 0, "MPI_Barrier"): (20, 1)})
        self.assertIn("1 call of a collective is left out", self.remarks)


class CriticalPath(AnalyzeTest):
    def test_across_three_ranks(self):
        """Rank 2 computes, sends to 1, which computes and sends to 0, which ends last."""
        waits, _, critical = self.analyze([
            Rank(0, 3, 100).receive(1, 1, 61),
            Rank(1, 3, 70).receive(2, 1, 31).work(31, 60).send(0, 60, 61),
            Rank(2, 3, 40).work(0, 30).send(1, 30, 31)])
        self.assertEqual(waits, {("late-sender", 0, "MPI_Recv"): (59, 1),
                                 ("late-sender", 1, "MPI_Recv"): (29, 1)})
        self.assertEqual({key: ms for key, (ms, _) in critical.items()},
                         {(2, "compute"): 30, (1, "MPI_Recv"): 1, (1, "compute"): 29,
                          (0, "MPI_Recv"): 1, (0, "main"): 39})

    def test_later_waits_of_a_rank_are_not_on_the_path(self):
        """Rank 1 waits for rank 0 after it has sent: this wait is not on the way back."""
        _, _, critical = self.analyze([
            Rank(0, 2, 100).receive(1, 1, 21).work(21, 60).send(1, 60, 61),
            Rank(1, 2, 90).work(0, 20).send(0, 20, 21).receive(0, 21, 61)])
        self.assertEqual({key: ms for key, (ms, _) in critical.items()},
                         {(1, "compute"): 20, (0, "MPI_Recv"): 1, (0, "compute"): 39,
                          (0, "MPI_Send"): 1, (0, "main"): 39})

    def test_without_waits_the_path_stays_on_one_rank(self):
        _, _, critical = self.analyze([Rank(0, 2, 50).send(1, 1, 2),
                                       Rank(1, 2, 80).receive(0, 5, 6)])
        self.assertEqual(critical, {(1, "main"): (79, round(79 - (49 + 79) / 2, 6)),
                                    (1, "MPI_Recv"): (1, 0.5)})


class Clocks(AnalyzeTest):
    def late_sender(self, offset, error, begin=0):
        """A wait of 30 ms by the clock of rank 0; rank 1's is `offset` behind, on another host."""
        receiver = Rank(0, 2, 100).receive(1, 10, 41)
        own = 40 - offset
        measured = (int(offset * MS), int(error * MS))
        sender = Rank(1, 2, 60, host="node2", clock=(2, 0, *measured, 60 * MS, *measured))
        sender.work(begin, own).send(0, own, own + 2)
        return self.analyze([receiver, sender])

    def test_offsets_are_corrected(self):
        for offset in (0, 15, 30):
            waits, causes, _ = self.late_sender(offset, 0.1)
            self.assertEqual(waits, {("late-sender", 0, "MPI_Recv"): (30, 1)})
            self.assertEqual(sum(causes.values()), 30)

    def test_waits_within_the_error_of_the_clocks_are_not_reported(self):
        for error, is_there in ((29.9, True), (30.1, False)):
            waits, _, _ = self.late_sender(5, error)
            self.assertEqual(bool(waits), is_there)
            self.assertIn(f"to within {error * 1e3:.1f} us", self.remarks)

    def test_clocks_that_were_compared_only_once(self):
        """Clocks drift by at most 10 us per second, as assumed."""
        second = Rank(1, 2, 20_000, host="node2", clock=(1, 0, 0, 5000, 0, 0, 0))
        self.analyze([Rank(0, 2, 20_000).receive(1, 1, 11), second.send(0, 10, 11)])
        self.assertIn("to within 205.0 us", self.remarks)

    def test_clocks_that_were_not_compared(self):
        receiver = Rank(0, 2, 100).receive(1, 10, 41)
        sender = Rank(1, 2, 60, host="node2").work(0, 40).send(0, 40, 42)
        waits, _, _ = self.analyze([receiver, sender])
        self.assertEqual(waits, {})
        self.assertIn("waits shorter than 2.0 s are not counted", self.remarks)

    def test_received_before_it_was_sent(self):
        receiver = Rank(0, 2, 100).receive(1, 10, 20)
        self.analyze([receiver, Rank(1, 2, 60).send(0, 21, 22)])
        self.assertIn("1 message was received before it was sent, by up to 1000.0 us",
                      self.remarks)


class Output(AnalyzeTest):
    def files(self):
        return self.write([Rank(0, 2, 100).receive(1, 10, 41),
                           Rank(1, 2, 60).work(0, 40).send(0, 40, 42)])

    def test_text(self):
        result = command("analyze", *self.files())
        self.assertEqual(result.status, 0, result.stderr)
        self.assertRegex(result.stdout, r"late-sender \| +0 \| +MPI_Recv \| +main \| +0\.030 ")
        self.assertIn("Waiting: 0.030 s, 15.00 % of the time of all ranks\n", result.stdout)
        self.assertIn("Critical path: 0.100 s, of which ", result.stdout)

    def test_csv(self):
        result = command("analyze", *self.files(), "--format", "csv")
        self.assertEqual(result.stdout.splitlines()[:2],
                         ["pattern,rank,function,caller,time[s],share[%],waits,longest[s],callpath,"
                          "stack_id",
                          "late-sender,0,MPI_Recv,main,0.03,15,1,0.03,MPI_Recv<main<init,2"])

    def test_limit_and_order(self):
        ranks = [Rank(0, 3, 100).collective(BARRIER, 10, 91),
                 Rank(1, 3, 100).collective(BARRIER, 5, 91),
                 Rank(2, 3, 100).work(0, 90).collective(BARRIER, 90, 91)]
        files = self.write(ranks)

        def order(*options):
            return [row["rank"] for row in self.tables(files, *options)["wait_states"]]
        self.assertEqual(order(), [1, 0])
        self.assertEqual(order("--sort", "rank"), [0, 1])
        self.assertEqual(order("--limit", "1"), [1])



class WrongInput(AnalyzeTest):
    def test_traces_of_different_runs(self):
        day = 86_400 * 10**9
        first = Rank(0, 2, 100).receive(1, 10, 41)
        other = Rank(1, 2, 60, start_unix_ns=1_700_000_000 * 10**9 + day).send(0, 40, 42)
        self.fails("analyze", *self.write([first, other]),
                   message="program_0.vfd ends before")
        self.fails("analyze", *self.write([Rank(0, 2, 100), Rank(1, 3, 100)]),
                   message="is from a run with 2 processes")

    def test_the_same_rank_twice(self):
        self.fails("analyze", *self.write([Rank(0, 2, 100), Rank(0, 2, 100)]),
                   message="are both from rank 0")

    def test_an_impossible_rank(self):
        self.fails("analyze", *self.write([Rank(600_000_000, 700_000_000, 100)]),
                   message="is from rank 600000000: the file is damaged")

    def test_missing_ranks(self):
        """The data of the other ranks are analysed; collectives with all ranks cannot be."""
        receiver = Rank(0, 3, 100).receive(1, 10, 41).collective(BARRIER, 60, 70)
        receiver.receive(2, 71, 72)
        sender = Rank(1, 3, 100).work(0, 40).send(0, 40, 42).collective(BARRIER, 65, 70)
        waits, _, _ = self.analyze([receiver, sender])
        self.assertEqual(waits, {("late-sender", 0, "MPI_Recv"): (30, 1)})
        self.assertIn("traces of 1 of 3 ranks are missing", self.remarks)
        self.assertIn("1 send or receive does not have a counterpart", self.remarks)
        self.assertIn("2 calls of collectives are left out", self.remarks)

    def test_traces_of_older_versions(self):
        old = Vfd(rank=0, processes=2, runtime_s=0.1)
        path = self.write([Rank(0, 2, 100)])[0]
        path.write_bytes(old.bytes())
        self.fails("analyze", path, message="does not record what MPI calls waited for")
        content = old.bytes()
        path.write_bytes(content[:int.from_bytes(content[-16:-8], "little")])  # of Vftrace 2.0
        self.fails("analyze", path, message="does not record how its clock differs")

    def test_not_a_trace(self):
        path = self.write([Rank(0, 2, 100)])[0]
        path.write_text("nonsense")
        self.fails("analyze", path, message="vfd")
        self.fails("analyze", self.folder / "absent.vfd", message="No such file")

    def test_truncated_and_damaged_files(self):
        """Each of these files yields a result or a one-line message."""
        ranks = [Rank(0, 2, 100).receive(1, 10, 41).collective(BARRIER, 50, 60),
                 Rank(1, 2, 60).work(0, 40).send(0, 40, 42).collective(BARRIER, 43, 60)]
        files = self.write(ranks)
        whole = files[1].read_bytes()
        begin = int.from_bytes(whole[-16:-8], "little")
        seen = set()

        def check(content):
            files[1].write_bytes(content)
            result = command("analyze", *files)
            self.assertIn(result.status, (0, 2), result.stderr)
            if result.status == 2:
                self.assertRegex(result.stderr, r"\Avftrace: .*\n\Z")
            seen.add(result.status)
        for length in range(0, len(whole), max(len(whole) // 60, 1)):
            check(whole[:length])
        for place in range(len(whole) - 120, len(whole)):  # the operations and what is around them
            for value in (0xff, 0x00, 0x80):
                check(whole[:place] + bytes([value]) + whole[place + 1:])
        for place in range(begin, len(whole), 17):
            check(whole[:place] + b"\xff\xff" + whole[place + 2:])
        self.assertEqual(seen, {0, 2})


class Blame(AnalyzeTest):
    def test_several_ranks_wait_at_once(self):
        """Two ranks wait for rank 2, from 10 and from 30 on; rank 2 is in main until 20, then computes."""
        ranks = [Rank(0, 3, 100).receive(2, 10, 51), Rank(1, 3, 100).receive(2, 30, 52),
                 Rank(2, 3, 100).work(20, 50).send(0, 50, 51).send(1, 51, 52)]
        _, causes, _ = self.analyze(ranks)
        # Rank 1 waits until 51; the last millisecond is the send to rank 0.
        self.assertEqual(causes, {(2, "main", "late-sender", "MPI_Recv"): 10,
                                  (2, "compute", "late-sender", "MPI_Recv"): 30 + 20,
                                  (2, "MPI_Send", "late-sender", "MPI_Recv"): 1})

    def test_the_late_rank_was_waiting_itself(self):
        """The function in which the cause itself waits is blamed; the critical path leads further back."""
        _, causes, _ = self.analyze([Rank(0, 3, 100).receive(1, 10, 62),
                                     Rank(1, 3, 100).receive(2, 5, 61).send(0, 61, 62),
                                     Rank(2, 3, 100).work(0, 60).send(1, 60, 61)])
        self.assertEqual(causes, {(1, "MPI_Recv", "late-sender", "MPI_Recv"): 51,
                                  (2, "compute", "late-sender", "MPI_Recv"): 55})
