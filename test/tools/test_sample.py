"""vftrace sample: the profile of a process that runs already, taken from outside."""
import ctypes
import json
import os
import pathlib
import re
import signal
import subprocess

from command_support import CommandTest, command
from support import COMMAND, clean_environment, compile_program, scratch_folder
from test_ends import wait_until

NOBODY = 65534


def can_sample():
    """Whether this user may sample with perf events (PERF_COUNT_SW_TASK_CLOCK of this process, user code only)."""
    attributes = (ctypes.c_uint32 * 32)()
    attributes[0], attributes[1], attributes[2] = 1, 128, 1  # type software, size, config task-clock
    attributes[10] = 1 << 5 | 1 << 6  # exclude_kernel, exclude_hv
    perf_event_open = 298
    file = ctypes.CDLL(None).syscall(perf_event_open, attributes, 0, -1, -1, 0)
    if file >= 0:
        os.close(file)
    return file >= 0 and os.uname().machine == "x86_64"


def program(*flags):
    return compile_program("sample_running.c", flags=("-O2", "-pthread", *flags), link=("-ldl",), instrument=False)


class SampleTest(CommandTest):
    def setUp(self):
        super().setUp()
        if not can_sample():
            self.skipTest("perf events are not allowed here")
        self.folder = scratch_folder()

    def start(self, *arguments, environment=None, **options):
        """A process that waits for a line before it works."""
        process = subprocess.Popen([str(word) for word in arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   text=True, env=clean_environment(**environment or {}), **options)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process

    def sampler(self, *arguments, limit=None):
        """The command, once it samples. `limit`: of its file descriptors."""
        limited = ["prlimit", f"--nofile={limit}:{limit}", "--"] if limit else []
        process = subprocess.Popen([*limited, COMMAND, "sample", *map(str, arguments)], cwd=self.folder, env=clean_environment(),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        line = process.stderr.readline()
        self.assertIn("sampling until Ctrl-C", line)
        return process

    def ended(self, sampler, status=0):
        output, errors = sampler.communicate(timeout=100)
        self.assertEqual(sampler.returncode, status, errors)
        return output

    def go(self, *processes):
        """Lets the processes work to their end, in which they must not have seen a signal."""
        for process in processes:
            process.stdin.write("\n")
            process.stdin.close()
        for process in processes:
            self.assertEqual(process.stdout.read().replace("ready\n", ""), "0 signals\n")
            self.assertEqual(process.wait(), 0)

    def profile(self, name="sample_running_sample_all.json"):
        return json.loads((self.folder / name).read_text())

    def sampled(self, *arguments, **options):
        """Profile of a planted program that is sampled until it ends."""
        process = self.start(program(), *arguments, **options)
        sampler = self.sampler(process.pid)
        self.go(process)
        self.output = self.ended(sampler)
        return self.profile()

    def samples(self, profile):
        """Samples by function name."""
        names = [function["name"] for function in profile["functions"]]
        found = {}
        for node in profile["nodes"]:
            name = names[node["function"]]
            found[name] = found.get(name, 0) + node.get("samples", 0)
        return found

    def paths(self, profile):
        """Samples by call path, the innermost function first."""
        names = [function["name"] for function in profile["functions"]]
        found, texts = {}, []
        for node in profile["nodes"]:
            parent = node.get("parent")
            texts.append(names[node["function"]] + ("" if parent is None else "<" + texts[parent]))
            found[texts[-1]] = found.get(texts[-1], 0) + node.get("samples", 0)
        return found

    def check_shares(self, samples, at_least=300):
        both = samples["seventy"] + samples["thirty"]
        self.assertGreater(both, at_least)
        # Five standard errors.
        self.assertAlmostEqual(samples["seventy"] / both, 0.7, delta=5 * (0.21 / both) ** 0.5, msg=samples)


class Programs(SampleTest):
    def test_shares_and_paths(self):
        profile = self.sampled()
        self.check_shares(self.samples(profile))
        paths = self.paths(profile)
        self.assertIn("seventy<work<main<init", paths)
        self.assertIn("thirty<work<main<init", paths)
        self.assertRegex(self.output, r"\Asample_running \(process \d+\), \d+ samples in [\d.]+ s, ended:\n")
        log = (self.folder / "sample_running_sample_all.log").read_text()
        self.assertIn("Sampled from outside while the program ran", log)
        self.assertEqual(profile["run"]["notices"][0]["code"], "sampled-from-outside")
        # The tools read it like any other.
        report = command("report", self.folder / "sample_running_sample_all.json")
        self.assertEqual(report.status, 0)
        self.assertIn("seventy", report.stdout)

    def test_processor_time_without_samples_is_known(self):
        profile = self.sampled()
        self.assertGreater(profile["run"]["processor_ns"], 100_000_000)
        self.assertLessEqual(profile["run"]["unsampled_ns"], profile["run"]["processor_ns"])

    def test_threads_that_come_and_go(self):
        profile = self.sampled("threads", 12000)
        self.check_shares(self.samples(profile))
        self.assertIn("seventy<work<threads_work<init", self.paths(profile))
        workers = [thread for thread in profile["threads"] if thread["name"] == "worker"]
        self.assertEqual(sum(thread.get("threads", 1) for thread in workers), 6)

    def test_library_that_is_opened_meanwhile(self):
        plugin = compile_program("sample_running_plugin.c", flags=("-O2", "-fPIC", "-shared"), instrument=False,
                                 output="plugin.so")
        profile = self.sampled("dlopen", 10000, plugin)
        self.assertIn("seventy<work<plugin_calls<main<init", self.paths(profile))

    def test_exec_begins_another_profile(self):
        self.sampled("exec", 10000)
        self.assertIn(", then another program:", self.output)
        for name in ("sample_running", "second"):
            profile = self.profile(f"{name}_sample_all.json")
            self.check_shares(self.samples(profile), at_least=100)
            self.assertIn("seventy<work<main<init", self.paths(profile))

    def test_children_of_fork_are_not_sampled(self):
        profile = self.sampled("fork", 5000)
        samples = sum(self.samples(profile).values())
        self.assertLess(samples * profile["run"]["sample_period_ns"], 1.2 * profile["run"]["processor_ns"])

    def test_stack_that_is_larger_than_the_copy(self):
        profile = self.sampled("deep", 5000)
        paths = self.paths(profile)
        cut = sum(count for path, count in paths.items() if path.endswith("work<deep<init"))
        self.assertGreater(cut, 100)
        self.assertNotIn("seventy<work<deep<main<init", paths)
        notice, = [each for each in profile["run"]["notices"] if each["code"] == "sample-stacks-cut"]
        self.assertGreaterEqual(notice["arguments"][0], cut)

    def test_stripped_program_without_frame_pointers(self):
        process = self.start(program("-fomit-frame-pointer", "-s"))
        sampler = self.sampler(process.pid)
        self.go(process)
        self.ended(sampler)
        depths = [path.count("<") for path, count in self.paths(self.profile()).items() if count > 50]
        self.assertGreater(len(depths), 1)
        self.assertEqual(set(depths), {3}, "two functions below work, main and init")

    def test_too_few_descriptors(self):
        """Some threads are left out, and the log says how many; the files can be written all the same."""
        threads = 100
        process = self.start(program("-DSLEEPERS=%d" % threads), "plain", 4000)
        sampler = self.sampler(process.pid, limit=64)
        self.go(process)
        self.ended(sampler)
        notice, = [each for each in self.profile()["run"]["notices"] if each["code"] == "threads-not-sampled"]
        self.assertGreater(notice["arguments"][0], threads / 2)

    def test_ctrl_c_writes_what_is_there(self):
        process = self.start(program(), "plain", 1000000)
        sampler = self.sampler(process.pid)
        process.stdin.write("\n")
        process.stdin.flush()
        ticks = lambda: int(pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()[11])
        wait_until(lambda: ticks() > 30)
        sampler.send_signal(signal.SIGINT)
        self.assertIn("still running", self.ended(sampler))
        self.check_shares(self.samples(self.profile()), at_least=100)
        self.assertIsNone(process.poll())

    def test_several_processes_get_a_profile_each(self):
        processes = [self.start(program(), "plain", 4000) for _ in range(2)]
        sampler = self.sampler(*[process.pid for process in processes])
        self.go(*processes)
        self.assertEqual(self.ended(sampler).count("sample_running (process "), 2)
        profiles = sorted(self.folder.glob("*.json"))
        self.assertEqual(len(profiles), 2)
        self.assertEqual({json.loads(path.read_text())["run"]["pid"] for path in profiles},
                         {process.pid for process in processes})

    def test_library_that_was_replaced(self):
        """Its functions have no names for an ordinary user, and the log says why; the program's have."""
        plugin = self.folder / "plugin.so"
        original = compile_program("sample_running_plugin.c", flags=("-O2", "-fPIC", "-shared"), instrument=False,
                                   output="plugin.so")
        plugin.write_bytes(original.read_bytes())
        process = self.start(program(), "dlopen", 1000000, plugin)
        process.stdin.write("\n")
        process.stdin.flush()
        wait_until(lambda: str(plugin) in pathlib.Path(f"/proc/{process.pid}/maps").read_text())
        plugin.unlink()
        plugin.write_bytes(original.read_bytes())
        sampler = self.sampler(process.pid)
        ticks = lambda: int(pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()[11])
        before = ticks()
        wait_until(lambda: ticks() > before + 30)
        sampler.send_signal(signal.SIGINT)
        self.ended(sampler)
        self.check_shares(self.samples(self.profile()), at_least=100)

    def test_ranks_of_a_job(self):
        """Processes that a launcher has started together are found by the job's name, and become one profile."""
        job = f"job-{os.getpid()}"
        ranks = [self.start(program(), "plain", 4000,
                            environment={"PMIX_NAMESPACE": job, "OMPI_COMM_WORLD_RANK": rank,
                                         "OMPI_COMM_WORLD_SIZE": 2}) for rank in range(2)]
        sampler = self.sampler("--job", job)
        self.go(*ranks)
        self.assertRegex(self.ended(sampler), r"sample_running \(processes \d+, \d+\)")
        profile = self.profile()
        self.assertEqual([rank["pid"] for rank in profile["ranks"]], [process.pid for process in ranks])
        self.check_shares(self.samples(profile))


class Refusals(SampleTest):
    def test_no_such_process(self):
        self.fails("sample", 0x7ffffff0, message="2147483632: no such process")
        self.fails("sample", message="give process ids, or --job")
        self.fails("sample", "--job", "no-such-job", message='no process of a job named "no-such-job"')

    def test_thread_of_the_kernel(self):
        if not os.path.exists("/proc/2/comm") or pathlib.Path("/proc/2/comm").read_text() != "kthreadd\n":
            self.skipTest("the kernel's threads are not visible here")
        self.fails("sample", 2, message="2: is a thread of the kernel")

    def test_system_forbids_perf_events(self):
        process = self.start(program())
        forbidden = compile_program("no_perf_events.c", flags=("-shared", "-fPIC"), instrument=False, output="forbids.so")
        self.fails("sample", process.pid, message="perf_event_open is forbidden here", LD_PRELOAD=forbidden)

    def test_process_of_another_user(self):
        if os.geteuid() != 0:
            self.skipTest("only root can act for two users")
        process = self.start(program())
        result = subprocess.run(["setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups", "--",
                                 COMMAND, "sample", str(process.pid)], capture_output=True, text=True,
                                env=clean_environment(), cwd="/")
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr, rf"\Avftrace: {process.pid}: (belongs to another user|"
                                        r"kernel.perf_event_paranoid is \d|perf_event_open is forbidden here).*\n\Z")
