"""vftrace top: processes that are watched while they run, with and without a terminal."""
import json
import os
import pathlib
import re
import signal
import struct
import subprocess
import time

import pytest

from command_support import CommandTest, command
from mpi_support import LINKED, MPICH, OPEN_MPI, MpiTest, compile_mpi
from support import COMMAND, LIBRARY, clean_environment, compile_program, need, need_part, scratch_folder

LAYOUT_PLACE = 8  # of ProcessRecord::layout, after the magic
PATIENCE_S = 60
REGION = "r\u00e9sum\u00e9 of \u7f51\u683c"


def until(condition, what):
    """Waits for a result of other processes; the machine may be busy."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError(f"in {PATIENCE_S} s there was not: {what}")


class TopTest(CommandTest):
    def start(self, *arguments, prefix=(), program=None, **variables):
        program = program or compile_program("watched.c", ("-O1", "-pthread"))
        self.folder = scratch_folder()
        trees = self.folder / "trees"
        trees.mkdir()
        environment = clean_environment(VFTR_TREE_FILE_DIRECTORY=trees, VFTR_OVERHEAD_BUDGET=0, **variables)
        process = subprocess.Popen([*prefix, program, *arguments], cwd=self.folder, env=environment,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)

        def stop():
            process.kill()
            process.communicate()

        self.addCleanup(stop)
        process.stdout.readline()  # the first functions have been called
        return process

    def end(self, process):
        output, _ = process.communicate(timeout=PATIENCE_S)
        return process.returncode, output

    def top(self, *arguments, **options):
        result = command("top", *map(str, arguments), **options)
        self.assertEqual((result.status, result.stderr), (0, ""))
        return result.stdout

    def rows(self, *arguments, **options):
        return json.loads(self.top(*arguments, "--json", **options))

    def state(self, process):
        return self.rows(process.pid, "--once")["processes"][0]["state"]


class Batch(TopTest):
    def test_functions_since_the_start(self):
        process = self.start()
        seen = self.rows(process.pid, "--once", "--sort", "calls")
        functions = {row["function"]: row for row in seen["rows"]}
        self.assertEqual(seen["span"], "start")
        self.assertEqual(seen["threads"], 3)
        self.assertEqual(seen["rows"][0]["function"], "leaf")
        self.assertLessEqual(abs(functions["leaf"]["calls"] / functions["step"]["calls"] - 1000), 1000)
        self.assertEqual(functions["descend"]["calls"], 6)
        self.assertGreater(functions["wait_for_the_end"]["time_excl"], 0)
        self.assertEqual((functions[REGION]["calls"], functions[REGION]["kind"]), (1, "region"))

    def test_what_it_shows_is_what_a_snapshot_has(self):
        process = self.start()
        process.send_signal(signal.SIGSTOP)  # so that both see the same
        seen = {row["function"]: row for row in self.rows(process.pid, "--once", "--limit", 100)["rows"]}
        self.assertEqual(command("snapshot", str(process.pid)).status, 0)
        process.send_signal(signal.SIGCONT)
        profile = json.loads((self.folder / "watched_snapshot_all.json").read_text())
        calls = {}
        for node in profile["nodes"]:
            name = profile["functions"][node["function"]]["display"]
            calls[name] = calls.get(name, 0) + node["calls"]
        for name, row in seen.items():
            self.assertEqual(row["calls"], calls[name], name)
        self.assertLessEqual({"main", "solve", "step", "leaf", "reader", "climber"}, set(seen))

    def test_intervals(self):
        process = self.start()
        lines = self.top(process.pid, "--batch", "2", "--interval", "0.3", "--json").splitlines()
        self.assertEqual(len(lines), 2)
        for line in lines:
            seen = json.loads(line)
            self.assertEqual(seen["span"], "interval")
            functions = {row["function"]: row for row in seen["rows"]}
            # A call that lasts has the time of the interval alone, and no calls.
            self.assertLess(functions["wait_for_the_end"]["time_excl"], 2 * seen["span_seconds"] + 0.5)
            self.assertEqual(functions["wait_for_the_end"]["calls"], 0)
            self.assertGreater(functions["leaf"]["calls"], 0)

    def test_open_calls(self):
        process = self.start()
        first = self.rows(process.pid, "--pane", "open")["rows"]
        paths = [row["in"] for row in first]
        self.assertIn(f"wait_for_the_end < {REGION} < reader < [thread] < main", paths)
        self.assertIn("descend < climber < [thread] < main", paths)
        lines = self.top(process.pid, "--pane", "open", "--batch", "2", "--interval", "0.5", "--json").splitlines()
        last = {row["in"].split(" ")[0]: row for row in json.loads(lines[-1])["rows"]}
        self.assertTrue(last["descend"]["since_at_least"])  # inner calls of the recursion are not timed
        self.assertGreaterEqual(last["descend"]["since"], 0.9)
        self.assertFalse(last["wait_for_the_end"]["since_at_least"])
        self.assertGreater(last["wait_for_the_end"]["since"], first[0]["since"])

    def test_states_of_threads(self):
        process = self.start(program=compile_program("threads_that_wait.c", ("-O1", "-pthread")), LD_PRELOAD=LIBRARY)
        expected = {"takes_lock": "waits: lock", "reads_pipe": "waits: pipe", "sleeps": "waits: sleep",
                    "computes": "running"}

        def states():
            rows = self.rows(process.pid, "--pane", "threads")["rows"]
            found = {row["in"]: row["state"] for row in rows if row["in"] in expected}
            return found if found == expected else None
        until(states, expected)
        merged = self.rows(process.pid, "--pane", "threads", "--merge-threads")["rows"]
        self.assertIn("1 running, 3 waits", [row["state"] for row in merged])

    def test_threads_and_tree(self):
        process = self.start()
        threads = {row["name"]: row["in"] for row in self.rows(process.pid, "--pane", "threads")["rows"]}
        self.assertEqual((threads["reader-1"], threads["climber-2"]), ("wait_for_the_end", "descend"))
        merged = self.rows(process.pid, "--pane", "threads", "--merge-threads")["rows"]
        self.assertEqual({row["name"]: row["thread"] for row in merged},
                         {"(main)": 1, "reader-*": 1, "climber-*": 1})
        tree = self.rows(process.pid, "--pane", "tree")["rows"]
        self.assertEqual((tree[0]["path"], tree[0]["depth"]), ("main", 0))
        self.assertEqual({row["path"] for row in tree if row["depth"] == 1}, {"solve", "[thread]"})

    def test_sections_with_their_live_messages(self):
        for arguments in ((), ("fork",)):
            with self.subTest(arguments=arguments):
                process = self.start(*arguments, program=compile_program("sections_watched.c"), LD_PRELOAD=LIBRARY)
                pid = process.pid
                if arguments:
                    pid = int(pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])
                rows = {row["section"]: row for row in self.rows(pid, "--pane", "sections")["rows"]}
                messages = {name: row["message"] for name, row in rows.items() if row["since"] is not None}
                self.assertEqual(messages, {"solve": "Solving", "inner": "", "norm": "\u00dcber\nall", "last": "m" * 255})
                self.assertEqual({name: row["level"] for name, row in rows.items()}["last"], 6)
                text = self.top(pid, "--once", "--pane", "sections")
                self.assertRegex(text, r"(?m) section +message\n")
                self.assertRegex(text, r"(?m) solve +Solving$")
                self.assertRegex(text, r"(?m) norm +\u00dcber.+all$")
                if not arguments:  # a process that has ended has figures, but no message
                    self.assertEqual((rows["read_mesh"]["calls"], rows["read_mesh"]["message"]), (1, ""))
                self.end(process)

    @pytest.mark.full
    def test_a_million_paths(self):
        program = compile_program("million_paths.c", ("-O1", "-finstrument-functions"))
        folder = scratch_folder()
        (folder / "trees").mkdir()
        process = subprocess.Popen(
            [program], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env=clean_environment(LD_PRELOAD=LIBRARY, VFTR_TREE_FILE_DIRECTORY=folder / "trees", VFTR_OVERHEAD_BUDGET=0))
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        process.stdout.readline()
        for pane in ("functions", "tree", "rollcall"):
            seen = self.rows(process.pid, "--pane", pane, "--limit", 5)
            self.assertGreater(len(seen["rows"]), 0)
        text = self.top(process.pid, "--batch", 2, "--interval", 0.5, "--pane", "tree")
        self.assertRegex(text, r"rows? in the last ")
        self.assertRegex(text, r"  paths 1\.[0-9]M  ")
        self.assertEqual(command("mark", process.pid).status, 0)
        since = self.rows(process.pid, "--span", "mark", "--limit", 5)
        self.assertEqual({row["calls"] for row in since["rows"]}, {0})

    def test_text(self):
        process = self.start()
        text = self.top("watched" if self.is_alone() else process.pid, "--once", "--limit", "3")
        self.assertRegex(text, rf"\Avftrace top  watched \({process.pid}\) on \S+  0:\d\d:\d\d\nthreads 3 ")
        self.assertIn("code 100.0 %  MPI 0.0 %", text)
        self.assertEqual(len(text.rstrip("\n").splitlines()), 6 + 3)
        self.assertIn(REGION, self.top(process.pid, "--once", "--search", "^r.*of"))
        self.assertNotIn("leaf", self.top(process.pid, "--once", "--search", "^r.*of"))

    def is_alone(self):
        names = [path.read_text() for path in pathlib.Path("/proc").glob("[0-9]*/comm") if os.access(path, os.R_OK)]
        return names.count("watched\n") == 1

    def test_the_program_does_what_it_does_alone(self):
        process = self.start()
        self.top(process.pid, "--once")
        self.assertEqual(self.end(process), (0, b"done\n"))

    def test_wrong_options(self):
        for arguments, message in ((("--sort", "colour"), '"colour" is not a column of the pane functions: share_excl'),
                                   (("--pane", "x"), '"x" is not a pane: functions, tree'),
                                   (("--search", "("), "is not a regular expression"),
                                   (("--interval", "0"), "a number of seconds (0.1 to 3600)"),
                                   (("--limit", "0"), "a number of rows")):
            with self.subTest(arguments=arguments):
                self.fails("top", "1", *arguments, message=message)


class Lives(TopTest):
    """The ends of processes while they are watched, and processes that cannot be watched."""

    def watch(self, process, intervals=200):
        """The printed states, one line each, until the command ends."""
        watcher = subprocess.Popen([COMMAND, "top", str(process.pid), "--batch", str(intervals), "--interval", "0.1",
                                    "--json"], stdout=subprocess.PIPE, text=True, env=clean_environment())
        self.addCleanup(watcher.kill)
        watcher.stdout.readline()
        return watcher

    def states(self, watcher):
        output, _ = watcher.communicate(timeout=PATIENCE_S)
        self.assertEqual(watcher.returncode, 0)
        return [json.loads(line)["processes"] for line in output.splitlines()]

    def test_a_process_that_ends(self):
        process = self.start()
        watcher = self.watch(process)
        self.end(process)
        last = self.states(watcher)[-1][0]
        self.assertEqual((last["state"], last["problem"]), ("ended", f"{process.pid}: has ended"))

    def test_a_process_that_is_killed(self):
        process = self.start()
        watcher = self.watch(process)
        process.kill()
        process.wait()
        self.assertEqual(self.states(watcher)[-1][0]["state"], "ended")

    def test_a_process_that_becomes_another_program(self):
        process = self.start("exec")
        watcher = self.watch(process)
        process.stdin.write(b"x")
        process.stdin.flush()
        last = self.states(watcher)[-1][0]
        self.assertEqual(last["state"], "another program now")
        self.assertEqual(last["problem"], f"{process.pid}: has become another program, cat")

    def test_a_child_of_fork_is_a_process_of_its_own(self):
        process = self.start("fork")
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
        child = until(children.read_text, "a child").split()[0]
        until(lambda: command("top", child, "--once").status == 0, "the child's tree file")
        seen = self.rows(child, "--once")
        self.assertEqual(seen["threads"], 1)
        self.assertEqual(self.rows(process.pid, "--once")["threads"], 3)
        self.end(process)

    def test_a_tree_file_of_another_version(self):
        process = self.start()
        watcher = self.watch(process)
        file, = (self.folder / "trees").iterdir()
        with file.open("r+b") as stream:
            stream.seek(LAYOUT_PLACE)
            stream.write(struct.pack("=I", 1))
        last = self.states(watcher)[-1][0]
        self.assertEqual(last["state"], "tree file of another version")
        self.fails("top", str(process.pid), "--once", message="was written by another version of vftrace")

    def test_a_tree_file_that_is_removed_is_still_read(self):
        process = self.start()
        watcher = self.watch(process, 5)
        file, = (self.folder / "trees").iterdir()
        file.unlink()
        self.assertEqual(self.states(watcher)[-1][0]["state"], "running")
        self.fails("top", str(process.pid), "--once", message="its tree file has been removed")

    def test_a_process_that_is_missing_or_not_profiled(self):
        child = subprocess.Popen(["sleep", "60"])
        self.addCleanup(child.kill)
        self.fails("top", str(child.pid), "--once", message=f"{child.pid}: is not profiled by vftrace")
        child.kill()
        child.wait()
        self.fails("top", str(child.pid), "--once", message=f"{child.pid}: no such process")
        self.fails("top", "no-such-name", "--once", message='no process named "no-such-name" is profiled')

    def test_a_process_of_another_user(self):
        if os.geteuid() != 0:
            self.skipTest("needs root's rights to be another user")
        process = self.start()
        result = subprocess.run([COMMAND, "top", str(process.pid), "--once"], user="nobody", group="nogroup",
                                capture_output=True, text=True, cwd="/", env=clean_environment())
        if "Permission denied" in result.stderr and "vftrace:" not in result.stderr:
            self.skipTest("the build is not readable for others")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn(f"{process.pid}: its memory cannot be read: Permission denied", result.stderr)

    def unshare(self, *options):
        need("unshare")
        prefix = ["unshare", *options]
        if subprocess.run([*prefix, "true"], capture_output=True).returncode != 0:
            self.skipTest("no right to make namespaces")
        return prefix

    def test_a_process_with_files_of_its_own(self):
        """In another mount namespace: its tree file is read through /proc."""
        prefix = self.unshare("--mount")
        script = ["sh", "-c", "mount -t tmpfs none trees && exec \"$@\"", "sh"]
        process = self.start(prefix=[*prefix, *script])
        self.assertEqual(list((self.folder / "trees").iterdir()), [])
        self.assertEqual(self.state(process), "running")
        self.assertIn("leaf", self.top(process.pid, "--once"))

    def test_a_process_with_numbers_of_its_own(self):
        """In another process namespace: the process is visible from outside, but from inside no process is."""
        prefix = self.unshare("--pid", "--fork", "--mount-proc")
        process = self.start(prefix=prefix)
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
        inner = until(children.read_text, "a child").split()[0]
        self.assertEqual(self.rows(inner, "--once")["processes"][0]["pid"], int(inner))
        other = self.start()
        inside = subprocess.run([*prefix, COMMAND, "top", str(other.pid), "--once"], capture_output=True, text=True,
                                env=clean_environment(TMPDIR=self.folder / "trees"))
        self.assertEqual(inside.returncode, 2)
        self.assertIn(f"{other.pid}: not visible from here: it runs, or ran, in another process namespace", inside.stderr)


class Terminal(TopTest):
    """The effect of keys, in a tmux terminal."""

    def setUp(self):
        super().setUp()
        need_part("HAVE_CURSES")

    def tmux(self, *arguments):
        result = subprocess.run(["tmux", "-L", self.socket, "-f", "/dev/null", *map(str, arguments)],
                                capture_output=True, text=True, env=clean_environment(LC_ALL="C.UTF-8"))
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def open(self, process, *options, columns=80, rows=24):
        need("tmux")
        self.socket = f"vftrace-test-{process.pid}-{time.monotonic_ns()}"  # a server that is ending keeps its own socket
        line = " ".join(map(str, (COMMAND, "top", process.pid, "--interval", "0.2", *options)))
        self.tmux("new-session", "-d", "-x", columns, "-y", rows, f"{line}; echo status $?; cat")
        self.addCleanup(subprocess.run, ["tmux", "-L", self.socket, "kill-server"], capture_output=True)
        self.shows("1 Funcs")

    def screen(self):
        return self.tmux("capture-pane", "-p")

    def shows(self, pattern):
        return until(lambda: re.search(pattern, self.screen(), re.M), f"{pattern} in {self.screen()}")

    def press(self, *keys):
        self.tmux("send-keys", *keys)

    def test_keys(self):
        process = self.start()
        self.open(process)
        self.shows(r"in the last 0\.\d s, sorted by t_excl\[s\]")
        self.shows(rf" {REGION}$")
        for key, pattern in (("s", r"sorted by t_incl\[s\]"), ("r", r"t_incl\[s\], reversed"),
                             ("d", "since the start"), ("m", "since the mark, .*ago"),
                             ("2", "incl% t_incl"), ("-", r"\+ main$"), ("Enter", r"- main$"),
                             ("3", r"reader-1 .* wait"), ("g", r"reader-\* "), ("o", r"descend < climber"),
                             ("Space", "frozen"), ("?", "^Keys"), ("x", "frozen")):
            self.press(key)
            self.shows(pattern)
        self.press("Space", "1", "/", "^leaf$", "Enter")
        self.shows("^1 row matching /.leaf[$]/ since the mark")
        self.press("Escape")
        self.shows("^10 rows ")
        self.press("w")
        self.shows("saved .*_snapshot_all.log$")
        self.press("q")
        self.shows("^status 0$")
        self.assertEqual(self.end(process), (0, b"done\n"))

    def test_size(self):
        process = self.start()
        self.open(process)
        self.tmux("resize-window", "-x", "120", "-y", "30")
        self.shows("excl%.*kind ")
        self.tmux("resize-window", "-x", "30", "-y", "8")
        self.shows("terminal smaller than 40x10")
        self.tmux("resize-window", "-x", "80", "-y", "24")
        self.shows("excl%")

    def test_colours(self):
        process = self.start()
        self.open(process, "--no-color")
        self.assertNotRegex(self.tmux("capture-pane", "-p", "-e"), r"\x1b\[[0-9;]*3[0-7]m")
        self.press("q")
        self.tmux("kill-server")
        self.open(process)
        self.assertRegex(self.tmux("capture-pane", "-p", "-e"), r"\x1b\[[0-9;]*3[0-7]m")

    def test_the_end_of_the_process(self):
        process = self.start()
        self.open(process)
        self.end(process)
        self.shows(r"0:00:\d\d  ended$")
        self.press("q")
        self.shows("^status 0$")

    def test_no_terminal(self):
        process = self.start()
        self.fails("top", str(process.pid), message="standard input is not a terminal: use --once, --batch or --json")
        need("script")
        for name in ("dumb", "nothing-of-that-name"):
            result = subprocess.run(["script", "-qec", f"{COMMAND} top {process.pid}", "/dev/null"], text=True,
                                    capture_output=True, env=clean_environment(TERM=name), stdin=subprocess.DEVNULL)
            self.assertEqual(result.returncode, 2)
            self.assertIn(f"the terminal (TERM={name}) is too simple or not known", result.stdout)


class Ranks:
    def test_ranks_of_a_job(self):
        need_part("BUILD_TOOLS")
        program = compile_mpi(self.family, "watched_ranks.c", how=LINKED)
        folder = scratch_folder()
        trees = folder / "trees"
        trees.mkdir()
        job = subprocess.Popen([*self.family.launch(3), program, folder / "go"], cwd=folder,
                               env=clean_environment(VFTR_TREE_FILE_DIRECTORY=trees, **self.family.environment))

        def stop():
            (folder / "go").touch()
            job.wait(timeout=PATIENCE_S)

        self.addCleanup(stop)
        until(lambda: len(list(trees.iterdir())) == 3, "three tree files")
        rank = until(lambda: next((path for path in trees.iterdir()), None), "a tree file")
        pid = rank.name.split("-")[2]

        def where():
            seen = json.loads(command("top", pid, "--job", "--pane", "ranks", "--json").stdout or "{}")
            rows = {row["process"]: row["in"] for row in seen.get("rows", ())}
            return rows if rows == {"0": "MPI_Barrier", "1": "read_mesh", "2": "MPI_Barrier"} else None

        until(where, "all ranks where they wait")
        peers = json.loads(command("top", pid, "--job", "--pane", "messages", "--json").stdout)["rows"]
        self.assertEqual({row["peer"]: (row["sent"], row["received"]) for row in peers
                          if row["peer"].isdigit()}, {str(rank): (50, 50) for rank in range(3)})
        call = until(lambda: self.roll_call(pid), "a roll call of two places")
        self.assertEqual({row["which"]: (row["ranks"], row["activity"], row["in"].split(" < ")[0]) for row in call},
                         {"0,2": (2, "MPI", "MPI_Barrier"), "1": (1, "code", "read_mesh")})
        text = command("top", pid, "--job", "--once").stdout
        self.assertRegex(text, r"\Avftrace top  watched_ranks \(3 processes\) on ")
        self.assertIn("\nranks 3/3  threads 3 ", text)

    def roll_call(self, pid):
        rows = json.loads(command("top", pid, "--job", "--pane", "rollcall", "--json").stdout)["rows"]
        return rows if len(rows) == 2 else None


class OpenMpi(Ranks, MpiTest):
    family = OPEN_MPI


class Mpich(Ranks, MpiTest):
    family = MPICH
