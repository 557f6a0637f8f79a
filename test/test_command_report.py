"""vftrace report: the tables of a profile again, and what it says to files that are none."""
import json
import re
import subprocess

from command_support import CommandTest, command
from support import COMMAND, compile_program, run, scratch_folder, table_rows


class Report(CommandTest):
    def setUp(self):
        super().setUp()
        result = run([compile_program("regions.c", ("-O1",))], preload=False,
                     VFTR_NAME_GROUPED_PROFILE_TABLE_SHOW_TABLE="yes",
                     VFTR_PROFILE_TABLE_SHOW_OVERHEAD="yes",
                     VFTR_PROFILE_TABLE_SHOW_CALLPATH="yes")
        self.log = result.text()
        self.json = result.folder / "regions_all.json"
        self.nodes = result.profile()["nodes"]

    def report(self, *options):
        result = command("report", self.json, *options)
        self.assertEqual((result.status, result.stderr), (0, ""))
        return result.stdout

    def test_prints_the_tables_of_the_log(self):
        printed = self.report("--callpath", "--overhead", "--stacks")
        log = re.sub(r"Runtime profile \(Grouped.*?\n\n", "", self.log, flags=re.S)
        log = log[:log.index("\nVftrace configuration set by")]
        self.assertEqual(printed.rstrip("\n"), log.rstrip("\n"))
        grouped = self.report("--group", "name")
        self.assertEqual(table_rows(grouped, "Runtime profile (Grouped by function name)"),
                         table_rows(self.log, "Runtime profile (Grouped by function name)"))

    def test_plain(self):
        printed = self.report()
        self.assertIn("Runtime profile\n", printed)
        for part in ("Global call stacks", "Callpath", "overhead[s]", "configuration", "Grouped"):
            self.assertNotIn(part, printed)
        self.assertIn("overhead[s]", self.report("--overhead"))
        self.assertIn("Callpath", self.report("--callpath"))
        self.assertIn("Global call stacks:", self.report("--stacks"))

    def test_sort(self):
        by_stid = {node["stid"]: node for node in self.nodes}
        for column, key in (("time_excl", "exclusive_ns"), ("time_incl", "inclusive_ns"),
                            ("calls", "calls"), ("stack_id", "stid"), ("overhead", "overhead_ns")):
            for ascending in ([], ["--ascending"]):
                with self.subTest(column=column, ascending=bool(ascending)):
                    # A name may look like columns, so only the last one is read.
                    printed = self.report("--sort", column, *ascending)
                    values = [by_stid[int(stid)][key]
                              for stid in re.findall(r"(\d+) \|$", printed, re.M)]
                    self.assertEqual(len(values), len(self.nodes))
                    self.assertEqual(values, sorted(values, reverse=not ascending))

    def test_sort_groups(self):
        rows = table_rows(self.report("--group", "name", "--sort", "calls", "--ascending"),
                          "Runtime profile (Grouped by function name)")
        calls = [int(row["Calls"]) for row in rows]
        self.assertEqual(calls, sorted(calls))
        self.assertEqual({row["Function"]: row["Calls"] for row in rows}["work"], "6")

    def test_limit(self):
        printed = self.report("--limit", "2")
        self.assertEqual(len(table_rows(printed, "Runtime profile")), 2)
        self.assertIn(f"({len(self.nodes) - 2} more rows)\n", printed)
        self.assertNotIn("more rows", self.report("--limit", len(self.nodes)))

    def test_full_names(self):
        self.assertNotIn("x" * 10000, self.report())
        self.assertIn("x" * 10000, self.report("--full-names"))

    def test_wrong_arguments(self):
        file = self.json
        for arguments, message in (
                ([], "FILE is required (see vftrace report --help)"),
                ([file, "another"], "another"), ([file, "--sort", "speed"], "time_excl"),
                ([file, "--sort"], "--sort"), ([file, "--group", "caller"], "caller"),
                ([file, "--limit", "0"], '"0" is no number of rows (1 or more)'),
                ([file, "--limit", "-1"], "--limit"), ([file, "--limit", "x"], '"x" is no number'),
                ([file, "--group", "name", "--callpath"], "no meaning with --group name"),
                ([file, "--group", "name", "--sort", "overhead"], "no overhead to sort by"),
                ([file, "--bogus"], "--bogus")):
            with self.subTest(arguments=arguments):
                self.fails("report", *arguments, message=message)

    def test_no_such_file(self):
        self.fails("report", "/nope.json", message="/nope.json: No such file or directory")
        self.fails("report", "/", message="/: Is a directory")
        self.fails("report", COMMAND, message="no valid JSON")

    def hostile(self, content):
        path = scratch_folder() / "hostile.json"
        path.write_bytes(content)
        self.fails("report", path, "--stacks", message=str(path))

    def test_truncated(self):
        content = self.json.read_bytes().rstrip()
        for length in range(0, len(content), max(1, len(content) // 60)):
            with self.subTest(length=length):
                self.hostile(content[:length])

    def test_more_than_one_document(self):
        self.hostile(self.json.read_bytes() * 2)
        self.hostile(self.json.read_bytes() + b"x")

    def test_not_a_profile(self):
        for content in (b"{}", b"[]", b"null", b"1", b'""', b"\0", b"\xff\xfe", b"[" * 1000000,
                        b'{"a":' * 100000, b'{"format": "vftrace-profile", "version": 2}',
                        b'{"format": "vftrace-profile", "version": 1}'):
            with self.subTest(content=content[:60]):
                self.hostile(content)

    def test_wrong_values(self):
        def change(edit):
            profile = json.loads(self.json.read_text())
            edit(profile)
            return json.dumps(profile).encode()

        def node(key, value):
            return lambda profile: profile["nodes"][1].update({key: value})
        edits = {
            "parent behind the child": node("parent", 5), "own parent": node("parent", 1),
            "negative parent": node("parent", -1), "parent is text": node("parent", "main"),
            "no such function": node("function", 10 ** 6), "half a call": node("calls", 0.5),
            "too many calls": node("calls", 2 ** 64), "huge number": node("calls", 1e300),
            "no stid": lambda profile: profile["nodes"][1].pop("stid"),
            "no nodes": lambda profile: profile.pop("nodes"),
            "nodes are an object": lambda profile: profile.update(nodes={}),
            "run is null": lambda profile: profile.update(run=None),
            "unknown kind": lambda profile: profile["functions"][1].update(kind="god"),
            "no such module": lambda profile: profile["functions"][1].update(module=77),
            "another format": lambda profile: profile.update(format="other")}
        for name, edit in edits.items():
            with self.subTest(name):
                self.hostile(change(edit))

    def test_names_cannot_control_the_terminal(self):
        profile = json.loads(self.json.read_text())
        profile["functions"][1]["display"] = "\x1b[2J\n\r\x07evil"
        profile["run"]["application"] = "\x1b]0;evil\x07"
        path = scratch_folder() / "names.json"
        path.write_text(json.dumps(profile))
        result = command("report", path, "--stacks", "--callpath")
        self.assertEqual(result.status, 0, result.stderr)
        self.assertNotRegex(result.stdout, r"[\x00-\x09\x0b-\x1f\x7f]")

    def test_integers_beyond_a_double(self):
        profile = json.loads(self.json.read_text())
        profile["nodes"][1]["calls"] = 2 ** 53 + 1
        path = scratch_folder() / "large.json"
        path.write_text(json.dumps(profile))
        self.assertIn(f" {2 ** 53 + 1} ", command("report", path).stdout)

    def test_full_disk(self):
        with open("/dev/full", "w") as full:
            for arguments in (["report", self.json], ["config", "doc"], ["--version"]):
                result = subprocess.run([COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE,
                                        text=True)
                self.assertEqual(result.returncode, 2, arguments)
                self.assertRegex(result.stderr, r"\Avftrace: .*No space left on device\n\Z")
