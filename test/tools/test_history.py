"""vftrace store and vftrace history: many runs, and since when they are different. The rule for changes is tested by
simulated histories in test/unit/test_change_points.cpp, the store in test_run_store.cpp."""
import json
import re
import sqlite3

from command_support import CommandTest, command
from support import COMMAND, compile_program, need_part, run, scratch_folder

SECOND = 10**9


class History(CommandTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        need_part("HAVE_SQLITE")
        cls.folder = scratch_folder()
        cls.program = compile_program("ab.c", ("-O1",))
        for name, calls in (("old", 20), ("new", 21)):
            run([COMMAND, "run", "--output-directory", cls.folder / name, "--", cls.program, calls, 100000], preload=False,
                folder=cls.folder)
        cls.old, cls.new = (json.loads((cls.folder / name / "ab_all.json").read_text()) for name in ("old", "new"))

    def run_at(self, folder, number, *, of=None, factor=1.0, waiting=None):
        """A profile of run `number`, with the times of another one multiplied by the factor."""
        profile = json.loads(json.dumps(of or self.old))
        profile["run"]["start_unix_ns"] = 1_700_000_000 * SECOND + number * 3600 * SECOND
        for key in ("runtime_ns", "application_ns", "delay_ns"):
            if key in profile["run"]:
                profile["run"][key] = int(profile["run"][key] * factor)
        for node in profile["nodes"]:
            for key in ("exclusive_ns", "inclusive_ns", "raw_exclusive_ns", "raw_inclusive_ns"):
                if key in node:
                    node[key] = int(node[key] * factor)
        file = folder / f"{number}.json"
        file.write_text(json.dumps(profile))
        return file

    def store_of(self, numbers, **options):
        folder = scratch_folder()
        for number in numbers:
            changes = {key: value(number) for key, value in options.items()}
            file = self.run_at(folder, number, **changes)
            added = command("store", "add", file, "--commit", f"c{number}", "--branch", "main", folder=folder)
            self.assertEqual((added.status, added.stdout), (0, "vftrace.db: 1 run added\n"), added.stderr)
        return folder

    def test_calls_change_at_once(self):
        folder = self.store_of(range(4), of=lambda number: self.new if number == 3 else self.old)
        text = command("history", folder=folder).stdout
        self.assertTrue(text.startswith("4 runs of ab, 2023-11-14 22:13 to 2023-11-15 01:13 (UTC)\n"), text)
        self.assertIn("  2023-11-15 01:13 commit c3: work: 20 -> 21 calls, in 1 run\n", text)
        self.assertIn("The time of the run: not known: changes need 17 runs on a machine that is not busy, and there are", text)
        self.assertEqual(command("history", "--check", "1", folder=folder).status, 1)
        self.assertEqual(command("history", "--check", "1", "--branch", "main", folder=folder).status, 1)
        function = command("history", "work", folder=folder).stdout
        self.assertRegex(function, r"c3 .* 21 +calls 20 -> 21")
        document = json.loads(command("history", "--json", folder=folder).stdout)
        change, = document["call_changes"]
        self.assertEqual((change["function"], change["calls_before"], change["calls_after"], change["commit"]),
                         ("work", 20, 21, "c3"))
        self.assertEqual(len(document["runs"]), 4)

    def test_times_change_when_they_last(self):
        folder = self.store_of(range(30), factor=lambda number: (1.2 if number >= 22 else 1) * (1 + 0.001 * (number * 7 % 10)))
        with sqlite3.connect(folder / "vftrace.db") as database:  # whatever the machine was like when the profile was made
            database.execute("UPDATE runs SET waiting_share = 0, stolen_share = 0")
        text = command("history", folder=folder).stdout
        change = re.search(r"The time of the run:\n  \S+ \S+ commit c22: \S+ s -> \S+ s \(\+(\d+\.\d) %\), in 8 runs\n"
                           r"    work: own time", text)
        self.assertIsNotNone(change, text)
        self.assertAlmostEqual(float(change[1]), 20, delta=1)
        self.assertIn("The work, by numbers of calls: no change was seen.", text)
        self.assertEqual(command("history", "--check", "8", folder=folder).status, 1)
        self.assertEqual(command("history", "--check", "7", folder=folder).status, 0)
        self.assertRegex(command("history", "work", folder=folder).stdout, r"c22 .*\(\+\d+\.\d %\)")
        # On a busy machine the same times say nothing.
        with sqlite3.connect(folder / "vftrace.db") as database:
            database.execute("UPDATE runs SET waiting_share = 0.2 WHERE commit_id IN ('c22', 'c23', 'c24', 'c25', 'c26')")
        text = command("history", folder=folder).stdout
        self.assertIn("no lasting change of 5 % or more was seen.", text)
        self.assertIn("5 runs on a busy machine: shown, but not judged.", text)

    def test_list_and_twice(self):
        folder = self.store_of(range(2))
        again = command("store", "add", self.run_at(scratch_folder(), 1), folder=folder)
        self.assertEqual(again.stdout, "vftrace.db: 0 runs added, 1 was there already\n")
        listed = command("store", "list", folder=folder).stdout
        self.assertEqual(len(re.findall(r"\bab +main +c[01]\b", listed)), 2)
        other = command("store", "list", "--store", folder / "vftrace.db", VFTRACE_STORE="unused.db").stdout
        self.assertEqual(other, listed)
        self.assertEqual(command("store", "list", VFTRACE_STORE=folder / "vftrace.db").stdout, listed)

    def test_wrong_arguments(self):
        folder = scratch_folder()
        file = self.run_at(folder, 1)
        (folder / "text.db").write_text("not a database" * 100)
        for words, message in ((("history",), "vftrace.db: there is no such store"),
                               (("store", "add", file, "--store", "text.db"), "text.db: is not a store of vftrace"),
                               (("store", "add", file, "--parameter", "n"), "--parameter"),
                               (("store", "add", "missing.json"), "missing.json"), (("store",), "")):
            with self.subTest(words=words):
                result = command(*words, folder=folder)
                self.assertEqual((result.status, result.stdout), (2, ""))
                self.assertIn(message, result.stderr)
        (folder / "vftrace.db").unlink()
        command("store", "add", file, folder=folder)
        for words, message in ((("history", "nothing"), 'no function whose name contains "nothing"'),
                               (("history", "--application", "other"), "the store has no such runs"),
                               (("history", "--branch", "other"), "the store has no such runs")):
            self.assertIn(message, command(*words, folder=folder).stderr)
        other = json.loads(json.dumps(self.old))
        other["run"]["application"] = "other"
        command("store", "add", self.run_at(folder, 2, of=other), folder=folder)
        self.assertIn("runs of 2 programs: name one by --application", command("history", folder=folder).stderr)

    def test_names_are_data(self):
        profile = json.loads(json.dumps(self.old))
        function, = [row for row in profile["functions"] if row["name"] == "work"]
        function.update({key: "\x1b[31m'; DROP TABLE runs; --" for key, value in function.items() if value == "work"})
        folder = scratch_folder()
        command("store", "add", self.run_at(folder, 1, of=profile), "--commit", "\x1b]0;x\x07", folder=folder)
        for words in (("history",), ("store", "list"), ("history", "DROP"), ("history", "--json")):
            result = command(*words, folder=folder)
            self.assertEqual(result.status, 0, result.stderr)
            self.assertNotIn("\x1b", result.stdout)
