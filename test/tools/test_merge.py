"""vftrace merge: combines profiles of ranks into that of the run, and several runs into one."""
import json
import os

from command_support import CommandTest, command
from support import COMMAND, HERE, compile_program, run, scratch_folder, table_rows

FOUR_RANKS = HERE / "profiles" / "halo_4_ranks.json"


class Merge(CommandTest):
    def setUp(self):
        super().setUp()
        self.folder = scratch_folder()
        self.output = self.folder / "merged.json"

    def rank(self, rank, ranks=3, **run_keys):
        """The profile of a rank that ends alone; rank r spends 1 + r * r ms in main."""
        ns = 1_000_000 * (1 + rank * rank)
        profile = json.loads(FOUR_RANKS.read_text())
        profile["functions"] = profile["functions"][:2]
        profile["nodes"] = profile["nodes"][:2]
        for node in profile["nodes"]:
            node.pop("ranks")
        profile["nodes"][1].update(calls=1, inclusive_ns=ns, exclusive_ns=ns)
        profile["run"].update(rank=rank, ranks=ranks, pid=100 + rank, notices=[
            {"code": "mpi-requests-open", "arguments": [1 + rank], "text": "not read"},
            {"code": "finalize-not-called", "arguments": [rank], "text": "not read"}])
        profile["run"].update(run_keys)
        profile["ranks"] = [{"rank": rank, "host": "node", "pid": 100 + rank, "threads": 1,
                             "runtime_ns": ns, "overhead_ns": 0, "mpi_ns": 0, "memory_bytes": 1,
                             "calls": 1}]
        for key in ("communication", "message_sizes", "threads"):
            profile.pop(key, None)
        path = self.folder / f"halo_{rank}_of_{ranks}{''.join(run_keys)}.json"
        path.write_text(json.dumps(profile))
        return path

    def merge(self, *arguments, stderr=""):
        result = command("merge", "-o", self.output, *arguments)
        self.assertEqual((result.status, result.stderr), (0, stderr))
        self.assertIn(str(self.output), result.stdout)
        return json.loads(self.output.read_text())

    def test_ranks(self):
        job = self.merge(*(self.rank(rank) for rank in (2, 0, 1)))
        self.assertEqual([rank["rank"] for rank in job["ranks"]], [0, 1, 2])
        self.assertEqual(job["run"]["ranks"], 3)
        main = job["nodes"][1]
        self.assertEqual((main["calls"], main["exclusive_ns"]), (3, 8_000_000))
        self.assertEqual(main["ranks"], {"count": 3, "min_rank": 0, "min_ns": 1_000_000,
                                         "max_rank": 2, "max_ns": 5_000_000})
        self.assertEqual(job["run"]["notices"], [
            {"code": "mpi-requests-open", "arguments": [6],
             "text": "6 MPI requests were never completed: their messages are not shown."},
            {"code": "finalize-not-called", "arguments": [], "text": "MPI_Finalize was not called."}])
        report = command("report", self.output, "--imbalances")
        self.assertEqual(report.status, 0)
        row, = (row for row in table_rows(report.stdout, "Runtime profile")
                if row["Function"] == "main")
        self.assertEqual((row["Imbalances[%]"], row["on rank"]), ("87.50", "2"))

    def test_missing_ranks(self):
        reported = "2 of 3 ranks are in this profile: there was no file from rank 1."
        job = self.merge(self.rank(0), self.rank(2), stderr=f"vftrace: {reported}\n")
        self.assertIn(reported, job["run"]["warnings"])
        self.assertIn(reported, command("report", self.output).stdout)

    def test_runs(self):
        program = compile_program("call_counts.c", ("-O1",))
        results = [run([program]) for _ in range(3)]
        files = [next(result.folder.glob("*_all.json")) for result in results]
        one = results[0].profile()
        total = self.merge("--runs", "sum", *files)
        mean = self.merge("--runs", "mean", *files)
        self.assertEqual(total["run"]["notices"][-1], {
            "code": "sum-of-runs", "arguments": [3], "text": "This profile is the sum of 3 runs."})
        by_hash = [{node["hash"]: node for node in json.loads(file.read_text())["nodes"]}
                   for file in files]
        for sums, means in zip(total["nodes"], mean["nodes"]):
            nodes = [nodes[sums["hash"]] for nodes in by_hash]
            self.assertEqual(sums["calls"], 3 * nodes[0]["calls"])
            self.assertEqual(means["calls"], nodes[0]["calls"])
            for key in ("exclusive_ns", "inclusive_ns"):
                self.assertEqual(sums[key], sum(node[key] for node in nodes))
                self.assertAlmostEqual(means[key], sums[key] / 3, delta=1)
        self.assertEqual(len(mean["nodes"]), len(one["nodes"]))

    def test_files_with_warnings_as_plain_text(self):
        """Files in the form that the previous version wrote."""
        files = [self.rank(rank, warnings=["3 calls were lost.", *own])
                 for rank, own in enumerate((["Only here."], [], []))]
        for file in files:
            profile = json.loads(file.read_text())
            del profile["run"]["notices"]
            file.write_text(json.dumps(profile))
        job = self.merge(*files)
        self.assertEqual(job["run"]["warnings"], ["3 calls were lost.", "Only here. (on rank 0)"])
        self.assertEqual(job["run"]["notices"], [
            {"code": "other", "arguments": ["3 calls were lost."], "text": "3 calls were lost."},
            {"code": "other", "arguments": ["Only here."], "text": "Only here.", "ranks": 1,
             "first_rank": 0}])
        report = command("report", self.output)
        self.assertIn("\nWarning: 3 calls were lost.\nWarning: Only here. (on rank 0)\n", report.stdout)

    def test_refuses(self):
        zero, one = self.rank(0), self.rank(1)
        serial = json.loads((HERE / "profiles" / "threads.json").read_text())
        other = self.folder / "other.json"
        other.write_text(json.dumps(serial))
        for files, message in (
                ((zero, zero), "duplicate profile of rank 0"),
                ((zero, self.rank(1, ranks=4)), "from a run with 3 ranks"),
                ((zero, other), "is not from a rank of an MPI program"),
                ((zero, self.rank(2, application="cold")), 'from the program "halo"'),
                ((zero, self.rank(2, start_unix_ns=10**18)), "different runs"),
                (("--runs", "sum", FOUR_RANKS, other), "program"),
                (("--runs", "sum", FOUR_RANKS, zero), "of 4 ranks"),
                (("--runs", "max", zero, one), "max"),
                ((), "FILE is required"), ((zero, "/nope.json"), "/nope.json: No such"),
                ((zero, COMMAND), "not valid JSON")):
            with self.subTest(files=files):
                self.fails("merge", "-o", self.output, *files, message=message)
                self.assertFalse(self.output.exists())
        self.fails("merge", zero, one, message="--output is required")

    def test_output(self):
        zero, one = self.rank(0, ranks=2), self.rank(1, ranks=2)
        before = zero.read_text()
        self.fails("merge", "-o", zero, zero, one, message="read and written")
        self.fails("merge", "-o", "/nope/out.json", zero, one, message="/nope/out.json: No such")
        self.assertEqual(zero.read_text(), before)
        if os.geteuid() != 0:
            self.folder.chmod(0o500)
            self.fails("merge", "-o", self.output, zero, one, message="merged.json: ")
            self.folder.chmod(0o700)
        self.assertFalse(list(self.folder.glob("*.part")))
