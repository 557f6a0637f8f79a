"""vftrace analyze on traces of MPI programs with known wait states."""
import json

from command_support import command
from mpi_support import LINKED, MPICH, OPEN_MPI, MpiTest, compile_mpi, run_mpi
from waits_support import tables_of_json

TRACED = {"sampling.active": "yes", "sampling.sample_interval": "0"}
LATE_S = 0.4  # late_ranks.c
LEAST_S = 0.4 * LATE_S  # on a busy machine others are late too, and a wait begins after the late rank's work

# Scenario: wait state, ranks that wait, function that they wait in, rank that is late.
SCENARIOS = {
    "late_sender": ("late-sender", {0}, "MPI_Recv", 2),
    "late_sender_of_request": ("late-sender", {0}, "MPI_Wait", 2),
    "late_sender_of_several": ("late-sender", {0}, "MPI_Waitall", 2),
    "any_sender": ("late-sender", {0}, "MPI_Recv", 2),
    "late_receiver": ("late-receiver", {0}, "MPI_Ssend", 2),
    "wrong_order": ("wrong-order", {0}, "MPI_Recv", 2),
    "barrier": ("barrier", {0, 1}, "MPI_Barrier", 2),
    "nonblocking_barrier": ("barrier", {0, 1}, "MPI_Wait", 2),
    "all_to_all": ("all-to-all", {0, 1}, "MPI_Allreduce", 2),
    "late_broadcast": ("late-broadcast", {0, 1}, "MPI_Bcast", 2),
    "early_reduce": ("early-reduce", {0}, "MPI_Reduce", 2),
    "early_scan": ("early-scan", {1, 2}, "MPI_Scan", 0),
    "sub_communicator": ("barrier", {0}, "MPI_Barrier", 2),
    "two_of_one_group": ("wrong-order", {0}, "MPI_Recv", 2),
    "intercommunicator": ("late-sender", {0}, "MPI_Recv", 2),
}


def tables_of(result, *options):
    traces = sorted(result.folder.glob("*.vfd"))
    analysed = command("analyze", *traces, "--format", "json", *options)
    assert analysed.status == 0, analysed.stderr
    return tables_of_json(analysed.stdout), analysed


class Waits:
    """For each family."""

    def check(self, scenario):
        pattern, waiting, function, late = SCENARIOS[scenario]
        result = self.profile("late_ranks.c", 3, config=TRACED, arguments=[scenario])
        tables, analysed = tables_of(result)
        long = [row for row in tables["wait_states"]
                if row["time"] > LEAST_S and f"{scenario}<main" in row["callpath"]]
        self.assertEqual({(row["pattern"], row["rank"], row["function"]) for row in long},
                         {(pattern, rank, function) for rank in waiting}, tables["wait_states"])
        for row in long:
            self.assertLess(row["time"], 4 * LATE_S)
        # All of the waiting is caused by one function of the late rank.
        causes = [row for row in tables["wait_causes"]
                  if row["time"] > LEAST_S and f"{scenario}<main" in row["waiting_callpath"]]
        self.assertEqual({(row["rank"], row["function"], row["pattern"]) for row in causes},
                         {(late, "late_work", pattern)}, tables["wait_causes"])
        self.assertAlmostEqual(sum(row["time"] for row in causes),
                               sum(row["time"] for row in long), delta=0.3 * LATE_S)
        # This function determines the length of the run.
        if scenario == "intercommunicator":  # waiting at its barrier is not seen
            return
        critical = {(row["rank"], row["function"]): row for row in tables["critical_path"]}
        self.assertGreater(critical[late, "late_work"]["time"], LEAST_S)
        self.assertGreater(critical[late, "late_work"]["imbalance"], 0.5 * LATE_S)
        self.assertIn("all ranks share one clock", analysed.stderr)

    def test_scenarios(self):
        for scenario in SCENARIOS:
            with self.subTest(scenario):
                self.check(scenario)

    def test_no_rank_is_late(self):
        result = self.profile("late_ranks.c", 3, config=TRACED, arguments=["balanced"])
        tables, _ = tables_of(result)
        for row in tables["wait_causes"]:
            self.assertNotEqual(row["function"], "late_work")

    def test_ranks_with_equal_work_have_no_findings_about_waiting(self):
        result = self.profile("late_ranks.c", 4, config=TRACED, arguments=["equal"])
        profile = next(result.folder.glob("*_all.json"))
        report = command("report", profile, *result.folder.glob("*.vfd"), "--findings", "--format",
                         "json")
        self.assertEqual(report.status, 0, report.stderr)
        rules = {row["rule"]: row["sentence"] for row in tables_of_json(report.stdout)["findings"]}
        for rule in ("load-imbalance", "slow-rank", "late-rank", "collective-wait", "message-wait",
                     "small-messages"):
            self.assertNotIn(rule, rules)

    def test_fortran(self):
        self.family.need("mpifort")
        result = self.profile("late_ranks.F90", 3, config=TRACED)
        tables, _ = tables_of(result)
        long = {(row["pattern"], row["rank"]): row for row in tables["wait_states"]
                if row["time"] > 0.07}
        self.assertEqual(set(long), {("late-sender", 0), ("barrier", 0), ("barrier", 1)})
        self.assertEqual(long["late-sender", 0]["function"].lower(), "mpi_wait")
        cause = tables["wait_causes"][0]
        self.assertEqual(cause["rank"], 2)
        self.assertIn("late_work", cause["callpath"])

    def test_all_programs_can_be_analysed(self):
        """All features of MPI: persistent and partitioned messages, matched probes, threads..."""
        for name in ("p2p_blocking.c", "p2p_nonblocking.c", "persistent.c", "requests.c",
                     "threads.c", "collectives.c", "intercommunicators.c", "neighbours.c",
                     "one_sided.c"):
            with self.subTest(name):
                result = self.profile(name, 3, config=TRACED)
                _, analysed = tables_of(result)
                self.assertNotIn("different", analysed.stderr)
                self.assertNotIn("differ;", analysed.stderr)
                self.assertNotIn("before they were sent", analysed.stderr)

    def test_results_are_added_to_the_profile(self):
        result = self.profile("late_ranks.c", 3, config=TRACED, arguments=["late_sender"])
        profile = next(result.folder.glob("*_all.json"))
        before = json.loads(profile.read_text())
        tables, _ = tables_of(result, "--into", str(profile))
        after = json.loads(profile.read_text())
        waits = after.pop("waits")
        self.assertEqual(after["run"].pop("shortest_wait_ns"), 1000)
        self.assertEqual(after, before)
        longest = max((row for row in waits["states"] if row["pattern"] == "late-sender"),
                      key=lambda row: row["time_ns"])
        self.assertEqual(longest["rank"], 0)
        path = before["nodes"][longest["node"]]
        self.assertEqual(before["functions"][path["function"]]["name"], "MPI_Recv")
        self.assertIn(longest["time_ns"],
                      [round(row["time"] * 1e9) for row in tables["wait_states"]])
        report = command("report", profile, "--waits")
        self.assertEqual(report.status, 0, report.stderr)
        self.assertIn("late_work", report.stdout)
        self.assertIn("Critical path", command("report", profile).stdout)
        # The profile of another run.
        other = self.profile("late_ranks.c", 2, config=TRACED, arguments=["balanced"])
        failed = command("analyze", *result.folder.glob("*.vfd"), "--into",
                         next(other.folder.glob("*_all.json")))
        self.assertEqual(failed.status, 2)
        self.assertRegex(failed.stderr, r"vftrace: \S+: the traces are from late_ranks with 3 ranks")

    def test_ranks_that_were_killed(self):
        program = compile_mpi(self.family, "late_ranks.c", how=LINKED)
        job = run_mpi(self.family, program, 3, LINKED, TRACED,
                      arguments=["late_sender", "killed"])
        self.assertNotEqual(job.status, 0)
        traces = list(job.folder.glob("*.tmpvfd"))
        self.assertEqual(len(traces), 3, job.files())
        recovered = command("recover", *traces)
        self.assertEqual(recovered.status, 0, recovered.stderr)
        tables, _ = tables_of(job)
        late, = (row for row in tables["wait_states"] if row["pattern"] == "late-sender")
        self.assertEqual(late["rank"], 0)
        self.assertGreater(late["time"], LEAST_S)
        causes = [row for row in tables["wait_causes"] if row["pattern"] == "late-sender"]
        self.assertEqual((causes[0]["rank"], causes[0]["function"]), (2, "late_work"))


class WaitsOpenMpi(Waits, MpiTest):
    family = OPEN_MPI


class WaitsMpich(Waits, MpiTest):
    family = MPICH
