"""The messages in the profile are those that the program really sent, and MPI's results for the
program are the same as without vftrace. Each program of test/mpi/programs counts its own
messages."""
import unittest

from command_support import command
from mpi_support import (LINKED, MPICH, OPEN_MPI, PRELOAD, PRELOAD_LAUNCHER, STATIC, MpiTest,
                         compile_mpi, name_of, run_mpi)


class Messages:
    """For each family."""

    def check(self, name, ranks, **options):
        result = self.profile(name, ranks, **options)
        self.assertEqual(result.status, 0, result.stderr)
        self.check_messages(result)
        return result

    def test_blocking_point_to_point(self):
        self.check("p2p_blocking.c", 3)

    def test_blocking_point_to_point_on_one_rank(self):
        self.check("p2p_blocking.c", 1, how=PRELOAD_LAUNCHER)

    def test_blocking_point_to_point_linked_statically(self):
        self.check("p2p_blocking.c", 2, how=STATIC)

    def test_nonblocking_point_to_point(self):
        self.check("p2p_nonblocking.c", 3)

    def test_nonblocking_point_to_point_without_instrumentation(self):
        self.check("p2p_nonblocking.c", 2, instrument=False,
                   expect_warning="does not have (instrumented functions|function hooks)")

    def test_nonblocking_send_and_receive_in_one_call(self):
        self.check("isendrecv.c", 3)

    def test_persistent_point_to_point(self):
        self.check("persistent.c", 3)

    def test_partitioned(self):
        self.check("partitioned.c", 3)

    def test_requests_that_are_cancelled_freed_shared(self):
        self.check("requests.c", 3)

    def test_threads_at_the_same_time(self):
        self.check("threads.c", 3)

    def test_handle_that_is_used_again_before_its_wait_has_returned(self):
        late = compile_mpi(self.family, "late_return.c", instrument=False,
                           flags=("-shared", "-fPIC"), output="liblate.so")
        program = compile_mpi(self.family, "reused_request.c", how=LINKED,
                              link=[late, f"-Wl,-rpath,{late.parent}"])
        result = run_mpi(self.family, program, 2, LINKED, {"sampling.active": "yes"})
        self.assertEqual(result.status, 0, result.stderr)
        if result.stdout.startswith("skipped: "):
            self.skipTest(result.stdout.split(": ", 1)[1].splitlines()[0])
        self.assertIn("one handle: 1", result.reported()[0])
        profile = result.profile()
        received = {name_of(profile, profile["nodes"][node["parent"]]):
                    node["messages"]["received"]["bytes"]
                    for node in profile["nodes"] if name_of(profile, node) == "MPI_Irecv"}
        self.assertEqual(received, {"receive_first": 100, "receive_second": 2000})
        analysed = command("analyze", *result.folder.glob("*.vfd"))
        self.assertEqual(analysed.status, 0, analysed.stderr)
        self.assertNotIn("before they were sent", analysed.stderr)

    def test_derived_datatypes_and_absolute_addresses(self):
        self.check("datatypes.c", 3)

    def test_collectives(self):
        self.check("collectives.c", 3, how=LINKED)

    def test_collectives_on_one_rank(self):
        self.check("collectives.c", 1)

    def test_collectives_on_intercommunicators(self):
        self.check("intercommunicators.c", 3)

    def test_collectives_among_neighbours(self):
        self.check("neighbours.c", 4)

    def test_one_sided(self):
        self.check("one_sided.c", 3)

    def check_fortran(self, binding):
        self.family.need("mpifort")
        result = self.check("exchange.F90", 3, flags=(f"-DBINDING={binding}",))
        self.assertFalse([name for name in result.calls_by_name() if name.startswith("MPI_")],
                         "names are those of the Fortran source")

    def test_fortran_mpif_h(self):
        self.check_fortran(1)

    def test_fortran_mpi_module(self):
        self.check_fortran(2)

    def test_fortran_mpi_f08_module(self):
        self.check_fortran(3)

    def test_fortran_with_more_neighbours_than_processes(self):
        """Open MPI's own bindings fail there; the call reaches MPI by its C function. The binding
        of MPICH's module mpi_f08 fails on all grids."""
        self.family.need("mpifort")
        for binding in (1, 2) if self.family is MPICH else (1, 2, 3):
            flags = (f"-DBINDING={binding}", "-fallow-argument-mismatch")
            program = compile_mpi(self.family, "few_neighbours.F90", flags=flags)
            for ranks in (1, 2) if binding == 2 else (1,):
                with self.subTest(binding=binding, ranks=ranks):
                    result = run_mpi(self.family, program, ranks, PRELOAD)
                    self.assertEqual((result.status, result.warnings()), (0, []), result.stderr)
                    received = sorted(int(word) for line in result.stdout.splitlines()
                                      for word in line.split()[2:])
                    self.assertEqual(received, sorted(2 * [10 * rank + i for rank in range(ranks)
                                                           for i in (1, 2, 3, 4)]))
                    calls = result.calls_by_name()
                    self.assertEqual((calls["mpi_neighbor_alltoallw"],
                                      calls["mpi_ineighbor_alltoallw"]), (ranks, ranks))
                    self.assertEqual(sum(node["messages"]["sent"]["messages"]
                                         for node in result.profile()["nodes"]
                                         if "sent" in node.get("messages", {})), 2 * 4 * ranks)

    def test_a_run_without_messages_has_an_empty_table(self):
        result = self.profile("without_messages.c", 2, config={"profile_table.separate": "yes",
                                                               "logfile_for_ranks": "0"})
        for log in ("_all_mpi.log", "_0_mpi.log"):
            lines = result.text(log).splitlines()
            title = lines.index("Communication profile")
            frame = lines[title + 1]
            self.assertRegex(frame, r"\A\+[-+]+\+\Z")
            self.assertRegex(lines[title + 2], r"\A\| Messages \|.*\| STID \|\Z")
            self.assertEqual(lines[title + 3:title + 6], [frame, frame, ""])
        self.assertNotIn("Communication profile", self.profile(
            "without_messages.c", 2, config={"mpi.show_table": "no"}).text())

    # Section 11 of the description of Vftrace 2.0: faults that changed what programs do.

    def test_end_of_runs_on_several_ranks(self):
        for turn in range(3):
            result = self.check("datatypes.c", 4)
            self.assertEqual(result.status, 0, f"turn {turn}: {result.stderr}")

    def test_get_count_after_recv(self):
        reported = self.profile("p2p_blocking.c", 3).reported()
        self.assertIn("MPI_Recv on world: source 2 tag 17 error 77 ints 13 bytes 52", reported[0])
        self.assertIn("sendrecv on world: source 0 tag 1 error 77 ints 3 bytes 12", reported[1])

    def test_waitany_in_a_loop(self):
        reported = self.profile("waits.c", 3).reported()
        indices = [line.split()[-1] for line in reported[0].splitlines() if "waitany index" in line]
        self.assertEqual(indices, ["2", "0", "3", "1"])

    def test_waitsome_and_testsome_leave_out_null_requests(self):
        reported = self.profile("waits.c", 3).reported()
        for function in ("waitsome", "testsome"):
            self.assertIn(f"{function}: out 1 undefined 0\n{function}: index 3\n", reported[1])

    def test_testany_of_a_request_that_is_not_the_first(self):
        reported = self.profile("waits.c", 3).reported()
        self.assertIn("testany index 3 flag 1", reported[2])

    def test_waitany_and_waitsome_of_nothing(self):
        reported = self.profile("waits.c", 1).reported()
        self.assertIn("waitany of none: undefined 1", reported[0])
        self.assertIn("waitsome of none: out", reported[0])

    def test_loops_over_requests(self):
        self.check("waits.c", 4)

    def test_received_sizes_are_the_received_ones(self):
        profile = self.profile("p2p_blocking.c", 2).profile()
        sizes = {(size["from_bytes"], size["to_bytes"]) for size in profile["message_sizes"]}
        self.assertIn((32, 63), sizes)  # 52 bytes into a buffer of 400
        self.assertNotIn((256, 511), sizes)


class OpenMpiMessages(Messages, MpiTest):
    family = OPEN_MPI


class MpichMessages(Messages, MpiTest):
    family = MPICH


if __name__ == "__main__":
    unittest.main()
