"""vftrace diff and vftrace_diff_profiles: two runs compared, by function and by path, from JSON files and logs."""
import json
import re

from command_support import CommandTest, command
from support import BUILD, COMMAND, HERE, compile_program, run, scratch_folder

FOUR_RANKS = HERE / "profiles" / "halo_4_ranks.json"
DIFF_PROFILES = BUILD / "vftrace_diff_profiles"


class Diff(CommandTest):
    """Of a profile and a copy in which some paths have changed."""

    def setUp(self):
        super().setUp()
        self.folder = scratch_folder()
        self.profile = json.loads(FOUR_RANKS.read_text())
        self.functions = self.profile["functions"]

    def changed(self, edit, name="b.json"):
        profile = json.loads(FOUR_RANKS.read_text())
        edit(profile)
        path = self.folder / name
        path.write_text(json.dumps(profile))
        return path

    def node_of(self, profile, function):
        index = [f["display"] for f in profile["functions"]].index(function)
        return next(node for node in profile["nodes"] if node["function"] == index)

    def slower(self, profile):
        """compute by a half, MPI_Waitall by 1 %, MPI_Init a tenth of what it was."""
        for function, factor in (("compute", 1.5), ("MPI_Waitall", 1.01), ("MPI_Init", 0.1)):
            node = self.node_of(profile, function)
            node["exclusive_ns"] = int(node["exclusive_ns"] * factor)
            node["inclusive_ns"] = int(node["inclusive_ns"] * factor)

    def diff(self, *arguments, status=0):
        result = command("diff", *arguments)
        self.assertEqual((result.status, result.stderr), (status, ""), result.stdout)
        return result.stdout

    def rows(self, printed):
        lines = printed.splitlines()
        first = next(i for i, line in enumerate(lines) if line.startswith("+"))
        # Names may have bars, too: the last column takes the rest.
        cells = [[cell.strip() for cell in line[2:-2].split(" | ", 11)]
                 for line in lines[first:] if line.startswith("|")]
        return cells[1:]

    def test_by_function(self):
        b = self.changed(self.slower)
        rows = self.rows(self.diff(FOUR_RANKS, b))
        self.assertEqual(rows[0][-1], "compute")
        self.assertEqual(rows[0], ["400", "400", "4.606", "6.909", "2.303", "1.500",
                                   "4.606", "6.909", "2.303", "1.500", "", "compute"])
        self.assertEqual([row[-1] for row in rows[:3]], ["compute", "MPI_Init", "MPI_Waitall"])

    def test_by_path(self):
        rows = self.rows(self.diff("--by", "path", FOUR_RANKS, self.changed(self.slower)))
        self.assertEqual(rows[0][-1], "compute<main<init")
        self.assertIn("MPI_Waitall<exchange<main<init", [row[-1] for row in rows])

    def test_no_difference(self):
        printed = self.diff(FOUR_RANKS, FOUR_RANKS, "--threshold", "0")
        self.assertIn("Total runtime: 2.005 s, 2.005 s: +0.000 s (+0.0 %)", printed)
        self.assertTrue(all(row[4] == "0.000" for row in self.rows(printed)))
        self.assertIn("0 functions, the whole run: no", printed)

    def test_threshold(self):
        b = self.changed(self.slower)
        printed = self.diff(FOUR_RANKS, b, "--threshold", "10", status=1)
        self.assertEqual([row[-1] for row in self.rows(printed) if row[-2] == "slower"],
                         ["compute"])
        self.assertIn("1 function, the whole run: no", printed)
        self.diff(FOUR_RANKS, b, "--threshold", "0.5", status=1)
        self.diff(FOUR_RANKS, b, "--threshold", "50.1")
        self.diff(FOUR_RANKS, b, "--threshold", "10", "--threshold-seconds", "2.4")
        self.diff(FOUR_RANKS, b)  # without a threshold nothing is wrong
        self.diff(b, FOUR_RANKS, "--threshold", "10", status=1)  # MPI_Init
        self.diff("--by", "path", FOUR_RANKS, b, "--threshold", "10", status=1)

    def test_runtime_counts(self):
        b = self.changed(lambda profile: profile["run"].update(runtime_ns=3_005_000_000))
        printed = self.diff(FOUR_RANKS, b, "--threshold", "10", status=1)
        self.assertIn("+1.000 s (+49.9 %)", printed)
        self.assertIn("0 functions, the whole run: yes", printed)

    def test_new_and_gone(self):
        def rename(profile):
            next(f for f in profile["functions"] if f["name"] == "compute").update(
                name="calculate", display="calculate", symbol="calculate")
        printed = self.diff(FOUR_RANKS, self.changed(rename), "--threshold", "5", status=1)
        notes = {row[-1]: row for row in self.rows(printed)}
        self.assertEqual(notes["calculate"][-2], "new, slower")
        self.assertEqual(notes["calculate"][0], "")
        self.assertEqual(notes["compute"][-2], "gone")
        self.assertEqual(notes["compute"][1], "")

    def test_rows_shown(self):
        b = self.changed(self.slower)
        all_rows = self.rows(self.diff(FOUR_RANKS, b, "--min-time", "0"))
        self.assertEqual(len(all_rows), len(self.functions))
        printed = self.diff(FOUR_RANKS, b, "--min-time", "0.1", "--limit", "2")
        self.assertEqual(len(self.rows(printed)), 2)
        self.assertIn("(2 more rows)\n", printed)
        self.assertIn("rows with less than 0.1 s of exclusive time in both)\n", printed)

    def test_ranks_differ(self):
        def more(profile):
            profile["run"].update(ranks=5)
            profile["ranks"].append(dict(profile["ranks"][-1], rank=4))
        self.assertIn("The numbers of ranks differ: 4 and 5.",
                      self.diff(FOUR_RANKS, self.changed(more)))

    def test_json(self):
        b = self.changed(self.slower)
        printed = json.loads(self.diff(FOUR_RANKS, b, "--json", "--threshold", "10", status=1))
        self.assertEqual((printed["format"], printed["version"]), ("vftrace-difference", 1))
        self.assertEqual((printed["slower"], printed["runtime_is_slower"]), (1, False))
        first = printed["rows"][0]
        self.assertEqual(first["function"], "compute")
        self.assertEqual(first["exclusive_difference_ns"], 2_303_000_000)
        self.assertTrue(first["slower"])
        self.assertEqual(first["a"]["calls"], 400)
        paths = json.loads(self.diff(FOUR_RANKS, b, "--json", "--by", "path", "--limit", "1"))
        self.assertEqual(paths["rows"][0]["path"], "compute<main<init")
        self.assertEqual(paths["rows_left_out"], len(self.profile["nodes"]) - 1)

    def test_logs(self):
        program = compile_program("regions.c", ("-O1",))
        runs = [run([program], preload=False) for _ in range(2)]
        logs, jsons = ([next(r.folder.glob(f"*_all.{suffix}")) for r in runs]
                       for suffix in ("log", "json"))
        for pair in ((logs[0], logs[1]), (jsons[0], logs[0]), (logs[1], jsons[1])):
            with self.subTest(pair=pair):
                printed = self.diff(*pair, "--min-time", "0", "--by", "path")
                self.assertIn("Times of text logs are rounded to 0.001 s.", printed)
                rows = self.rows(printed)
                self.assertFalse([row for row in rows if row[-2]], "new or gone paths")
                self.assertTrue(all(row[0] == row[1] for row in rows))
        # A log and the JSON of the same run differ by what rounding did.
        printed = json.loads(self.diff(jsons[0], logs[0], "--json", "--min-time", "0"))
        self.assertTrue(all(abs(row["exclusive_difference_ns"]) <= 5_000_000
                            for row in printed["rows"]))

    def test_errors(self):
        for arguments, message in (
                ([FOUR_RANKS], "B is required"), ([FOUR_RANKS, "/nope.json"], "/nope.json: No such"),
                ([FOUR_RANKS, "/"], "/: "), ([FOUR_RANKS, COMMAND], "neither a profile"),
                ([FOUR_RANKS, FOUR_RANKS, FOUR_RANKS], "halo_4_ranks.json"),
                ([FOUR_RANKS, FOUR_RANKS, "--threshold", "-1"], "no number from 0"),
                ([FOUR_RANKS, FOUR_RANKS, "--threshold", "nan"], "no number from 0"),
                ([FOUR_RANKS, FOUR_RANKS, "--limit", "0"], "no number of rows"),
                ([FOUR_RANKS, FOUR_RANKS, "--threshold-seconds", "1"], "--threshold"),
                ([FOUR_RANKS, FOUR_RANKS, "--by", "line"], "line")):
            with self.subTest(arguments=arguments):
                self.fails("diff", *arguments, message=message)
        broken = self.folder / "broken.json"
        broken.write_text("{")
        self.fails("diff", broken, FOUR_RANKS, message="broken.json")

    def test_old_name(self):
        program = compile_program("regions.c", ("-O1",))
        logs = [next(run([program], preload=False).folder.glob("*_all.log")) for _ in range(2)]
        result = command(DIFF_PROFILES, *logs)
        self.assertEqual((result.status, result.stderr), (0, ""))
        heads, *cells = ([cell.strip() for cell in line[2:-2].rsplit(" | ", 5)]
                         for line in result.stdout.splitlines() if line.startswith("|"))
        rows = [dict(zip(heads, row)) for row in cells]
        self.assertEqual(heads, ["Function", "T1[s]", "T2[s]", "T_diff[s]", "T_diff[%]",
                                         "stackID"])
        differences = [abs(float(row["T_diff[s]"])) for row in rows]
        self.assertEqual(differences, sorted(differences, reverse=True))
        table = logs[0].read_text().split("Runtime profile\n")[1].split("\n\n")[0]
        in_log = {re.search(r"(\d+) \|$", line)[1]: line.split(" | ")[3].strip()
                  for line in table.splitlines()[3:] if line.startswith("|")}
        self.assertEqual({row["stackID"]: row["T1[s]"] for row in rows}, in_log)
        for arguments, status in (((), 1), (("--help",), 0), (("--version",), 0), ((logs[0],), 1),
                                  ((logs[0], "/nope"), 1)):
            result = command(DIFF_PROFILES, *arguments)
            self.assertEqual(result.status, status)
            self.assertEqual(bool(result.stderr), status != 0)
