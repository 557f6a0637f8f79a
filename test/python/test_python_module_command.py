"""The Python module reads the same from a profile as the command: tables, numbers of paths, differences, exports."""
import csv
import io
import json
import unittest

from command_support import CommandTest, command
from python_module_support import FOUR_RANKS, THREADS, corpus, vftrace
from vftrace.path_hash import path_hash
from support import HERE, compile_program, run, scratch_folder

NS = 1e9
FEW = 16


class Agreement(CommandTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = scratch_folder()
        cls.files = [FOUR_RANKS, THREADS, *corpus(cls.folder, FEW)]

    def output(self, *words, status=0):
        result = command(*words, folder=self.folder)
        self.assertEqual((result.status, result.stderr), (status, ""), words)
        return result.stdout

    def csv(self, file, table, *words):
        text = self.output("report", "--table", table, "--format", "csv", "--full-names", "--all", *words, file)
        return list(csv.DictReader(io.StringIO(text)))

    def check_each(self, check):
        """Calls check(file, profile) for every profile."""
        for file in self.files:
            with self.subTest(file=file.name):
                check(file, vftrace.read(file))

    def check_calls(self, calls, are, cell):
        """A number with the mark for estimates or lower bounds; of sampled paths it is not known."""
        mark = {"estimated": "~", "at least": ">=", "exact": "", None: ""}[are]
        # A path that only samples know of has 0 in the tables of runs with hooks.
        self.assertIn(cell, ("", "0") if calls is None else (f"{mark}{calls}",))

    def test_paths(self):
        def check(file, profile):
            rows = {row["stack_id"]: row for row in self.csv(file, "profile", "--callpath", "--overhead")}
            paths = profile.table("paths")
            self.assertEqual(len(rows), len(paths))
            total = sum(row["exclusive_ns"] for row in paths if not row["paused"])
            for path in paths:
                row = rows[str(path["stid"])]
                self.check_calls(path["calls"], path["calls_are"], row["calls"])
                for ours, theirs in (("exclusive_ns", "time_excl[s]"), ("inclusive_ns", "time_incl[s]"), ("overhead_ns", "overhead[s]")):
                    self.assertAlmostEqual(path[ours] / NS, float(row[theirs]), places=9)
                share = 0 if path["paused"] or not total else 100 * path["exclusive_ns"] / total
                self.assertAlmostEqual(float(row["share_excl[%]"]), share, places=6)
                self.assertEqual((path["function"], path["caller"] or "----", path["callpath"]),
                                 (row["function"], row["caller"], row["callpath"]))
                if profile.run.is_sampled:
                    self.assertEqual("" if path["samples"] is None else str(path["samples"]), row["samples"])
        self.check_each(check)

    def test_functions(self):
        """By name: functions of the same name in several modules are one row of the command."""
        def check(file, profile):
            functions = {}
            for row in profile.table("functions"):
                functions.setdefault(row["function"], []).append(row)
            rows = {row["function"]: row for row in self.csv(file, "names") if row["function"] in functions}
            self.assertEqual(set(rows), set(functions))
            for name, row in rows.items():
                ours = functions[name]
                self.assertAlmostEqual(sum(of_one["exclusive_ns"] for of_one in ours) / NS, float(row["time_excl[s]"]), places=8)
                if len(ours) == 1:
                    self.check_calls(ours[0]["calls"], ours[0]["calls_are"], row["calls"])
        self.check_each(check)

    def test_functions_and_numbers_of_paths(self):
        """Those of report --function and --path."""
        def check(file, profile):
            paths = profile.table("paths")
            ids = dict(zip(paths["path"], zip(paths["function"], paths["exclusive_ns"], paths["callpath"])))
            for row in profile.table("functions").sorted_by("exclusive_ns").head(3):
                brief = json.loads(self.output("report", "--function", row["name"], "--format", "json", file))
                if "function" not in brief or brief["function"]["name"] != row["function"]:
                    continue  # several functions have this name
                function = brief["function"]
                self.assertAlmostEqual(function["own_seconds"], row["exclusive_ns"] / NS, places=9)
                self.assertAlmostEqual(function["own_error_seconds"], row["exclusive_error_ns"] / NS, places=9)
                self.assertAlmostEqual(function["total_seconds"], row["inclusive_ns"] / NS, places=9)
                self.assertEqual(function.get("calls"), row["calls"] or None)
                self.assertTrue(brief["paths"])
                for path in brief["paths"]:
                    self.assertIn(path["id"], ids)
                    if file == THREADS:
                        continue  # written by hand: several paths have the same hash
                    name, ns, chain = ids[path["id"]]
                    self.assertEqual((name, ns / NS), (row["function"], path["own_seconds"]))
                    of_path = json.loads(self.output("report", "--path", path["id"], "--format", "json", file))
                    self.assertEqual("<".join(reversed(of_path["path"])), chain)
                of_ranks = brief.get("own_seconds_by_rank")
                nodes = [i for i, name in enumerate(paths["function"]) if name == row["function"]]
                if of_ranks is not None and len(nodes) == 1:
                    values = list(profile.by_rank("exclusive_s")[nodes[0]])
                    self.assertEqual((of_ranks["least_rank"], of_ranks["most_rank"]),
                                     (values.index(min(values)), values.index(max(values))))
                    self.assertAlmostEqual(sum(values) / len(values), of_ranks["mean"], places=9)
        self.check_each(check)

    def test_numbers_of_paths_that_begin_alike(self):
        """As many digits as distinguish them, at least six."""
        document = json.loads(FOUR_RANKS.read_text())
        for node, hashed in zip(document["nodes"][1:], ("0123456789abcdef", "0123456789abcdee", "01234567ffffffff", "0123455555555555")):
            node["hash"] = hashed
        file = self.folder / "alike.json"
        file.write_text(json.dumps(document))
        paths = vftrace.read(file).table("paths")
        self.assertEqual(paths["path"][1:5], ["0123456789abcdef", "0123456789abcdee", "01234567f", "0123455"])
        for function, number in zip(paths["function"][1:5], paths["path"][1:5]):
            brief = json.loads(self.output("report", "--function", function, "--format", "json", file))
            self.assertIn(number, [path["id"] for path in brief["paths"]])

    def test_cost_of_hooks_that_one_run_does_not_have(self):
        """It does not count as slower: a leaf has lost its hooks in one run, and their cost in the other is uncertain."""
        def node_of(document, name):
            return next(node for node in document["nodes"] if document["functions"][node["function"]]["name"] == name)
        removed, costly = (json.loads(FOUR_RANKS.read_text()) for _ in range(2))
        node = node_of(removed, "write_result")
        removed["nodes"][node["parent"]]["exclusive_ns"] += node["exclusive_ns"]
        self.assertEqual(removed["nodes"].pop(), node)
        removed["filtered"] = [{"function": node["function"], "reason": "budget", "calls": 3, "exclusive_ns": 5, "overhead_ns": 1,
                                "still_called": False}]
        node = node_of(costly, "write_result")
        node["overhead_ns"] = 800_000_000
        node["exclusive_ns"] += 500_000_000
        files = []
        for name, document in (("removed", removed), ("costly", costly)):
            files.append(self.folder / f"{name}.json")
            files[-1].write_text(json.dumps(document))
        ours = vftrace.read(files[0]).compare(vftrace.read(files[1]), threshold=5)
        theirs = json.loads(self.output("diff", "--json", "--threshold", "5", "--min-time", "0", *files))
        self.assertEqual(self.differences(theirs["rows"], "function"), self.our_differences(ours, "function"))
        main, = [row for row in ours if row["function"] == "main"]
        self.assertEqual((main["exclusive_difference_ns"], main["slower"], main["time_changed"]), (500_000_000, False, False))

    def test_identities(self):
        """The hash of a path that the module computes from names is that of the file."""
        for name in ("python.json", "many_threads.json", "recursion.json"):
            profile = vftrace.read(HERE / "corpus" / f"{name}.gz")
            paths = profile.table("paths")
            names = profile.core.names
            for node, hashed in enumerate(paths["hash"]):
                chain = [names[profile.core.function_of[at]] for at in profile._paths.chain(node)]
                self.assertEqual(f"{path_hash(chain):016x}", hashed, (name, chain))
            self.assertGreater(len(paths), 5)

    def test_other_tables(self):
        """Each row of the command's table and of ours: (table, our table, {column: our column}, key)."""
        compared = (
            ("ranks", "ranks", {"rank": "rank", "calls": "calls", "mpi[s]": "mpi_s"}, "rank"),
            ("threads", "threads", {"thread": "number", "calls": "calls", "time[s]": "time_s", "waiting[s]": "waiting_s"}, "calls"),
            ("sizes", "message_sizes", {"sent": "sent", "received": "received"}, "sent"),
            ("gpu_streams", "gpu.streams", {"stream": "stream", "kernels": "kernels"}, "stream"),
        )
        found = set()

        def check(file, profile):
            for theirs, ours, columns, key in compared:
                if ours not in profile.tables or theirs == "threads" and len(profile.table(ours)) == 1:
                    continue
                rows = [row for row in self.csv(file, theirs) if theirs != "sizes" or {row["sent"], row["received"]} != {"0"}]
                columns = {a: b for a, b in columns.items() if a in rows[0]}
                self.assertIn(key, columns)
                found.add(ours)
                table = profile.table(ours)
                a = sorted(tuple(float(row[name]) for name in columns) for row in rows)
                b = sorted(tuple(float(value) for value in row) for row in zip(*(table[name] for name in columns.values())))
                self.assertEqual(len(a), len(b))
                for row_a, row_b in zip(a, b):
                    for cell_a, cell_b in zip(row_a, row_b):
                        self.assertAlmostEqual(cell_a, cell_b, places=6)
        self.check_each(check)
        self.assertLessEqual({"ranks", "threads", "message_sizes"}, found)

    def pairs(self):
        """Runs of the same program, of different ones, and two of which one has measured functions that the other one has not."""
        program = compile_program("filtered_in_one_run.c", ("-O1", "-fno-inline"))
        runs = [next(run([program], **settings).folder.glob("*_all.json"))
                for settings in ({"VFTR_FILTER_EXCLUDE": "^small$"}, {})]
        busy = [file for file in corpus(self.folder, 1000) if ".busy." in file.name]
        alone = [file.with_name(file.name.replace(".busy", "")) for file in busy]
        step = max(1, len(busy) // FEW)
        return [*zip(alone[::step], busy[::step]), (alone[0], busy[-1]), (FOUR_RANKS, THREADS), runs, runs[::-1]]

    def test_differences(self):
        """Rows, sums, notes and functions that one run has filtered are those of vftrace diff --json."""
        filtered = 0
        for a, b in self.pairs():
            for by in ("function", "path"):
                with self.subTest(a=a.name, b=b.name, by=by):
                    result = command("diff", "--json", "--by", by, "--min-time", "0", "--threshold", "10", a, b)
                    theirs = json.loads(result.stdout)
                    ours = vftrace.read(a).compare(vftrace.read(b), by=by, threshold=10)
                    self.assertEqual(self.differences(theirs["rows"], by), self.our_differences(ours, by))
                    self.assertEqual([note.replace("(see below)", "(see filtered_in_one)") for note in theirs["notes"]], ours.notes)
                    self.assertEqual(len(theirs["filtered_in_one"]), len(ours.filtered_in_one))
                    for row, of_ours in zip(theirs["filtered_in_one"], ours.filtered_in_one):
                        filtered += 1
                        self.assertEqual((row["function"], row["filtered_in"], row["reason"], row["still_called"]), of_ours[:4])
                        for side in "ab":
                            self.assertEqual(row[side], {key: getattr(of_ours, f"{side}_{key}") for key in row[side]})
                    self.assertEqual((theirs["a"]["runtime_ns"], theirs["b"]["ranks"]), (ours.a.runtime_ns, ours.b.ranks))
        self.assertGreater(filtered, 0)

    @staticmethod
    def differences(rows, by):
        """Sorted, because rows with equal differences may be in any order."""
        return sorted((abs(row["exclusive_difference_ns"]), row[by], row["exclusive_difference_ns"], row["inclusive_difference_ns"],
                       row["slower"], *((side or {}).get(figure, -1) for side in (row["a"], row["b"])
                                        for figure in ("exclusive_ns", "inclusive_ns", "calls"))) for row in rows)

    @staticmethod
    def our_differences(table, by):
        def calls(row, side):
            """0 in the command's output if they are not known."""
            missing = row[f"{side}_exclusive_ns"] is None
            return -1 if missing else row[f"{side}_calls"] or 0

        def value(row, name):
            return -1 if row[name] is None else row[name]
        return sorted((abs(row["exclusive_difference_ns"]), row[by], row["exclusive_difference_ns"], row["inclusive_difference_ns"],
                       row["slower"], value(row, "a_exclusive_ns"), value(row, "a_inclusive_ns"), calls(row, "a"),
                       value(row, "b_exclusive_ns"), value(row, "b_inclusive_ns"), calls(row, "b")) for row in table)

    def test_rows_of_little_time(self):
        a, b = self.pairs()[0]
        theirs = json.loads(command("diff", "--json", "--min-time", "0.001", a, b).stdout)
        ours = vftrace.read(a).compare(vftrace.read(b), min_time=0.001)
        self.assertEqual(sorted(row["function"] for row in theirs["rows"]), sorted(ours["function"]))
        self.assertGreater(theirs["rows_left_out"], 0)

    def test_literal(self):
        """The tree is that of vftrace export --format hatchet."""
        def check(file, profile):
            made = self.folder / "made.json"
            self.output("export", "--format", "hatchet", "-o", made, file)
            theirs = json.loads(made.read_text())
            self.compare_trees(theirs, profile.to_literal())
        self.check_each(check)

    def compare_trees(self, theirs, ours):
        pairs = [(theirs, ours)]
        while pairs:
            a, b = pairs.pop()
            self.assertEqual(len(a), len(b))
            for one, other in zip(a, b):
                self.assertEqual(one["frame"], other["frame"])
                other["metrics"].setdefault("calls", 0)  # not known
                self.assertEqual(set(one["metrics"]), set(other["metrics"]))
                for name, value in one["metrics"].items():
                    self.assertAlmostEqual(value, other["metrics"][name], delta=1e-9 + 1e-9 * abs(value))
                pairs.append((one["children"], other["children"]))

    def test_hatchet(self):
        profile = vftrace.read(FOUR_RANKS)
        try:
            frame = profile.to_hatchet()
        except vftrace.MissingPackage as error:
            self.assertIn("to_literal()", str(error))
            raise unittest.SkipTest("the Python module hatchet is not installed")
        self.assertEqual(len(frame.dataframe), len(profile.table("paths")))


class Command(CommandTest):
    """What the command computes for the module."""

    def setUp(self):
        super().setUp()
        self.folder = scratch_folder()
        self.file = next(file for file in corpus(self.folder, 1000) if file.name == "mpi_uneven4.json")
        self.profile = vftrace.read(self.file)

    def test_findings(self):
        printed = json.loads(command("report", "--table", "findings", "--format", "json", "--full-names", self.file).stdout)
        table, = printed["tables"]
        findings = self.profile.findings()
        self.assertGreater(len(findings), 0)
        self.assertEqual([list(row.values()) for row in findings], table["rows"])
        self.assertEqual(list(findings.columns), [column["id"] for column in table["columns"]])

    def test_other_tables_and_options(self):
        self.assertEqual(self.profile.report("profile", "--callpath")["callpath"],
                         [row["callpath"] for row in self.profile.report("profile", "--callpath")])
        self.assertIn(self.profile.grade(), ("good", "fair", "poor"))
        self.assertEqual(self.profile.quality.grade, self.profile.grade())
        estimates = next(file for file in corpus(self.folder, 1000) if file.name == "finite_elements.json")
        table = vftrace.read(estimates).report("profile")
        self.assertEqual(set(table["calls_are"]), {"exact", "estimated", "at least"})
        self.assertLessEqual({type(calls) for calls in table["calls"]}, {int})

    def test_file_that_has_changed(self):
        """The command gets what was read, not what is in the file now."""
        before = self.profile.report("profile")["time_excl"]
        document = json.loads(self.file.read_text())
        for node in document["nodes"]:
            node["exclusive_ns"] *= 2
        self.file.write_text(json.dumps(document))
        self.assertEqual(self.profile.report("profile")["time_excl"], before)
        self.file.unlink()
        findings = self.profile.findings()
        self.assertTrue(any(str(self.file) in step for step in findings["next_step"]), findings["next_step"])

    def test_from_a_file_object(self):
        with open(self.file, "rb") as file:
            self.assertEqual(vftrace.read(file).report("profile")["time_excl"], self.profile.report("profile")["time_excl"])

    def test_messages(self):
        with self.assertRaisesRegex(vftrace.ToolError, r"the command /no/vftrace was not found: give it as command=\.\.\."):
            self.profile.findings(command="/no/vftrace")
        with self.assertRaisesRegex(vftrace.ToolError, "no_such_table"):
            self.profile.report("no_such_table")
        fake = self.folder / "fake"
        fake.write_text("#!/bin/sh\necho '[1, 2]'\n")
        fake.chmod(0o755)
        with self.assertRaisesRegex(vftrace.ToolError, "has not printed JSON"):
            self.profile.findings(command=str(fake))
        fake.write_text("#!/bin/sh\nexec sleep 60\n")
        with self.assertRaisesRegex(vftrace.ToolError, "has not ended within 0.2 s"):
            self.profile.findings(command=str(fake), timeout=0.2)

    def test_a_name_like_an_option(self):
        file = self.folder / "--all"
        file.write_bytes(self.file.read_bytes())
        self.assertGreater(len(vftrace.read(file).findings()), 0)
        self.assertEqual(run(["ls", "--", "--all"], preload=False, folder=self.folder).status, 0)
