"""How MPI programs begin and end, well and badly, and the effects of options for MPI: the job
behaves as it does without vftrace, and ranks that can still write their data do so."""
import collections
import json
import re
import subprocess
import unittest

import pytest

from mpi_support import (LINKED, MPICH, OPEN_MPI, PRELOAD, PRELOAD_LAUNCHER, PROGRAMS, STATIC,
                         MpiTest, compile_mpi, launch_mpi, run_mpi)
from support import COMMAND, LINK_LIBRARY, need_part, scratch_folder, table_rows


ANY = r"(?s).*"


def profiles(result, killed=False):
    """{name of the file: profile} of all profiles that the ranks wrote. killed: the launcher may
    have killed a rank that was writing, so incomplete files do not count."""
    found = {}
    for path in result.folder.glob("*.json"):
        try:
            found[path.name] = json.loads(path.read_text())
        except json.JSONDecodeError:
            if not killed:
                raise
    return found


class Lives:
    """For each family."""

    def ends_without_finalize(self, end, **options):
        """Each rank has its own files, with a warning, except the ranks that the launcher killed
        because others had ended."""
        result = self.profile("ends_badly.c", 3, arguments=[end], expect_warning=ANY,
                              launcher_complains=True, **options)
        found = profiles(result, killed=True)
        names = [f"ends_badly_{rank}.json" for rank in range(3)]
        written = [rank for rank in range(3) if names[rank] in found]
        self.assertEqual(sorted(found), [names[rank] for rank in written])
        self.assertTrue(written)
        for rank in written:
            profile = found[f"ends_badly_{rank}.json"]
            self.assertIn(f"ends_badly_{rank}.log", result.files())
            self.assertEqual((profile["run"]["rank"], profile["run"]["ranks"]), (rank, 3))
            self.assertEqual([entry["rank"] for entry in profile["ranks"]], [rank])
            self.assertTrue(profile["run"]["warnings"])
            self.assertIn("Warning", (result.folder / f"ends_badly_{rank}.log").read_text().title())
            own = [line for line in result.expected_messages() if f"rank {rank} and" in line]
            self.assertEqual([line for line in result.recorded_messages(profile)
                              if line.startswith("rank")], own)

    def test_never_initialised(self):
        result = self.profile("never_initialised.c", 1)
        self.assertEqual(result.status, 3)
        self.assertFalse(result.profile()["run"]["uses_mpi"])

    def test_never_initialised_without_launcher(self):
        for how in (None, LINKED, STATIC):
            program = compile_mpi(self.family, "never_initialised.c", how=how)
            process = subprocess.run([program], cwd=scratch_folder(), capture_output=True,
                                     text=True)
            self.assertEqual((process.returncode, process.stdout, process.stderr),
                             (3, "initialised 0 finalised 0\n", ""), how)

    def test_ends_without_finalize_by_return(self):
        self.ends_without_finalize("return")

    def test_ends_without_finalize_by_exit(self):
        self.ends_without_finalize("exit", how=LINKED)

    def test_abort(self):
        """The launcher kills the other ranks sooner or later."""
        result = self.profile("ends_badly.c", 3, arguments=["abort"], expect_warning=ANY,
                              launcher_complains=True)
        self.assertEqual(result.status, self.alone("ends_badly.c", 3, ("abort",)).status)
        found = profiles(result, killed=True)
        self.assertIn("ends_badly_1.json", found)
        self.assertTrue(found["ends_badly_1.json"]["run"]["warnings"])
        self.assertNotIn("ends_badly_all.json", found)

    @pytest.mark.timing
    def test_one_rank_dies_by_a_signal(self):
        alone = self.alone("ends_badly.c", 3, ("crash",))
        result = self.profile("ends_badly.c", 3, arguments=["crash"], expect_warning=ANY,
                              launcher_complains=True)
        self.assertNotEqual((result.status, alone.status), (0, 0))
        self.assertLess(result.seconds, alone.seconds + 8)
        self.assertNotIn("ends_badly_all.json", profiles(result, killed=True))

    def test_errors_return_what_they_return(self):
        result = self.profile("errors.c", 3)
        # How the MPI handles the truncated message is not checked; all others are checked to the byte.
        lines = [line for line in result.recorded_messages() if "MPI_Sendrecv" not in line]
        self.assertEqual(lines, [])

    def test_errors_linked(self):
        self.profile("errors.c", 2, how=LINKED)

    def test_requests_left_open_are_reported(self):
        result = self.profile("open_requests.c", 3, expect_warning=ANY,
                              launcher_complains=True)
        self.check_messages(result)
        # Two on each rank.
        warning, = (notice for notice in result.profile()["run"]["notices"] if notice["code"] == "mpi-requests-open")
        self.assertEqual(warning["arguments"], [6])
        self.assertRegex(warning["text"], r"^6 .*requests")

    def counted_requests(self, name, ranks):
        """How many requests each rank has started, and how many are open, by an independent count."""
        library = PROGRAMS / "request_counter.c"
        counter = compile_mpi(self.family, library.name, instrument=False,
                              flags=("-shared", "-fPIC"), output="request_counter.so")
        program = compile_mpi(self.family, name)
        result = launch_mpi(self.family, [*self.family.launch(ranks), "env",
                                          f"LD_PRELOAD={counter}", str(program)], ranks)
        return [tuple(map(int, re.findall(r"\d+", path.read_text()))) for path in result.folder.glob("requests.*")]

    def test_open_requests_match_an_independent_count(self):
        """Requests completed by MPI_Testsome in Fortran, including those of sends that share a
        handle, or not completed at all."""
        self.family.need("mpifort")
        for name, open_requests in (("polls.F90", 0), ("open_requests.c", 6)):
            with self.subTest(name=name):
                counts = self.counted_requests(name, 3)
                self.assertEqual(len(counts), 3)
                self.assertGreater(min(started for started, _ in counts), 0)
                self.assertEqual(sum(still_open for _, still_open in counts), open_requests)
                result = self.profile(name, 3, expect_warning=ANY, launcher_complains=True)
                warned = [warning["arguments"] for warning in result.profile()["run"].get("notices", [])
                          if warning["code"] == "mpi-requests-open"]
                self.assertEqual(warned, [[open_requests]] if open_requests else [])

    def polls(self, **options):
        """The profile of polls.c, and its text log."""
        result = self.profile("polls.c", 2, **options)
        self.check_messages(result)
        return result.profile(), next(result.folder.glob("*_all.log")).read_text()

    @pytest.mark.timing
    def test_polling_is_not_overhead(self):
        """Polling replaces waiting, so its cost is not overhead; between pieces of work it is."""
        profile, _ = self.polls()
        cost = collections.Counter()
        names = [function["name"] for function in profile["functions"]]
        for node in profile["nodes"]:
            caller = profile["nodes"][node["parent"]] if node["parent"] is not None else node
            if names[node["function"]] == "MPI_Test":
                cost[names[caller["function"]]] = node["overhead_ns"] / node["calls"]
            elif names[node["function"]] in ("ask", "ask_at_work"):
                cost[names[node["function"]] + " itself"] = node["overhead_ns"] / node["calls"]
        self.assertLess(cost["ask"], 0.5 * cost["ask_at_work"])
        self.assertLess(cost["ask itself"], 0.5 * cost["ask_at_work itself"])

    def test_application_time_and_overhead_are_the_run_time(self):
        for how in (PRELOAD, PRELOAD_LAUNCHER):
            _, log = self.polls(how=how)
            seconds = [float(re.search(rf"^{label}: +([0-9.]+) s$", log, re.M)[1])
                       for label in ("Total runtime", "Application time", "Overhead")]
            self.assertAlmostEqual(seconds[0], seconds[1] + seconds[2], delta=0.0101)

    def test_calls_by_rank_are_those_of_mpi(self):
        profile, log = self.polls()
        calls = sum(node["calls"] for node in profile["nodes"]
                    if profile["functions"][node["function"]]["kind"] == "mpi")
        self.assertEqual(sum(rank["mpi_calls"] for rank in profile["ranks"]), calls)
        self.assertLess(calls, sum(rank["calls"] for rank in profile["ranks"]))
        self.assertEqual({int(row["Calls"]) for row in table_rows(log, "MPI time by rank")},
                         {rank["mpi_calls"] for rank in profile["ranks"]})

    def test_fortran_names_from_the_first_call_on(self):
        """The first call is made before the loaded files are known."""
        self.family.need("mpifort")
        result = self.profile("polls.F90", 2, instrument=False, expect_warning=ANY)
        names = set(result.calls_by_name())
        self.assertEqual(names, {name.lower() for name in names})
        self.assertIn("mpi_init", names)

    def test_samples_do_not_show_work_of_bindings_or_of_vftrace(self):
        """Functions that a Fortran binding calls to translate arguments, and those that our wrappers call, do not
        appear as functions that the program calls."""
        self.family.need("mpifort")
        need_part("BUILD_TOOLS")
        for name in ("polls.F90", "polls.c"):
            program = compile_mpi(self.family, name, instrument=False)
            result = launch_mpi(self.family, [*self.family.launch(2), str(COMMAND), "run",
                                              "--sample=5000", "--", str(program)], 2)
            self.assertEqual(result.status, 0, result.stderr)
            profile = result.profile()
            names = [function["name"] for function in profile["functions"]]
            of_program = {"MAIN", "main", "ask", "wait_by_asking"}
            for node in profile["nodes"]:
                parent = node["parent"]
                if parent is not None and names[profile["nodes"][parent]["function"]] in of_program:
                    self.assertNotRegex(names[node["function"]],
                                        "errno|PMPI_|pthread_mutex|malloc")

    def test_pcontrol(self):
        self.check_messages(self.profile("pcontrol.c", 3))

    def test_log_messages_off(self):
        result = self.profile("p2p_blocking.c", 2, config={"mpi.log_messages": "no"})
        profile = result.profile()
        self.assertEqual(result.recorded_messages(profile), [])
        self.assertGreater(result.calls_by_name()["MPI_Recv"], 0)
        self.assertNotIn("communication", profile)

    def test_only_for_ranks(self):
        """Only pairs with both ranks in the list are counted."""
        result = self.profile("p2p_blocking.c", 3, config={"mpi.only_for_ranks": "0,2"})
        listed = [line for line in result.expected_messages()
                  if line.startswith(("rank 0 and 0", "rank 0 and 2", "rank 2 and 0",
                                      "rank 2 and 2"))]
        pairs = [line for line in result.recorded_messages() if line.startswith("rank")]
        self.assertEqual(pairs, listed)
        self.assertTrue(listed)
        self.check_consistency(result.profile())

    def test_only_for_ranks_and_collectives(self):
        """Collectives on all three ranks: with two listed ranks, each collective counts 2 of 3 sends and receives."""
        result = self.profile("pcontrol.c", 3, config={"mpi.only_for_ranks": "0-1"})
        lines = [line for line in result.recorded_messages() if line.startswith("MPI_Allreduce")]
        # In place, so each of the two has one listed peer; recorded in 3 of 6 calls.
        self.assertEqual(lines, ["MPI_Allreduce: sent 6 messages, 24 bytes; "
                                 "received 6 messages, 24 bytes"])

    def test_show_sync_time(self):
        result = self.profile("collectives.c", 3, config={"mpi.show_sync_time": "yes"})
        self.check_messages(result)
        calls, synchronised = collections.Counter(), collections.Counter()
        for path, number in result.calls().items():
            name, *callers = path.split("<")
            if name in BLOCKING:
                calls[name] += number
            elif name.endswith("_sync"):
                self.assertEqual(name, callers[0] + "_sync")
                synchronised[callers[0]] += number
        self.assertEqual(synchronised, calls)

    def test_no_barriers_unless_asked_for(self):
        result = self.profile("collectives.c", 3, how=LINKED)
        self.assertFalse([path for path in result.calls() if "_sync<" in path])

    def test_sessions(self):
        """Without MPI_COMM_WORLD the profiles cannot be collected: each rank writes its own."""
        result = self.profile("sessions.c", 3, expect_warning=ANY)
        found = profiles(result)
        self.assertEqual(len(found), 3, sorted(found))
        recorded = sorted(line for profile in found.values()
                          for line in result.recorded_messages(profile)
                          if line.startswith("rank"))
        self.assertEqual(recorded, [line for line in result.expected_messages()
                                    if line.startswith("rank")])

    def test_counts_above_two_to_the_31(self):
        result = self.profile("large_counts.c", 1)
        self.check_messages(result)

    def test_spawned_processes(self):
        """`vftrace run` comes before the launcher, because Open MPI starts spawned processes with
        the launcher's environment. They are a separate job, which ends at the same time in the same
        folder."""
        result = self.profile("spawn.c", 1, how=PRELOAD_LAUNCHER, expect_warning=ANY)
        self.check_spawned_processes(result)

    def test_spawned_processes_linked(self):
        self.check_spawned_processes(self.profile("spawn.c", 1, how=LINKED, expect_warning=ANY))

    def check_spawned_processes(self, result):
        found = list(profiles(result).values())
        parents = [profile for profile in found if self.calls_spawn(profile)]
        self.assertEqual((len(parents), len(found)), (1, 2), "one of the parent, one of the child")
        child, = (profile for profile in found if not self.calls_spawn(profile))
        self.assertEqual(result.recorded_messages(parents[0]), result.expected_messages())
        self.assertNotEqual(child["run"]["pid"], parents[0]["run"]["pid"])
        # Messages of the parent are received by the child, from a process outside its own job.
        lines = result.recorded_messages(child)
        self.assertIn("rank 0 and -1, MPI_Recv: sent 0 messages, 0 bytes; "
                      "received 1 messages, 4 bytes", lines)
        self.assertEqual(len([name for name in result.files() if name.endswith("_all.log")]), 2)

    def calls_spawn(self, profile):
        return "MPI_Comm_spawn" in [function["name"] for function in profile["functions"]]

    def test_plugin_with_its_own_mpi(self):
        """libmpi is not among the libraries that RTLD_NEXT and RTLD_DEFAULT see."""
        self.family.need("mpicc")
        plugin = compile_mpi(self.family, "mpi_plugin.c", instrument=False,
                             flags=("-fPIC", "-shared"), output="mpi_plugin.so")
        host = scratch_folder() / "plugin_host"
        subprocess.run(["gcc", "-w", PROGRAMS / "plugin_host.c", "-o", host, "-ldl"], check=True)
        alone = run_mpi(self.family, host, 2, arguments=[plugin])
        result = run_mpi(self.family, host, 2, how=PRELOAD_LAUNCHER, arguments=[plugin])
        self.assertEqual((result.status, result.stdout, result.reported()),
                         (alone.status, alone.stdout, alone.reported()), result.stderr)
        self.assertEqual(alone.status, 0, alone.stdout + alone.stderr)
        self.assertEqual(result.recorded_messages(), result.expected_messages())

    def test_link_order_that_hides_the_wrappers(self):
        program = compile_mpi(self.family, "pcontrol.c", how=None, output="wrong_order",
                              link=[*self.search_path(), self.library, "-Wl,--no-as-needed", *LINK_LIBRARY])
        result = run_mpi(self.family, program, 2, how=LINKED)
        self.assertEqual(result.reported(), self.alone("pcontrol.c", 2).reported())
        self.assertIn("-lvftrace before", " ".join(result.warnings()))

    def search_path(self):
        words = subprocess.run([self.family.command("mpicc"), "-show"], capture_output=True,
                               text=True).stdout.split()
        return [word for word in words if word.startswith("-L")]

    def test_launcher_under_vftrace_run(self):
        result = self.profile("datatypes.c", 2, how=PRELOAD_LAUNCHER)
        self.check_messages(result)
        self.assertEqual(sorted(result.files()),
                         ["datatypes_all.json", "datatypes_all.log", "expected.0", "expected.1",
                          "reported.0", "reported.1"])

    def test_per_rank_logs(self):
        result = self.profile("datatypes.c", 2, config={"logfile_for_ranks": "1"})
        self.assertIn("datatypes_1.log", result.files())
        self.assertNotIn("datatypes_0.log", result.files())
        self.assertIn("Communication profile", result.text("_1.log"))


# The functions called by collectives.c before which mpi.show_sync_time puts a barrier.
BLOCKING = {f"MPI_{name}" for name in (
    "Allgather", "Allgatherv", "Allreduce", "Alltoall", "Alltoallv", "Alltoallw", "Bcast",
    "Exscan", "Gather", "Gatherv", "Reduce", "Reduce_scatter", "Reduce_scatter_block", "Scan",
    "Scatter", "Scatterv")}


class OpenMpiLives(Lives, MpiTest):
    family = OPEN_MPI
    library = "-lmpi"


class MpichLives(Lives, MpiTest):
    family = MPICH
    library = "-lmpich"


if __name__ == "__main__":
    unittest.main()
