"""What `vftrace run` prints at the end of a run: the report, and a line on a terminal."""
import os
import pathlib
import platform
import pty
import re
import subprocess
import unittest

from command_support import HELLO, CommandTest, command
from mpi_support import MPICH, OPEN_MPI, compile_mpi, launch_mpi
from support import (COMMAND, LINK_LIBRARY, PROLOGUES, clean_environment, compile_program, need_fast_clock,
                     run, scratch_folder)

LINE = re.compile(r"^vftrace: profile in (/\S+_all\.log); most time in \S.* \(\d+\.\d %\)\r?$", re.M)


class Terminal:
    """A command whose stderr is a terminal."""

    def __init__(self, *words, folder=None, timeout=60, **variables):
        self.folder = folder or scratch_folder()
        ours, theirs = pty.openpty()
        try:
            process = subprocess.Popen([str(word) for word in words], cwd=self.folder,
                                       env=clean_environment(**{"VFTR_OVERHEAD_BUDGET": 0, **variables}),
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=theirs)
            os.close(theirs)
            self.stdout = process.communicate(timeout=timeout)[0].decode()
            self.status = process.returncode
            self.stderr = ""
            while True:
                try:
                    piece = os.read(ours, 65536)
                except OSError:  # all copies are closed
                    break
                if not piece:
                    break
                self.stderr += piece.decode()
        finally:
            os.close(ours)

    def lines(self):
        return LINE.findall(self.stderr)


class SummaryLine(CommandTest):
    def setUp(self):
        super().setUp()
        self.program = compile_program("call_counts.c")

    def said(self, *words, **variables):
        return Terminal(COMMAND, "run", *words, **variables)

    def test_where_the_profile_is_and_what_took_most_time(self):
        result = self.said("--", self.program)
        self.assertEqual((result.status, result.stdout), (3, HELLO))
        self.assertEqual(result.lines(), [f"{result.folder}/call_counts_all.log"])
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        named = re.findall(r"(\S+) \((\d+\.\d) %\)", result.stderr)
        self.assertIn(len(named), (1, 2, 3))
        shares = [float(share) for _, share in named]
        self.assertEqual(shares, sorted(shares, reverse=True))
        self.assertLessEqual(sum(shares), 100.2)
        self.assertGreater(shares[-1], 0)

    def test_not_if_stderr_is_not_a_terminal(self):
        self.assertEqual(command("run", "--", self.program).stderr, "")

    def test_not_without_vftrace_run(self):
        from support import LIBRARY
        result = Terminal(self.program, LD_PRELOAD=LIBRARY)
        self.assertEqual((result.stderr, (result.folder / "call_counts_all.log").exists()),
                         ("", True))

    def test_option_turns_it_off(self):
        self.assertEqual(self.said("--option", "end.summary_line=no", "--", self.program).stderr, "")
        self.assertEqual(self.said("--", self.program, VFTR_END_SUMMARY_LINE="no").stderr, "")

    def test_not_if_a_script_redirects_stderr(self):
        result = self.said("--", "sh", "-c", '"$0" 2>file; cat file', self.program)
        self.assertEqual((result.stdout, result.stderr), (HELLO, ""))

    def test_program_of_a_script(self):
        result = self.said("--", "sh", "-c", 'cd /; "$0"; echo $?', self.program)
        self.assertEqual((result.stdout, len(result.lines())), (HELLO + "3\n", 1))

    def test_child_of_fork_says_nothing(self):
        result = self.said("--", compile_program("end_children.c"))
        alone = run([compile_program("end_children.c")], preload=False)
        self.assertEqual(result.status, alone.status)
        self.assertLessEqual(len(result.lines()), 1, result.stderr)

    def test_runs_whose_profile_another_process_writes(self):
        program = compile_program("end_by_signal.c")
        result = self.said("--", program, "raise", "15")
        self.assertEqual(result.status, -15)
        self.assertEqual(result.lines(), [f"{result.folder}/end_by_signal_all.log"])

    def test_program_without_calls_says_nothing(self):
        result = self.said("--", "env", "true")
        self.assertEqual(result.stderr, "")


@unittest.skipUnless(platform.machine() == "x86_64", "hooks are overwritten on x86-64 only")
class InliningAdvice(CommandTest):
    """Hooks that prevent inlining have a cost that is not in any figure."""

    def said(self, program, **variables):
        need_fast_clock()
        return Terminal(COMMAND, "run", "--", program, VFTR_OVERHEAD_BUDGET=10, **variables)

    def test_filter_and_factor(self):
        program = compile_program("short_accessors.c", ("-O2", "-DHOOKED"))
        # If the program waits for a processor most of the time, calls seem to be too long for the advice.
        result = next((result for result in (self.said(program) for _ in range(5))
                       if "this build" in result.stderr), None)
        self.assertTrue(result)
        found = re.search(r"^vftrace: this build runs about (\d+\.\d) times as long as without hooks, which "
                          r"prevent the compiler from inlining 1 short functions?\r?$", result.stderr, re.M)
        self.assertTrue(found, result.stderr)
        self.assertGreaterEqual(float(found[1]), 1.2)
        file = pathlib.Path(re.search(r"@(/\S+\.filter) leaves them out", result.stderr)[1])
        self.assertRegex(file.read_text(), r"-finstrument-functions-exclude-function-list=.*\bvalue\b")
        without = compile_program("short_accessors.c", ("-O2", f"@{file}"))
        self.assertNotIn("this build", self.said(without).stderr)

    def test_not_if_hooks_are_inserted_after_inlining(self):
        program = compile_program("short_accessors.c", ("-O2", "-DHOOKED", *PROLOGUES),
                                  instrument=False, link=LINK_LIBRARY)
        result = self.said(program)
        self.assertEqual((len(result.lines()), len(result.stderr.splitlines())), (1, 1), result.stderr)

    def test_not_without_the_line(self):
        program = compile_program("short_accessors.c", ("-O2", "-DHOOKED"))
        result = self.said(program, VFTR_END_SUMMARY_LINE="no")
        self.assertEqual((result.stderr, list(result.folder.glob("*.filter"))), ("", []))


class Report(CommandTest):
    def setUp(self):
        super().setUp()
        self.program = compile_program("call_counts.c")

    def test_follows_the_output_on_stderr(self):
        result = command("run", "--report", "--", self.program)
        self.assertEqual((result.status, result.stdout), (3, HELLO))
        self.assertEqual(result.stderr,
                         command("report", "call_counts_all.json", folder=result.folder).stdout)
        self.assertIn("Runtime profile", result.stderr)

    def test_on_a_terminal_before_the_line(self):
        result = Terminal(COMMAND, "run", "--report", "--", self.program)
        self.assertLess(result.stderr.index("Runtime profile"), LINE.search(result.stderr).start())
        self.assertEqual(len(result.lines()), 1)

    def test_program_sees_no_child(self):
        """The program gets no SIGCHLD and no orphan to adopt."""
        program = compile_program("counts_children.c")
        alone = run([program], preload=False)
        result = command("run", "--report", "--", program)
        self.assertEqual((result.status, result.stdout), (alone.status, alone.stdout))
        self.assertIn("Runtime profile", result.stderr)

    def test_program_that_calls_exit_in_its_own_way(self):
        program = compile_program("end_exits.c")
        for way in ("_exit", "quick_exit"):
            result = command("run", "--report", "--", program, way)
            self.assertEqual(result.stderr.count("\nRuntime profile\n"), 1, way)

    def test_without_json(self):
        result = command("run", "--report", "--option", "json=no", "--", self.program)
        self.assertEqual((result.status, result.stdout), (3, HELLO))
        self.assertRegex(result.stderr, r"\Avftrace: end\.report: .*JSON.*\n\Z")

    def test_trace(self):
        result = command("run", "--trace", "--", self.program)
        self.assertEqual((result.status, result.stderr), (3, ""))
        self.assertEqual(result.files(), ["call_counts_0.vfd", "call_counts_all.json",
                                          "call_counts_all.log"])


class Job:
    """With each MPI."""
    family = None

    def test_once_per_job(self):
        program = compile_mpi(self.family, "collectives.c")
        launch = [str(word) for word in self.family.launch(3)]
        for command_line in ([str(COMMAND), "run", "--report", "--", *launch, str(program)],
                             [*launch, str(COMMAND), "run", "--report", "--", str(program)]):
            result = launch_mpi(self.family, command_line, 3)
            self.assertEqual(result.status, 0, result.stderr)
            self.assertEqual(result.stderr.count("\nRuntime profile\n"), 1)
        terminal = Terminal(COMMAND, "run", "--", *launch, program, **self.family.environment)
        self.assertEqual((terminal.status, len(terminal.lines())), (0, 1), terminal.stderr)


class OpenMpi(Job, CommandTest):
    family = OPEN_MPI


class Mpich(Job, CommandTest):
    family = MPICH


if __name__ == "__main__":
    unittest.main()
