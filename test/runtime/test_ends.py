"""Ends of programs: status and output are as without the library, and the profile is there."""

import json
import os
import resource
import shutil
import signal
import subprocess
import time

from support import (COMMAND, LIBRARY, LINK_LIBRARY, ProgramTest, clean_environment,
                     compile_program, need, need_part, run, scratch_folder)

DEADLY = ("HUP INT QUIT ILL TRAP ABRT BUS FPE USR1 SEGV USR2 PIPE ALRM TERM XCPU XFSZ VTALRM PROF "
          "IO PWR SYS").split()
NOTHING_LEFT = []


def folder_with_trees():
    folder = scratch_folder()
    (folder / "trees").mkdir()
    return folder


def tree_files(folder):
    return sorted(path.name for path in (folder / "trees").iterdir())


def wait_until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("timed out")
        time.sleep(0.01)


def slow_command(folder, seconds=0.5):
    """A vftrace that is slow, so that a dying program would have time to do further things."""
    script = folder / "slow-vftrace"
    script.write_text(f'#!/bin/sh\nsleep {seconds}\nexec "{COMMAND}" "$@"\n')
    script.chmod(0o755)
    return script


class EndTest(ProgramTest):
    def setUp(self):
        need_part("BUILD_TOOLS")

    def end(self, command, ended, calls=None, left=NOTHING_LEFT, **arguments):
        """Runs a program that ends; `ended` is a pattern of what the profile says about that."""
        folder = arguments.pop("folder", None) or folder_with_trees()
        result = self.profile(command, folder=folder, VFTR_TREE_FILE_DIRECTORY=folder / "trees",
                              **arguments)
        self.assertEqual(tree_files(folder), left)
        self.assert_ended(result, ended)
        for path, count in (calls or {}).items():
            self.assertEqual(result.calls().get(path), count, path)
        return result

    def assert_ended(self, result, ended):
        said = result.profile()["run"].get("ended", "")
        if ended:
            self.assertRegex(said, ended)
            self.assertIn(said, result.text())
        else:
            self.assertEqual(said, "")

    def start(self, command, folder, new_session=False, **variables):
        process = subprocess.Popen(
            [str(part) for part in command], cwd=folder, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, start_new_session=new_session,
            env=clean_environment(LD_PRELOAD=LIBRARY, VFTR_OVERHEAD_BUDGET=0,
                                  VFTR_TREE_FILE_DIRECTORY=folder / "trees",
                                  **variables))
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process


class ExitFunctions(EndTest):
    EXPECTED = {"_exit": "_exit with status 3$", "_Exit": "_exit with status 44$",
                "quick_exit": "", "exit": "", "abort": "signal 6 "}

    def test_everywhere(self):
        program = compile_program("end_exits.c", link=["-pthread"])
        for where in ("main", "thread", "handler"):
            for how, ended in self.EXPECTED.items():
                with self.subTest(where=where, how=how):
                    self.end([program, where, how], ended, {"work<main<init": 3})

    def test_compilers_and_linked(self):
        for compiler in ("gcc", "clang"):
            for flags in (("-O0",), ("-O2",)):
                for link, preload in ((["-pthread"], True),
                                      (["-pthread", "-Wl,--no-as-needed", *LINK_LIBRARY], False)):
                    with self.subTest(compiler=compiler, flags=flags, preload=preload):
                        program = compile_program("end_exits.c", flags, compiler, link=link)
                        self.end([program, "main", "_exit"], "status 3", {"main<init": 1},
                                 preload=preload)
                        self.end([program, "thread", "abort"], "signal 6", {"main<init": 1},
                                 preload=preload)
                        self.end([program, "main", "quick_exit"], "", {"main<init": 1},
                                 preload=preload)

    def test_last_thread(self):
        program = compile_program("end_exits.c", link=["-pthread"])
        self.end([program, "last thread"], "", {"work<main<init": 3})

    def test_child_of_vfork(self):
        program = compile_program("end_exits.c", link=["-pthread"])
        self.end([program, "vfork"], "", {"work<main<init": 4})

    def test_child_of_fork(self):
        program = compile_program("end_exits.c", link=["-pthread"])
        for how in self.EXPECTED:
            with self.subTest(how=how):
                folder = folder_with_trees()
                result = self.profile([program, "fork", how], folder=folder,
                                      VFTR_TREE_FILE_DIRECTORY=folder / "trees")
                self.assertEqual(tree_files(folder), [])
                self.assertEqual(len([name for name in result.files()
                                      if name.endswith("_all.json")]), 2)
                own = folder / "end_exits_all.json"
                self.assertTrue(own.exists(), result.files())

    def test_without_tree_file(self):
        program = compile_program("end_exits.c", link=["-pthread"])
        for how in ("_exit", "quick_exit"):
            self.end([program, "main", how], "", {"work<main<init": 3}, VFTR_TREE_FILE_ACTIVE="no")
        result = self.profile([program, "main", "abort"], VFTR_TREE_FILE_ACTIVE="no")
        self.assertEqual(result.files(), [])

    def test_recording_off(self):
        program = compile_program("end_exits.c", link=["-pthread"])
        for how in self.EXPECTED:
            self.assertEqual(self.profile([program, "main", how], VFTR_OFF="yes").files(), [])

    def test_exceptions(self):
        program = compile_program("end_by_exception.cpp", link=["-pthread"])
        for how in ("uncaught", "noexcept", "terminate", "thread"):
            with self.subTest(how=how):
                self.end([program, how], "signal 6 ", {"main<init": 1, "work<main<init": 3})
        self.end([program, "quick_exit"], "")


class Signals(EndTest):
    def program(self):
        return compile_program("end_by_signal.c", link=["-pthread"])

    def test_every_signal(self):
        numbers = [getattr(signal, "SIG" + name) for name in DEADLY]
        for number in [*numbers, signal.SIGRTMIN, signal.SIGRTMAX]:
            with self.subTest(signal=number):
                self.end([self.program(), "raise", int(number)], f"signal {int(number)}\\b",
                         {"work<main<init": 3})

    def test_alternate_stack_is_gone(self):
        """The program has unmapped the stack: signals whose handlers do not use it behave as without the library."""
        program = compile_program("alternate_stack_gone.c")
        for number in (signal.SIGTERM, signal.SIGUSR2, signal.SIGRTMIN):
            with self.subTest(signal=number):
                self.end([program, int(number)], f"signal {int(number)}\\b",
                         {"work<main<init": 1})

    def test_faults(self):
        for kind, name in {"segv": "SEGV", "bus": "BUS", "fpe": "FPE", "ill": "ILL", "trap": "TRAP",
                           "pipe": "PIPE", "alarm": "ALRM", "abort": "ABRT",
                           "overwritten": "SEGV"}.items():
            with self.subTest(kind=kind):
                number = int(getattr(signal, "SIG" + name))
                self.end([self.program(), kind], f"signal {number} ", {"work<main<init": 3})

    def test_names_of_signals_as_scripts_look_for_them(self):
        for number, name in ((signal.SIGTERM, "Terminated"), (signal.SIGSEGV, "Segmentation fault")):
            with self.subTest(number=number):
                result = self.end([self.program(), "raise", int(number)], f"signal {int(number)} ",
                                  LC_ALL="de_DE.UTF-8", LANGUAGE="de")
                self.assertRegex(result.text(), r"\n(\*+)\nApplication was cancelled by signal: "
                                 rf"{name}\n\1\n\n(.*\n)*Ended by: +signal {int(number)} \({name}\)\n")

    def test_ways_of_sending_signals(self):
        for how in ("queued", "blocked", "thread"):
            for number in (signal.SIGSEGV, signal.SIGTERM):
                with self.subTest(how=how, number=number):
                    self.end([self.program(), how, int(number)], f"signal {int(number)} ",
                             {"work<main<init": 3})

    def test_from_outside(self):
        for how in ("wait", "compute"):
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGSEGV):
                with self.subTest(how=how, number=number):
                    folder = folder_with_trees()
                    process = self.start([self.program(), how], folder)
                    process.stdout.readline()
                    process.send_signal(number)
                    _, said = process.communicate(timeout=60)
                    self.assertEqual((process.returncode, said), (-number, ""))
                    self.assertEqual(tree_files(folder), [])

    def test_core_dump(self):
        def wait_status(arguments, folder, **variables):
            # In a separate folder, because a core file may be written there.
            process = subprocess.Popen(
                [str(self.program()), *arguments], cwd=folder, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, env=clean_environment(**variables),
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (hard, hard)))
            return os.waitpid(process.pid, 0)[1]

        hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
        for arguments in (["segv"], ["abort"], ["trap"], ["fpe"], ["raise", "15"], ["raise", "3"],
                          ["thread", "11"]):
            with self.subTest(arguments=arguments):
                folder = folder_with_trees()
                alone = wait_status(arguments, scratch_folder())
                profiled = wait_status(arguments, folder, LD_PRELOAD=LIBRARY,
                                       VFTR_TREE_FILE_DIRECTORY=folder / "trees")
                self.assertEqual(hex(profiled), hex(alone))
                self.assertIn("end_by_signal_all.json", os.listdir(folder))

    def test_ignored_by_nohup(self):
        need("nohup")
        folder = folder_with_trees()
        result = self.end(["nohup", self.program(), "raise", int(signal.SIGHUP)], "",
                          {"work<main<init": 3}, folder=folder, expect_stderr=None)
        self.assertIn("survived", result.stdout)

    def test_first_process_of_a_container(self):
        if not shutil.which("unshare") or subprocess.run(
                ["unshare", "--pid", "--fork", "true"], capture_output=True).returncode != 0:
            self.skipTest("no right to make a process namespace")
        as_first = ["unshare", "--pid", "--fork", self.program()]
        self.end([*as_first, "raise", int(signal.SIGTERM)], "", {"work<main<init": 3})
        # The profile must have been made earlier, because it cannot be made at that point.
        self.end([*as_first, "segv"], "signal 11 ", {"work<main<init": 3})

    def test_stack_overflow(self):
        for flags in (("-O0",), ("-O2", "-fno-optimize-sibling-calls")):
            program = compile_program("end_stack_overflow.c", flags, link=["-pthread"])
            for arguments in ([], ["on a thread"]):
                with self.subTest(flags=flags, arguments=arguments):
                    self.end([program, *arguments], "signal 11 ", {"main<init": 1})

    def test_sanitizers(self):
        for sanitizer in ("address", "thread", "undefined"):
            flags = ("-O1", f"-fsanitize={sanitizer}")
            link = ["-pthread", "-Wl,--no-as-needed", *LINK_LIBRARY]
            try:
                program = compile_program("end_by_signal.c", flags, link=link)
                queries = compile_program("end_queries.c", flags, link=link)
            except AssertionError:
                self.skipTest(f"gcc has no -fsanitize={sanitizer}")
            with self.subTest(sanitizer=sanitizer):
                for arguments in (["raise", "15"], ["abort"]):
                    self.end([program, *arguments], "signal ", {"work<main<init": 3},
                             preload=False)
                self.profile([queries], preload=False)

    def test_switched_off(self):
        folder = folder_with_trees()
        result = self.profile([self.program(), "segv"], folder=folder,
                              VFTR_TREE_FILE_DIRECTORY=folder / "trees",
                              VFTR_TREE_FILE_HANDLE_SIGNALS="no")
        self.assertEqual(len(tree_files(folder)), 1)
        self.assertEqual(result.files(), ["trees"])
        subprocess.run([COMMAND, "recover", folder / "trees" / tree_files(folder)[0]], check=True,
                       capture_output=True)
        self.assertEqual(result.calls()["work<main<init"], 3)


class SignalsOfTheProgram(EndTest):
    def test_handlers(self):
        for flags in (("-O1",), ("-O0",)):
            program = compile_program("end_handlers.c", flags)
            for mode, ended in {
                    "returns": "", "jumps": "", "exits": "", "early": "", "sigwait": "",
                    "sigtimedwait": "", "signalfd": "", "raises again": "signal 15 ",
                    "resets": "signal 15 ", "resets with information": "signal 15 ",
                    "fault and once": "signal 11 ", "restores and returns": "signal 11 ",
                    "default again": "signal 15 ", "ignored": "signal 15 "}.items():
                with self.subTest(mode=mode, flags=flags):
                    self.end([program, mode], ended, {"work<main<init": 3})

    def test_what_the_program_can_ask(self):
        for compiler in ("gcc", "clang"):
            program = compile_program("end_queries.c", compiler=compiler, link=["-pthread"])
            result = self.profile([program])
            self.assertIn("signal 15: default\n", result.stdout)
            self.assertNotIn("something else", result.stdout)

    def test_alternate_stack(self):
        program = compile_program("end_alternate_stack.c", ("-O0",))
        self.end([program, "survives"], "signal 11 ", {"main<init": 1})
        self.end([program, "gives up"], "signal 11 ", {"main<init": 1})
        self.end([program, "without"], "", {"main<init": 1})

    def test_other_threads_stop_while_one_thread_dies(self):
        program = compile_program("end_threads.c", link=["-pthread"])
        for how, ended in (("segv", "signal 11 "), ("term", "signal 15 "), ("_exit", "status 3")):
            for meanwhile in ([], ["returns"], ["calls _exit"]):
                with self.subTest(how=how, meanwhile=meanwhile):
                    folder = folder_with_trees()
                    self.end([program, how, *meanwhile], ended, {"main<init": 1}, folder=folder,
                             VFTR_TREE_FILE_RECOVER_COMMAND=slow_command(folder))


    def test_no_handler_of_the_program_stops_its_threads(self):
        program = compile_program("end_own_handlers.c", link=["-pthread"])
        for which in ("one", "all"):
            for how, ended in (("_exit", "status 3"), ("exit", ""), ("quick_exit", "")):
                with self.subTest(which=which, how=how):
                    self.end([program, which, how], ended, {"work<main<init": 3})
        self.end([program, "one", "abort"], "signal 6 ", {"work<main<init": 3})

    def test_handlers_that_change_while_the_program_ends(self):
        program = compile_program("end_own_handlers.c", link=["-pthread"])
        for turn in range(10):
            with self.subTest(turn=turn):
                self.end([program, "changes", "_exit"], "status 3", {"work<main<init": 3})

    def test_threads_that_cannot_be_stopped(self):
        program = compile_program("end_own_handlers.c", link=["-pthread"])

        def notices(which):
            run_of = self.end([program, which, "_exit"], "status 3").profile()["run"]
            return [notice["code"] for notice in run_of.get("notices", [])]
        self.assertIn("threads-not-stopped", notices("all"))
        self.assertNotIn("threads-not-stopped", notices("one"))


class Children(EndTest):
    def test_children_and_signals_are_those_of_the_program_alone(self):
        folder = folder_with_trees()
        result = self.profile([compile_program("end_children.c")], folder=folder,
                              VFTR_TREE_FILE_DIRECTORY=folder / "trees")
        self.assertEqual(tree_files(folder), [])
        # The parent, and the children that died of SIGSEGV, SIGTERM and by _exit; those that
        # recorded nothing, or then executed a program, leave none.
        profiles = [name for name in result.files() if name.endswith("_all.json")]
        self.assertEqual(len(profiles), 4, profiles)

    def test_exec(self):
        program = compile_program("end_exec.c", link=["-pthread"])
        for how in ("execl", "execlp", "execle", "execv", "execvp", "execvpe", "execve", "fexecve",
                    "execveat", "thread"):
            with self.subTest(how=how):
                self.end([program, how], "exec", {"work<main<init": 3})
        result = self.profile([program, "itself"])
        self.assertEqual(result.files(), [f"end_exec_{name}" for name in (
            "all.json", "all.log", "exec1_all.json", "exec1_all.log")])

    def test_exec_that_fails(self):
        program = compile_program("end_exec.c", link=["-pthread"])
        result = self.end([program, "many"], "", {"work<main<init": 3})
        self.assertEqual(len(result.files()), 3)
        # Here the profile was written before the failed exec, and is overwritten at the end.
        result = self.end([program, "not a program"], "", {"work<main<init": 4})
        self.assertEqual(len(result.files()), 3, result.files())


class ExecChains(EndTest):
    """A process that continues as other programs whose profiles have the same file names: no profile is lost."""

    def chain(self, *arguments, folder=None, **variables):
        program = compile_program("exec_chain.c")
        result = self.profile([program, *arguments], folder=folder or scratch_folder(), **variables)
        return result

    def calls_of_work(self, folder):
        """{file: number of calls of work()} of all profiles in the folder."""
        return {path.name: sum(node["calls"] for node in profile["nodes"]
                               if profile["functions"][node["function"]]["display"] == "work")
                for path in folder.glob("*.json") for profile in [json.loads(path.read_text())]}

    def test_each_program_keeps_its_files(self):
        result = self.chain("again", "again")
        self.assertEqual(self.calls_of_work(result.folder),
                         {"exec_chain_exec1_all.json": 3, "exec_chain_exec2_all.json": 2,
                          "exec_chain_all.json": 1})
        for name, ended in (("exec1_all", True), ("exec2_all", True), ("all", False)):
            log = (result.folder / f"exec_chain_{name}.log").read_text()
            self.assertEqual("continued as another program" in log, ended, name)
        # The next run overwrites what it writes itself.
        self.chain("again", folder=result.folder)
        self.assertEqual(self.calls_of_work(result.folder),
                         {"exec_chain_exec1_all.json": 2, "exec_chain_exec2_all.json": 2,
                          "exec_chain_all.json": 1})
        self.chain(folder=result.folder)
        self.assertEqual(self.calls_of_work(result.folder)["exec_chain_exec1_all.json"], 2)

    def test_other_program_under_the_same_name(self):
        other = compile_program("call_counts.c")
        result = self.chain(other, VFTR_OUTFILE_BASENAME="job", VFTR_PRINT_CONFIG="no")
        self.assertEqual(sorted(self.calls_of_work(result.folder)),
                         ["job_all.json", "job_exec1_all.json"])
        result = self.chain(other)
        self.assertEqual(sorted(self.calls_of_work(result.folder)),
                         ["call_counts_all.json", "exec_chain_all.json"])

    def test_all_files_of_a_program(self):
        result = self.chain("again", VFTR_SAMPLING_ACTIVE="yes", VFTR_LOGFILE_FOR_RANKS="all",
                            VFTR_PROFILE_TABLE_SEPARATE="yes")
        first = {name.replace("_exec1_", "_") for name in result.files() if "_exec1_" in name}
        self.assertEqual(first, {name for name in result.files() if "_exec1_" not in name})
        self.assertIn("exec_chain_exec1_0.vfd", result.files())
        self.assertIn("exec_chain_exec1_0.log", result.files())

    def test_without_a_tree_file(self):
        result = self.chain("again", "again", VFTR_TREE_FILE_ACTIVE="no")
        self.assertEqual(self.calls_of_work(result.folder),
                         {"exec_chain_exec1_all.json": 3, "exec_chain_exec2_all.json": 2,
                          "exec_chain_all.json": 1})

    def test_exec_that_fails_in_a_chain(self):
        result = self.chain("again", "nothing", "again")
        self.assertEqual(self.calls_of_work(result.folder),
                         {"exec_chain_exec1_all.json": 4, "exec_chain_exec2_all.json": 103,
                          "exec_chain_all.json": 1})

    def test_child_that_continues_as_the_same_program(self):
        result = self.chain("child", "again")
        calls = self.calls_of_work(result.folder)
        self.assertEqual(calls.pop("exec_chain_exec1_all.json"), 2)
        self.assertEqual(calls.pop("exec_chain_all.json"), 1)
        (name, count), = calls.items()  # the parent's, which ended last
        self.assertRegex(name, r"^exec_chain_\d+_all.json$")
        self.assertEqual(count, 3)

    def test_file_of_another_run_is_not_taken_for_an_earlier_program(self):
        # As in a container, where each run has the same process number.
        result = self.chain()
        log = result.folder / "exec_chain_all.log"
        long_ago = time.time() - 3600
        script = result.folder / "script"
        script.write_text('sed -i "s/^Total runtime/Ended by: exec: process $$ continued as another '
                          'program\\n&/" exec_chain_all.log\n'
                          f'touch -d @{long_ago} exec_chain_all.log\nexec "$1"\n')
        run(["sh", script, compile_program("exec_chain.c")], folder=result.folder)
        self.assertNotIn("went on", log.read_text())
        self.assertEqual([name for name in result.files() if "exec1" in name], [])


class Recovery(EndTest):
    def program(self):
        return compile_program("end_by_signal.c", link=["-pthread"])

    def test_command_that_cannot_be_started(self):
        for command in ("/nonexistent/vftrace", "/etc/passwd", "/bin/false"):
            folder = folder_with_trees()
            result = run([self.program(), "segv"], folder=folder,
                         VFTR_TREE_FILE_DIRECTORY=folder / "trees",
                         VFTR_TREE_FILE_RECOVER_COMMAND=command)
            file, = tree_files(folder)
            self.assertEqual(result.status, -signal.SIGSEGV)
            path = folder / "trees" / file
            self.assertEqual(result.stderr, f"vftrace: the profile is in {path}; make it readable "
                                            f"with: vftrace recover {path}\n")
            subprocess.run([COMMAND, "recover", path], check=True, capture_output=True)
            self.assertEqual(result.calls()["work<main<init"], 3)

    def test_environment_of_the_command(self):
        folder = folder_with_trees()
        command = folder / "shows"
        command.write_text(f'#!/bin/sh\n{{ cat /proc/$$/stat; env; ls -l /proc/$$/fd; }} '
                           f'>"{folder}/shown"\n')
        command.chmod(0o755)
        with open(folder / "data", "w") as data:
            environment = clean_environment(
                LD_PRELOAD=LIBRARY, VFTR_TREE_FILE_DIRECTORY=folder / "trees",
                VFTR_TREE_FILE_RECOVER_COMMAND=command, SECRET_OF_THE_PROGRAM="x")
            subprocess.run([str(self.program()), "segv"], cwd=folder, env=environment,
                           pass_fds=[data.fileno()], capture_output=True)
        statistics, _, rest = (folder / "shown").read_text().partition("\n")
        number, _, session = statistics.partition(" ")[0], *statistics.rpartition(")")[1:]
        self.assertEqual(session.split()[3], number)  # a session of its own, so that no terminal reaches it
        self.assertIn("PATH=", rest)
        for absent in ("SECRET", "LD_PRELOAD", "VFTR_", f"{folder}/data"):
            self.assertNotIn(absent, rest)

    def test_closed_stderr_is_not_written_to(self):
        folder = folder_with_trees()
        script = 'exec "$0" segv 2>&- >out'
        subprocess.run(["sh", "-c", script, self.program()], cwd=folder, env=clean_environment(
            LD_PRELOAD=LIBRARY, VFTR_TREE_FILE_DIRECTORY=folder / "trees",
            VFTR_TREE_FILE_RECOVER_COMMAND="/nonexistent"))
        self.assertEqual((folder / "out").read_text(), "segv\n")
        self.assertEqual(len(tree_files(folder)), 1)

    def test_second_interrupt_does_not_reach_it(self):
        folder = folder_with_trees()
        process = self.start([self.program(), "wait"], folder, new_session=True,
                             VFTR_TREE_FILE_RECOVER_COMMAND=slow_command(folder))
        process.stdout.readline()
        for _ in range(4):  # as from a terminal: to all processes of the group
            os.killpg(process.pid, signal.SIGINT)
            time.sleep(0.1)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGINT)
        self.assertEqual(tree_files(folder), [])
        self.assertIn("end_by_signal_all.json", os.listdir(folder))
