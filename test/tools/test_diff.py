"""vftrace diff and vftrace_diff_profiles: two runs compared, by function and by path, from JSON files and logs."""
import json
import re

from command_support import CommandTest, command
from support import BUILD, COMMAND, HERE, compile_program, run, scratch_folder

FOUR_RANKS = HERE / "profiles" / "halo_4_ranks.json"
DIFF_PROFILES = BUILD / "vftrace_diff_profiles"


class Diff(CommandTest):
    """Diffs of a profile and a copy in which some paths have changed."""

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
        """compute is slower by a half, MPI_Waitall by 1 %; MPI_Init takes a tenth of its time."""
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
        # Names may contain bars too, so the last column takes the rest.
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
        self.assertIn("0 functions. The whole run: not slower", printed)

    def test_threshold(self):
        b = self.changed(self.slower)
        printed = self.diff(FOUR_RANKS, b, "--threshold", "10", status=1)
        self.assertEqual([row[-1] for row in self.rows(printed) if row[-2] == "slower"],
                         ["compute"])
        self.assertIn("1 function. The whole run: not slower", printed)
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
        self.assertIn("0 functions. The whole run: slower", printed)

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
        # A log and the JSON of the same run differ only by rounding.
        printed = json.loads(self.diff(jsons[0], logs[0], "--json", "--min-time", "0"))
        self.assertTrue(all(abs(row["exclusive_difference_ns"]) <= 5_000_000
                            for row in printed["rows"]))

    def filtered(self, function, reason="budget", calls=3):
        """The profile as it would be if the hooks of that leaf had been removed after some calls."""
        def edit(profile):
            node = self.node_of(profile, function)
            caller = profile["nodes"][node["parent"]]
            caller["exclusive_ns"] += node["exclusive_ns"]
            place = profile["nodes"].index(node)
            profile["nodes"].remove(node)
            for number, other in enumerate(profile["nodes"]):
                other["id"] = number
                if (other.get("parent") or 0) > place:
                    other["parent"] -= 1
            for row in profile.get("communication", []):
                if row["node"] > place:
                    row["node"] -= 1
            profile["filtered"] = [{
                "function": node["function"], "calls": calls, "exclusive_ns": 5_000_000,
                "overhead_ns": 1_000_000, "moment_ns": 2_000_000, "reason": reason,
                "still_called": False}]
        return self.changed(edit, f"without_{function}.json")

    def test_hooks_removed_in_one_run(self):
        """No function is new, and no caller slower, because hooks were removed in a run."""
        removed = self.filtered("compute")
        for pair, in_which in (((removed, FOUR_RANKS), "A"), ((FOUR_RANKS, removed), "B")):
            for by in ("function", "path"):
                with self.subTest(pair=pair, by=by):
                    printed = self.diff(*pair, "--by", by, "--threshold", "1", "--min-time", "0")
                    table, listed = printed.split("\nMeasured in only one of the runs\n")
                    rows = self.rows(table)
                    self.assertFalse([row for row in rows if row[-2]], "no note at any row")
                    self.assertTrue(all(row[4] == "0.000" for row in rows))
                    self.assertNotIn("compute", [row[-1].split("<")[0] for row in rows])
                    self.assertIn("Note: 1 function was measured in only one of the runs", table)
                    row, = (line.strip("| ").split() for line in listed.splitlines()
                            if line.startswith("|") and "compute" in line)
                    figures = ["3", "400", "0.005", "4.606"]
                    if in_which == "B":
                        figures = ["400", "3", "4.606", "0.005"]
                    self.assertEqual([cell for cell in row if cell != "|"],
                                     [*figures, "hooks", "removed", "in", in_which, "compute"])

    def test_hooks_removed_json(self):
        excluded = self.filtered("compute", "excluded")
        printed = json.loads(self.diff(excluded, FOUR_RANKS, "--json", "--threshold", "1"))
        self.assertEqual((printed["slower"], printed["runtime_is_slower"]), (0, False))
        self.assertNotIn("compute", [row["function"] for row in printed["rows"]])
        row, = printed["filtered_in_one"]
        self.assertEqual((row["function"], row["filtered_in"], row["reason"]),
                         ("compute", "a", "excluded"))
        self.assertEqual((row["a"]["calls"], row["b"]["calls"]), (3, 400))
        self.assertIn("excluded in A", self.diff(excluded, FOUR_RANKS))
        self.assertEqual(json.loads(self.diff(excluded, excluded, "--json"))["filtered_in_one"], [])

    def test_hooks_removed_does_not_hide_what_is_slower(self):
        removed = self.filtered("compute")
        self.assertIn("slower", self.diff(removed, self.changed(self.slower), "--threshold", "10",
                                          status=1))
        def hooks_cost(profile):  # the cost of hooks that only this run has does not count as a slower program
            node = self.node_of(profile, "compute")
            node["overhead_ns"] = 800_000_000
            node["exclusive_ns"] += 500_000_000
            profile["run"]["runtime_ns"] += 150_000_000
        costly = self.changed(hooks_cost, "costly.json")
        self.diff(removed, costly, "--threshold", "5")
        self.diff(FOUR_RANKS, costly, "--threshold", "5", status=1)

    def test_hooks_removed_in_logs(self):
        """Logs show this by their list of filtered functions; the old tool prints no rows for these functions."""
        program = compile_program("filtered_in_one_run.c", ("-O1", "-fno-inline"))
        runs = [run([program], VFTR_OVERHEAD_BUDGET="0", **settings)
                for settings in ({"VFTR_FILTER_EXCLUDE": "^small$"}, {})]
        logs, jsons = ([next(r.folder.glob(f"*_all.{suffix}")) for r in runs]
                       for suffix in ("log", "json"))
        for pair in (logs, jsons, (logs[0], jsons[1]), (jsons[0], logs[1])):
            for by in ("function", "path"):
                with self.subTest(pair=pair, by=by):
                    printed = json.loads(self.diff(*pair, "--by", by, "--json", "--min-time", "0"))
                    rows = {row[by]: row for row in printed["rows"]}
                    self.assertFalse([row for row in rows.values() if not (row["a"] and row["b"])])
                    below = "leaf" if by == "function" else "leaf<middle<main<init"
                    self.assertEqual([rows[below][side]["calls"] for side in "ab"], [600, 600])
                    removed, = printed["filtered_in_one"]
                    self.assertEqual((removed["function"], removed["b"]["calls"]), ("small", 300))
        result = command(DIFF_PROFILES, *logs)
        self.assertEqual((result.status, result.stderr), (0, ""))
        self.assertNotIn("small", result.stdout)
        # A merged profile has no row for a function if one of its inputs has none.
        merged = self.folder / "merged.json"
        self.assertEqual(command("merge", "--runs", "mean", "-o", merged, *jsons).status, 0)
        printed = json.loads(self.diff(merged, jsons[1], "--json", "--min-time", "0"))
        self.assertEqual([row["function"] for row in printed["filtered_in_one"]], ["small"])
        self.assertFalse([row for row in printed["rows"] if not (row["a"] and row["b"])])

    def test_errors(self):
        for arguments, message in (
                ([FOUR_RANKS], "B is required"), ([FOUR_RANKS, "/nope.json"], "/nope.json: No such"),
                ([FOUR_RANKS, "/"], "/: "), ([FOUR_RANKS, COMMAND], "neither a profile"),
                ([FOUR_RANKS, FOUR_RANKS, FOUR_RANKS], "halo_4_ranks.json"),
                ([FOUR_RANKS, FOUR_RANKS, "--threshold", "-1"], "is not a number from 0"),
                ([FOUR_RANKS, FOUR_RANKS, "--threshold", "nan"], "is not a number from 0"),
                ([FOUR_RANKS, FOUR_RANKS, "--limit", "0"], "is not a number of rows"),
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
