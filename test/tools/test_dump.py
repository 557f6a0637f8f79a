"""vftrace dump, vftrace_vfd_dump and vftrace info."""
import json
import os
import pty
import select
import signal
import struct
import subprocess
import time

from command_support import CommandTest, command
from support import BUILD, COMMAND, HERE, compile_program, run, scratch_folder
from test_recover import Running
from vfd_files import MPI, THREAD, Vfd

OLD_DUMP = BUILD / "vftrace_vfd_dump"
CORPUS = HERE / "fuzz" / "corpus" / "vfd"

HEADER = """\
Version ID:      Vftrace 3.0.0
Start Date:      Sat Nov 21 01:33:13 2026
End Date:        Sat Nov 21 01:33:13 2026
Processes:       1 of 3
Threads:         2
Sample interval: 5.000000e-03 seconds
Job runtime:     0.519 seconds
Samples:         9
   Function:     7
   Messages:     2
Unique stacks:   5
HW counters:     0
HW observables:  0
Stacks offset:   0x174
Sample offset:   0x9c
Thread offset:   0x1be
HWprof offset:   0x1c6
"""
TREE = """
Threadtree:
0
  1
"""
STACKS = """
Stacks list:
   0: init
   1: main<init
   2: work<main<init
   3: MPI_Send*<main<init
   4: [thread]<main<init
"""
SAMPLES = """
Stack and message samples:
        0.057634 call main<init
        0.060000 call work<main<init
        0.070000 exit work<main<init
        0.080000 call MPI_Send*<main<init
        0.080000 send in stackID 3 from threadID 0
                 count=1000 type=MPI_DOUBLE(8Bytes) rate= 122.7973 MiB/s peer=2 tag=7
        0.080062 send end
        0.081000 exit MPI_Send*<main<init
        0.090000 recv in stackID 4 from threadID 1
                 count=10 type=MPI_INT(4Bytes) rate=  38.1470 MiB/s peer=0 tag=9
        0.090001 recv end
        0.500000 exit main<init
        0.519000 exit init
"""
WORKER = """
Samples of thread 1 (worker):
        0.085000 call [thread]<main<init
        0.095000 exit [thread]<main<init
"""


def sample_bytes():
    """Two threads, messages, gaps."""
    vfd = Vfd(rank=1, processes=3, runtime_s=0.519, interval_ns=5000000, start_ns=5 * 10**9,
              clock=(2, 0, 1500, 200, 519000000, -1600, 210))
    vfd.stack(0, "main")
    vfd.stack(1, "work")
    vfd.stack(1, "MPI_Send*", MPI)
    vfd.stack(1, "[thread]", THREAD)
    worker = vfd.thread(0, "worker")
    vfd.enter(1, 57634000)
    vfd.enter(2, 60000000)
    vfd.exit(2, 70000000)
    vfd.enter(3, 80000000)
    vfd.message(0, peer=2, tag=7, start=80000000, end=80062130, stack=3, count=1000)
    vfd.exit(3, 81000000)
    vfd.message(1, peer=0, tag=9, start=90000000, end=90001000, stack=4, thread=worker,
                datatype=2, type_bytes=4)
    vfd.exit(1, 500000000)
    vfd.exit(0, 519000000)
    vfd.enter(4, 85000000, worker)
    vfd.exit(4, 95000000, worker)
    vfd.gaps = [(worker, 0, 86000000, 87000000, 12), (0, 1, 60000000, 61500000, 0)]
    return vfd.bytes()


def read_terminal(master):
    try:
        return os.read(master, 4096)
    except OSError:  # the other side has been closed
        return b""


class DumpTest(CommandTest):
    def sample(self, extension=True):
        content = sample_bytes()
        if not extension:  # the end of the file gives the place where the extension begins
            content = content[:struct.unpack_from("=q", content, len(content) - 16)[0]]
        path = scratch_folder() / "heat_1.vfd"
        path.write_bytes(content)
        return path

    def prints(self, expected, *arguments, **options):
        result = command(*arguments, **options)
        self.assertEqual((result.status, result.stderr), (0, ""))
        self.assertEqual(result.stdout, expected)


class Dump(DumpTest):
    def test_whole_file(self):
        for extension in (True, False):
            self.prints(HEADER + STACKS + SAMPLES, "dump", self.sample(extension))

    def test_parts(self):
        file = self.sample()
        self.prints(HEADER, "dump", "--header", file)
        self.prints(HEADER + STACKS, "dump", "--no-samples", file)
        self.prints(HEADER + TREE + STACKS + SAMPLES + WORKER, "dump", "--threads", file)

    def test_one_thread_with_its_messages(self):
        result = command("dump", "--thread", 1, self.sample())
        lines = result.stdout.split("Samples of thread 1 (worker):\n")[1].splitlines()
        self.assertEqual([line.split()[0] for line in lines if line[15] != " "],
                         ["0.085000", "0.090000", "0.090001", "0.095000"])
        self.assertNotIn("send", result.stdout)

    def test_period(self):
        result = command("dump", "--from", "0.0805", "--to", "0.09", self.sample())
        samples = result.stdout.split("samples:\n")[1].splitlines()
        self.assertEqual([line.split()[1] for line in samples if line[15] != " "],
                         ["exit", "recv", "recv"])

    def test_output_file(self):
        folder = scratch_folder()
        self.prints("", "dump", "--output", folder / "out.txt", self.sample())
        self.assertEqual((folder / "out.txt").read_text(), HEADER + STACKS + SAMPLES)
        self.fails("dump", "--output", "/nowhere/out.txt", self.sample(),
                   message="/nowhere/out.txt: No such file")

    def test_wrong_arguments(self):
        file = self.sample()
        self.fails("dump", message="FILE is required")
        self.fails("dump", "/nowhere/x.vfd", message="/nowhere/x.vfd: No such file")
        self.fails("dump", "--thread", 2, file, message="does not have a thread 2")
        self.fails("dump", "--from", 2, "--to", 1, file, message="--to is before --from")
        self.fails("dump", "--header", "--thread", 1, file,
                   message="--thread cannot be used with --header")
        self.fails("dump", "--to", 1, "--no-samples", file,
                   message="--to cannot be used with --no-samples")

    def test_full_disk(self):
        with open("/dev/full", "wb") as full:
            result = subprocess.run([COMMAND, "dump", self.sample()], stdout=full,
                                    stderr=subprocess.PIPE, text=True)
        self.assertEqual((result.returncode, result.stderr),
                         (2, "vftrace: standard output: No space left on device\n"))

    def test_pipe_that_closes(self):
        vfd = Vfd()
        vfd.stack(0, "main")
        for i in range(20000):
            vfd.enter(1, i)
        file = vfd.write(scratch_folder() / "long.vfd")
        for handler in (signal.SIG_DFL, signal.SIG_IGN):
            process = subprocess.Popen(
                [COMMAND, "dump", file], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                preexec_fn=lambda: signal.signal(signal.SIGPIPE, handler), restore_signals=False)
            process.stdout.read(10)
            process.stdout.close()
            self.assertEqual(process.stderr.read(), b"")
            process.stderr.close()
            self.assertIn(process.wait(), (0, -signal.SIGPIPE))

    def test_what_comes_before_damage_is_printed(self):
        vfd = Vfd()
        vfd.stack(0, "main")
        vfd.enter(1, 1000)
        vfd.exit(7, 2000)
        result = command("dump", vfd.write(scratch_folder() / "x.vfd"))
        self.assertEqual(result.status, 2)
        self.assertTrue(result.stdout.endswith("0.000001 call main<init\n"), result.stdout)
        self.assertRegex(result.stderr, r"\Avftrace: .*/x.vfd: .*stack 7 does not exist\n\Z")

    def test_progress_on_a_terminal(self):
        """Progress is shown when the work takes longer than a second, and removed at the end."""
        vfd = Vfd()
        for i in range(2000):
            vfd.stack(i, "f")
        for i in range(60000):
            vfd.enter(2000, i)
        file = vfd.write(scratch_folder() / "long.vfd")
        master, slave = pty.openpty()
        reader, writer = os.pipe()
        process = subprocess.Popen([COMMAND, "dump", file], stdout=writer, stderr=slave)
        os.close(slave)
        os.close(writer)
        began, said = time.monotonic(), b""
        while True:  # slower than one second
            if select.select([master], [], [], 0)[0]:
                said += read_terminal(master)
            if not os.read(reader, 65536):
                break
            if not said and time.monotonic() - began < 20:
                time.sleep(0.02)
        os.close(reader)
        self.assertEqual(process.wait(), 0)
        said += b"".join(iter(lambda: read_terminal(master), b""))
        os.close(master)
        self.assertRegex(said.decode(), r"\A\r\S+ \[#* *\] +\d+ %")
        self.assertTrue(said.endswith(b"\r\x1b[K"), said[-100:])

    def test_corpus_of_the_fuzzer(self):
        files = sorted(CORPUS.iterdir())
        self.assertGreater(len(files), 5)
        for file in files:
            with self.subTest(file=file.name):
                for arguments in (("--threads",), ("--thread", 0)):
                    result = command("dump", *arguments, file, timeout=60)
                    self.assertIn(result.status, (0, 2))
                    pattern = r"\A\Z" if result.status == 0 else r"\Avftrace: .*\n\Z"
                    self.assertRegex(result.stderr, pattern)


class OldDump(DumpTest):
    def test_options(self):
        file = self.sample(extension=False)
        self.prints(HEADER + STACKS + SAMPLES, OLD_DUMP, file)
        self.prints(HEADER + STACKS + SAMPLES, OLD_DUMP, "--output=stdout", file)
        self.prints(HEADER, OLD_DUMP, "--only_header", file)
        self.prints(HEADER + TREE + STACKS, OLD_DUMP, "--skip_samples", "--show_threadtree", file)
        result = command(OLD_DUMP, "--output=stderr", "--only_header", file)
        self.assertEqual((result.status, result.stdout, result.stderr), (0, "", HEADER))
        folder = scratch_folder()
        self.prints("", OLD_DUMP, f"--output={folder / 'out'}", file)
        self.assertEqual((folder / "out").read_text(), HEADER + STACKS + SAMPLES)

    def test_help_and_errors(self):
        for option in ("--help", "--usage"):
            result = command(OLD_DUMP, option)
            self.assertEqual((result.status, result.stderr), (0, ""))
            self.assertIn("--show_threadtree", result.stdout)
        self.assertRegex(command(OLD_DUMP, "--version").stdout, r"\Avftrace \d+\.\d+\.\d+\n\Z")
        self.fails(OLD_DUMP, message="no vfd file given")
        self.fails(OLD_DUMP, "/nowhere/x.vfd", message="/nowhere/x.vfd: No such file")
        self.fails(OLD_DUMP, "--bad", message="--bad")


class Info(DumpTest):
    def test_trace(self):
        file = self.sample()
        self.prints(f"""\
{file}: trace (vfd version 3, with extension)
  Written by:                 Vftrace 3.0.0
  Program:                    heat
  Command line:               ./heat 100
  Host:                       node1
  Rank:                       1 of 3
  Started:                    Sat Nov 21 01:33:13 2026
  Ended:                      Sat Nov 21 01:33:13 2026
  Run time:                   0.519 s
  Sample interval:            0.005 s
  Function samples:           9
  Messages:                   2
  Call paths:                 5
  Functions:                  5
  Dropped events:             12 in 1 gap
  Waited for the disk:        0.002 s
  Recorded since:             2023-11-14 22:13:20 +0000
  Offset to clock of rank 0:  1500 ns (+-200) at 0.000 s, -1600 ns (+-210) at 0.519 s
  Size:                       {file.stat().st_size / 1024:.1f} KiB
  Threads:
    Thread  Created by  Samples  Number  OpenMP  Name
    0       -           7        4000    -
    1       0           2        4001    -       worker
""", "info", file, TZ="UTC")

    def test_trace_of_vftrace_2(self):
        result = command("info", self.sample(extension=False))
        self.assertEqual((result.status, result.stderr), (0, ""))
        self.assertIn("without extension", result.stdout)
        self.assertNotIn("Program:", result.stdout)
        self.assertRegex(result.stdout, r"\n +1 +0 +-\n")

    def test_json(self):
        file = self.sample()
        result = command("info", "--json", file, self.sample(extension=False))
        self.assertEqual((result.status, result.stderr), (0, ""))
        first, second = json.loads(result.stdout)
        self.assertEqual((first["file"], first["kind"], first["extension"]),
                         (str(file), "vfd", True))
        self.assertEqual((first["rank"], first["ranks"], first["function_samples"]), (1, 3, 9))
        self.assertEqual((first["dropped_events"], first["gaps"], first["waits"]), (12, 1, 1))
        self.assertEqual(first["clock_offset_end_ns"], -1600)
        self.assertEqual([thread["parent"] for thread in first["threads"]], [None, 0])
        self.assertEqual(first["modules"], [])
        self.assertFalse(second["extension"])
        self.assertIsNone(second["threads"][1]["samples"])

    def test_profile_and_log(self):
        run_of = run([compile_program("call_counts.c")])
        log = run_of.folder / "call_counts_all.log"
        profile = run_of.folder / "call_counts_all.json"
        of_profile, of_log = json.loads(command("info", "--json", profile, log).stdout)
        self.assertEqual((of_profile["kind"], of_profile["program"]), ("profile", "call_counts"))
        self.assertEqual(of_profile["paths"], 5)
        self.assertEqual((of_log["kind"], of_log["program"]), ("text-log", "call_counts"))
        self.assertRegex(of_log["run_time"], r"\A\d+\.\d\d s\Z")
        self.assertEqual(command("info", profile, log).stdout.count("Program:"), 2)

    def test_what_a_killed_run_leaves(self):
        running = Running(threads=2, VFTR_SAMPLING_ACTIVE="yes")
        self.addCleanup(running.process.wait)
        self.addCleanup(running.process.kill)
        deadline = time.monotonic() + 60
        while not any(running.folder.glob("*.tmpvfd")) and time.monotonic() < deadline:
            time.sleep(0.02)
        running.kill()
        trace, = running.folder.glob("*.tmpvfd")
        tree = running.tree_file()
        result = command("info", "--json", trace, tree)
        self.assertEqual((result.status, result.stderr), (0, ""))
        kinds = []
        for facts in json.loads(result.stdout):
            kinds.append(facts["kind"])
            self.assertEqual((facts["program"], facts["pid"]),
                             ("recover_counts", running.process.pid))
            self.assertTrue(facts["command_line"].endswith("recover_counts counts 2 0"))
        self.assertEqual(kinds, ["unfinished-trace", "tree"])
        self.fails("dump", trace, message="a run that did not finish; \"vftrace recover\" makes")

    def test_other_files_are_still_described(self):
        file = self.sample()
        folder = scratch_folder()
        (folder / "notes").write_text("something else")
        (folder / "nothing").write_text("")
        (folder / "cut.vfd").write_bytes(file.read_bytes()[:200])
        result = command("info", "--json", folder / "notes", folder / "nothing", "/nowhere/x",
                         folder / "cut.vfd", folder, file)
        self.assertEqual(result.status, 2)
        self.assertEqual([facts["file"] for facts in json.loads(result.stdout)], [str(file)])
        said = result.stderr.splitlines()
        for line, problem in zip(said, ("/notes: is not a file of vftrace", "/nothing: is empty",
                                        "/nowhere/x: No such file", "/cut.vfd: is truncated: ",
                                        ": is not a regular file")):
            self.assertIn(problem, line)
        self.assertEqual(len(said), 5)
