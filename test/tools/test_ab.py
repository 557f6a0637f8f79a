"""vftrace ab: which of two programs is slower. Its statistics are tested in test/unit/test_paired_ratio.cpp."""
import json
import os
import signal
import subprocess
import time

from command_support import CommandTest, command
from support import COMMAND, clean_environment, compile_program, scratch_folder

CALLS, STEPS = "20", "200000"
TEN_TIMES = str(10 * int(STEPS))  # so much that no other program on the machine hides it


class Ab(CommandTest):
    def compared(self, first, second, *options, status=None):
        result = command("ab", "--json", *options, "--", *first, "--", *second)
        self.assertEqual(result.stderr, "")
        if status is not None:
            self.assertEqual(result.status, status, result.stdout)
        return json.loads(result.stdout)

    def test_ten_times_the_work(self):
        """By more steps of the same calls: only the time differs."""
        for flags, instrument in (((), True), ((), False)):
            program = compile_program("ab.c", ("-O1", *flags), instrument=instrument)
            found = self.compared((program, CALLS, STEPS), (program, CALLS, TEN_TIMES), status=1)
            self.assertEqual(found["verdict"], "slower")
            self.assertGreater(found[found["judged"]]["ratio_low"], 1.5)
            self.assertTrue(found["repeated"])
            self.assertEqual((found["pairs"], found["confidence"]), (14, 0.99))
            self.assertEqual(found["functions_with_same_calls"] > 0, instrument)
            if instrument:  # the samples of so short a run may miss everything
                self.assertTrue(found["times_from_profiles"])
                work, = [row for row in found["functions"] if row["function"] == "work"]
                self.assertTrue(work["time_changed"])
                self.assertEqual((work["first_calls"], work["second_calls"]), (20, 20))

    def test_other_direction(self):
        program = compile_program("ab.c", ("-O1",))
        found = self.compared((program, CALLS, TEN_TIMES), (program, CALLS, STEPS), "--no-repeat", status=0)
        self.assertEqual((found["verdict"], found["pairs"]), ("faster", 7))

    def test_counts_are_exact(self):
        """One call more is seen at once, whatever the times are."""
        program = compile_program("ab.c", ("-O1",))
        found = self.compared((program, CALLS, "1000"), (program, "21", "1000"), "--runs", "2", "--warm-up", "0",
                              "--compare-output", status=0)
        self.assertEqual(found["verdict"], "unknown")
        self.assertIn("at least 6 pairs", found["sentence"])
        self.assertIsNone(found["wall_time"]["ratio_low"])
        work, = [row for row in found["functions"] if row["function"] == "work"]
        self.assertEqual((work["first_calls"], work["second_calls"], work["calls_changed"]), (20, 21, True))
        self.assertEqual(found["output"], "different")

    def test_text(self):
        program = compile_program("ab.c", ("-O1",))
        result = command("ab", "--no-repeat", "--compare-output", "--", program, CALLS, STEPS, "--", program, CALLS,
                         TEN_TIMES)
        self.assertEqual((result.status, result.stderr), (1, ""))
        self.assertRegex(result.stdout, r"\AFirst:  \S+ 20 200000\nSecond: \S+ 20 2000000\n7 pairs of runs, taking turns; "
                                        r"before, 1 of each that was not counted\n")
        self.assertIn("The work is the same as far as it was counted: calls of", result.stdout)
        self.assertIn("Both programs print the same.", result.stdout)
        self.assertRegex(result.stdout, r"  20 +slower +work\n")
        self.assertRegex(result.stdout, r"\nThe second program is slower by \d+\.\d % of (wall|processor) time \(\+\d+\.\d to "
                                        r"\+\d+\.\d %, with 95 % confidence\)\.\n\Z")

    def test_without_profiles(self):
        program = compile_program("ab.c", ("-O1",), instrument=False)
        found = self.compared((program, CALLS, STEPS), (program, CALLS, TEN_TIMES), "--profile", "none", status=1)
        self.assertFalse(found["times_from_profiles"])
        self.assertEqual(found["functions"], [])
        self.assertIsNone(found["waiting_share"])

    def test_several_programs(self):
        """A script: its times are those of the whole command, its functions those of all its programs."""
        program = compile_program("ab.c", ("-O1",))
        script = ("sh", "-c", f"{program} {CALLS} {STEPS}; {program} {CALLS} 100000")
        found = self.compared(script, script, "--profile", "hooks", "--runs", "2", "--warm-up", "0", status=0)
        work, = [row for row in found["functions"] if row["function"] == "work"]
        self.assertIn(work["first_calls"], (20, 40))  # both write the same file, unless it has the process's number

    def test_kept_profiles(self):
        folder = scratch_folder() / "kept"
        program = compile_program("ab.c", ("-O1",))
        self.compared((program, CALLS, "1000"), (program, CALLS, "1000"), "--runs", "2", "--keep", folder, status=0)
        self.assertEqual(sorted(os.listdir(folder)), [f"{name}-{i}" for name in ("first", "second") for i in range(3)])
        self.assertEqual(len(list(folder.glob("*/*_all.json"))), 6)
        result = command("ab", "--keep", folder, "--", program, "--", program)
        self.assertEqual((result.status, result.stdout), (2, ""))
        self.assertIn("is not empty", result.stderr)

    def test_failures(self):
        program = compile_program("ab.c", ("-O1",))
        for words, text in ((("--", program), "two programs are needed"), (("--", "--", program), "two programs are needed"),
                            (("--", program, "--"), "two programs are needed"), (("--", "./missing", "--", program), "./missing"),
                            (("--", program, "1", "1", "3", "--", program), "ended with status 3: ends with a status"),
                            (("--profile", "none", "--option", "json.active=no", "--", program, "--", program), "no effect"),
                            (("--runs", "0", "--", program, "--", program), "--runs"),
                            (("--threshold", "0", "--", program, "--", program), "--threshold")):
            with self.subTest(words=words):
                result = command("ab", *words)
                self.assertEqual((result.status, result.stdout), (2, ""))
                self.assertIn(text, result.stderr)

    def test_interrupted(self):
        """Nothing is left in the folder for temporary files."""
        temporary = scratch_folder()
        process = subprocess.Popen([COMMAND, "ab", "--", "sleep", "0.2", "--", "sleep", "0.2"], cwd=scratch_folder(),
                                   env=clean_environment(TMPDIR=temporary), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   start_new_session=True)
        while not list(temporary.glob("vftrace-*/first-0")):
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGINT)
        output, errors = process.communicate(timeout=60)
        self.assertEqual((process.returncode, output, errors), (130, b"", b"vftrace: interrupted\n"))
        self.assertEqual(os.listdir(temporary), [])
