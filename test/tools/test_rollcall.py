"""Roll calls of jobs that hang: by vftrace rollcall, on one host and several, and by the watchdog."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

import pytest

from built_once import build_once
from command_support import CommandTest, command
from mpi_support import MPICH, OPEN_MPI
from support import COMMAND, SCRATCH, SOURCE, clean_environment, compile_program
from test_ends import EndTest, folder_with_trees, tree_files, wait_until

HANG = SOURCE / "examples" / "hang" / "hang.c"
FAMILIES = (OPEN_MPI, MPICH)

# Ranks that wait together, and the one that is elsewhere.
MAJORITY = r"  ranks 0, 1 and 3 on node \S+ wait in MPI_Allreduce < norm < solve < main for \S+ s\n"
ASLEEP = (r"  rank 2 on node \S+ is in wait_for_line < read_mesh < main for (at least )?\S+ s"
          r", asleep\n")


def lives(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class HangTest(EndTest):
    def program(self, family):
        family.need("mpicc", "mpirun")
        return build_once([family.command("mpicc"), "-O1", "-g", "-fno-inline", "-finstrument-functions",
                           HANG, "-lm"], SCRATCH / "bin" / f"hang-{family.name.replace(' ', '-')}" / "hang")

    def launch(self, family, *arguments, options=(), **variables):
        """Starts the job; its tree files are in a folder of its own."""
        self.folder = folder_with_trees()
        self.job = subprocess.Popen(
            [str(part) for part in (COMMAND, "run", *options, "--", *family.launch(4),
                                    self.program(family), *arguments)],
            cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True,
            env=clean_environment(VFTR_TREE_FILE_DIRECTORY=self.folder / "trees",
                                  VFTR_OVERHEAD_BUDGET=0, **family.environment, **variables))
        self.addCleanup(self.end_job)

    def end_job(self):
        for pid in self.pids():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        try:
            os.killpg(self.job.pid, signal.SIGTERM)
        except ProcessLookupError:
            pass
        try:
            self.job.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            os.killpg(self.job.pid, signal.SIGKILL)
            self.job.communicate()

    def pids(self):
        found = [int(name.split("-")[2]) for name in tree_files(self.folder)]
        return [pid for pid in found if lives(pid)]

    def files(self):
        return [self.folder / "trees" / name for name in tree_files(self.folder)]

    def wait_until_it_hangs(self):
        """All four have reached their final places."""
        wait_until(lambda: len(tree_files(self.folder)) == 4, 60)
        wait_until(lambda: "read_mesh" in self.roll_call() and "ranks 0, 1 and 3" in self.roll_call(),
                   60)

    def roll_call(self, *arguments):
        result = command("rollcall", *(arguments or self.pids()))
        return result.stdout


@pytest.mark.mpi
class HungJob(HangTest):
    def test_culprit(self):
        for family in FAMILIES:
            with self.subTest(mpi=family.name):
                self.launch(family)
                self.wait_until_it_hangs()
                text = self.roll_call()
                self.assertRegex(text, r"\ARoll call of hang at [-0-9: ]+: 4 of 4 ranks\n" +
                                 MAJORITY + ASLEEP + r"\Z")
                call = json.loads(self.roll_call("--json", *self.pids()))
                self.assertEqual([(place["activity"], place["count"], place["ranks"])
                                  for place in call["places"]],
                                 [("mpi", 3, [[0, 1], [3, 3]]), ("asleep", 1, [[2, 2]])])
                self.assertEqual((call["application"], call["ranks"], call["missing"],
                                  call["problems"]), ("hang", 4, [], []))
                self.end_job()

    def test_other_culprits(self):
        self.launch(OPEN_MPI if OPEN_MPI.command("mpirun") else MPICH, 2, "computing")
        self.wait_until_it_hangs()
        self.assertRegex(self.roll_call(), MAJORITY +
                         r"  rank 2 on node \S+ is in search_free_cell < read_mesh < main for .* s, "
                         r"computing\n")

    def test_remote_hosts(self):
        """A stand-in launcher pretends that this host is several: each of the ranks is seen on one of them."""
        family = MPICH if MPICH.command("mpirun") else OPEN_MPI
        self.launch(family)
        self.wait_until_it_hangs()
        recorded = self.folder / "recorded"
        hosts = []
        for number, file in enumerate(self.files()):
            host = recorded / f"n{number}"
            host.mkdir(parents=True)
            shutil.copy(file, host)
            hosts.append(host.name)
        launcher = self.folder / "launcher"
        # The reader that it runs examines the files of its pretended host instead of the processes
        # of this one; n8 never answers, n9 answers nonsense.
        launcher.write_text(f"""#!/bin/sh
host=$1; shift
echo "$host" >>{self.folder}/launched
case $host in
n8) sleep 60 ;;
n9) echo nonsense; exit 1 ;;
*) exec "$@" {recorded}/$host ;;
esac
""")
        launcher.chmod(0o755)
        result = command("rollcall", "--launcher", launcher, "--hosts", ",".join([*hosts, "n8", "n9"]),
                         "--job", "no such job", "--timeout", 8)
        self.assertEqual(result.status, 0, result.stderr)
        self.assertIn("hang", result.stdout)
        self.assertRegex(result.stdout, r"  ranks 0, 1 and 3 on node \S+ wait in MPI_Allreduce < norm ")
        self.assertRegex(result.stdout, r"  rank 2 on node \S+ is in wait_for_line < read_mesh < main ")
        self.assertIn("n8: no answer within 8 s", result.stdout)
        self.assertIn("n9: a reader could not be run there", result.stdout)
        self.assertEqual(sorted((self.folder / "launched").read_text().split()),
                         sorted([*hosts, "n8", "n9"]))

    @pytest.mark.timing
    def test_many_hosts(self):
        """Readers start readers; if one cannot be started, the next host takes over."""
        program = compile_program("end_by_signal.c", link=["-pthread"])
        folder = folder_with_trees()
        hosts = [f"n{number}" for number in range(30)]
        for host in hosts:
            process = self.start([program, "compute"], folder)
            process.stdout.readline()
            process.kill()
            process.wait()
            file, = (folder / "trees").iterdir()
            (folder / host).mkdir()
            file.rename(folder / host / file.name)
        launcher = folder / "launcher"
        # n0 and n3 should start readers for others: one fails, the other never answers.
        launcher.write_text(f"""#!/bin/sh
host=$1; shift
echo "$host $(tr '\\0' ' ' </proc/$PPID/cmdline)" >>{folder}/launched
case $host in
n0) exit 1 ;;
n3) sleep 60 ;;
*) exec "$@" {folder}/$host ;;
esac
""")
        launcher.chmod(0o755)
        result = command("rollcall", "--launcher", launcher, "--hosts", "n[0-29]", "--job", "no such job",
                         "--timeout", 8)
        self.assertEqual(result.status, 0, result.stderr)
        self.assertRegex(result.stdout, r"\ARoll call of end_by_signal at [-0-9: ]+: 28 of 28 ranks\n")
        self.assertRegex("\n".join(re.findall(r"n\d+.*: .*", result.stdout.partition("\n")[2])),
                         r"\An0: a reader could not be run there\nn3: no answer within 8 s\Z")
        launched = [line.split(" ", 1) for line in (folder / "launched").read_text().splitlines()]
        # n3 gets a second chance, but only for itself.
        self.assertEqual(sorted(host for host, _ in launched), sorted([*hosts, "n3"]))
        by_command = [host for host, parent in launched if " --reader " not in parent]
        self.assertEqual(len(by_command), 8 + 3, by_command)

    def test_watch(self):
        family = MPICH if MPICH.command("mpirun") else OPEN_MPI
        self.launch(family)
        self.wait_until_it_hangs()
        watcher = subprocess.Popen([COMMAND, "rollcall", "--watch", "1", *map(str, self.pids())],
                                   stdout=subprocess.PIPE, text=True, env=clean_environment())
        self.addCleanup(watcher.communicate)
        self.addCleanup(watcher.kill)
        head = watcher.stdout.readline()
        self.assertRegex(head, r"Roll call of hang .*: 4 of 4 ranks; none has made progress for 1.0 s\n")
        self.assertRegex(watcher.stdout.readline(), MAJORITY)
        self.end_job()
        rest, _ = watcher.communicate(timeout=30)
        self.assertEqual(watcher.returncode, 0)
        self.assertEqual(rest.count("Roll call"), 0)

    def test_watchdog(self):
        for family in FAMILIES:
            with self.subTest(mpi=family.name):
                self.launch(family, options=["--watchdog=1", "--watchdog-signal=ABRT"])
                out, said = self.job.communicate(timeout=120)
                self.assertNotEqual(self.job.returncode, 0)
                text = (self.folder / "hang_rollcall.txt").read_text()
                self.assertRegex(text, r"\Ano rank of hang has made progress for \S+ s:\n")
                self.assertRegex(text, r"  ranks 0, 1 and 3 on node \S+ wait in MPI_Allreduce < norm < "
                                       r"solve < main for at least \S+ s\n")
                self.assertRegex(text, r"  rank 2 on node \S+ is in wait_for_line < read_mesh < main ")
                self.assertEqual(said.count("no rank of hang has made progress"), 1, said)

    def test_watchdog_that_only_reports(self):
        family = MPICH if MPICH.command("mpirun") else OPEN_MPI
        self.launch(family, options=["--watchdog=0.5"])
        wait_until(lambda: (self.folder / "hang_rollcall.txt").exists(), 60)
        time.sleep(1)
        self.assertEqual(len(self.pids()), 4)

    def test_watchdog_of_a_job_that_ends(self):
        family = MPICH if MPICH.command("mpirun") else OPEN_MPI
        self.launch(family, -1, options=["--watchdog=0.5"])
        out, said = self.job.communicate(timeout=120)
        self.assertEqual(self.job.returncode, 0, said)
        self.assertRegex(out, "norm ")
        self.assertEqual(sorted(name for name in os.listdir(self.folder) if "rollcall" in name or
                                "watchdog" in name), [])


class OtherProcesses(HangTest, CommandTest):
    def test_recorded_files(self):
        """From killed processes; a damaged file and one of another version are named."""
        program = compile_program("end_by_signal.c", link=["-pthread"])
        folder = folder_with_trees()
        for _ in range(4):
            process = self.start([program, "compute"], folder)
            process.stdout.readline()
            process.kill()
            process.wait()
        trees = folder / "trees"
        first, second, *_ = sorted(trees.iterdir())
        first.write_bytes(first.read_bytes()[:1000])
        data = bytearray(second.read_bytes())
        data[8] ^= 1
        second.write_bytes(data)
        result = command("rollcall", trees)
        self.assertEqual(result.status, 0, result.stderr)
        self.assertRegex(result.stdout, r"\ARoll call of end_by_signal at .*: 2 of 2 ranks\n")
        self.assertIn(f"{first}: is truncated", result.stdout.replace("nothing can be recovered", ""))
        self.assertIn("was written by another version of vftrace", result.stdout)

    def test_nothing_to_report(self):
        self.fails("rollcall", "--depth", 0, message='"0" is not a number of functions')
        folder = folder_with_trees()
        self.fails("rollcall", folder / "trees", message="does not contain a tree file")
        result = command("rollcall", 999999999)
        self.assertEqual((result.status, result.stdout), (2, ""))
        self.assertEqual(result.stderr, "vftrace: no profiled process of the job was found\n"
                                        "         999999999: no such process\n")
        result = command("rollcall", os.getpid())
        self.assertIn("is not profiled by vftrace", result.stderr)

    def test_process_that_ends_meanwhile(self):
        program = compile_program("end_by_signal.c", link=["-pthread"])
        folder = folder_with_trees()
        process = self.start([program, "compute"], folder)
        process.stdout.readline()
        watcher = subprocess.Popen([COMMAND, "rollcall", "--watch", "5", str(process.pid)],
                                   stdout=subprocess.PIPE, text=True, env=clean_environment())
        self.addCleanup(watcher.communicate)
        time.sleep(0.5)
        process.kill()
        out, _ = watcher.communicate(timeout=30)
        self.assertEqual((watcher.returncode, out), (0, ""))

    def test_stopped_process(self):
        program = compile_program("end_by_signal.c", link=["-pthread"])
        folder = folder_with_trees()
        process = self.start([program, "compute"], folder)
        process.stdout.readline()
        process.send_signal(signal.SIGSTOP)
        result = command("rollcall", process.pid)
        self.assertRegex(result.stdout, r"  rank 0 on node \S+ is in .*, stopped by a signal or a debugger\n")
