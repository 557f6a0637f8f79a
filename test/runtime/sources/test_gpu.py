"""GPUs in the profile, without a GPU: programs on the stand-ins for CUDA and CUPTI, whose work is
known to the nanosecond and byte."""
import json
import pathlib
import subprocess
import time
import unittest

from gpu_support import (DRIVER, RUNTIMES, STANDIN, GpuFigures, GpuTest, compile_gpu, copy_ns,
                         cuda_library, cupti_library, expected_totals, read_truth, set_ns,
                         standin_environment)
from mpi_support import MPICH, OPEN_MPI, PRELOAD, run_mpi
from support import (COMMAND, INCLUDE_RUNTIME, LIBRARY, SCRATCH, clean_environment, compile_program, need,
                     need_part, run, scratch_folder, table_rows)

def line_of(text, beginning):
    """The first line that begins with this text."""
    return next(line for line in text.splitlines() if line.startswith(beginning))


CUDA_HEADERS = pathlib.Path("/usr/local/cuda/include")


class Headers(unittest.TestCase):
    """Compares our own declarations with CUPTI's, if these are installed."""

    def setUp(self):
        need("gcc")
        if not (CUDA_HEADERS / "cupti.h").exists():
            self.skipTest(f"no headers of CUPTI in {CUDA_HEADERS}")

    def compile(self, *command):
        result = subprocess.run([*map(str, command), "-w", "-I", str(CUDA_HEADERS)],
                                capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_standins(self):
        SCRATCH.mkdir(parents=True, exist_ok=True)
        program = SCRATCH / "standin_layout"
        self.compile("gcc", STANDIN / "standin_layout.c", "-o", program)
        self.assertEqual(subprocess.run([program]).returncode, 0)

    def test_library(self):
        self.compile("g++", "-std=c++20", "-fsyntax-only", *INCLUDE_RUNTIME,
                     STANDIN / "cupti_layout.cpp")


class Work(GpuTest):
    def test_vector_add(self):
        figures = self.check("vector_add.c")
        size = 8000
        self.assertEqual(figures.sums(), {
            ("cudaMemcpy<on_device<main<init", None, "host-to-device"):
                (2, 2 * copy_ns(size), 2 * size),
            ("cudaMemset<on_device<main<init", None, "memset"): (1, set_ns(size), size),
            ("add_kernel<add<main<init", "add_kernel", "kernel"): (2, 2 * 12345, 0),
            ("add_kernel<add<add_again<main<init", "add_kernel", "kernel"): (1, 12345, 0),
            ("cudaMemcpy<main<init", None, "device-to-host"): (1, copy_ns(size), size)})
        self.assertEqual(figures.calls(), {
            "cudaMalloc<on_device<main<init": 3,
            "cudaMemcpy<on_device<main<init": 2,
            "cudaMemset<on_device<main<init": 1,
            "add_kernel<add<main<init": 2,
            "cudaDeviceSynchronize<add<main<init": 1,
            "add_kernel<add<add_again<main<init": 1,
            "cudaDeviceSynchronize<add<add_again<main<init": 1,
            "cudaMemcpy<main<init": 1,
            "cudaMalloc<main<init": 1,
            "cudaFree<main<init": 3})

    def test_two_streams(self):
        figures = self.check("two_streams.c")
        size = 100000
        self.assertEqual(figures.sums(), {
            ("cudaMemcpyAsync<process<main<init", None, "host-to-device"):
                (6, 6 * copy_ns(size), 6 * size),
            ("cudaMemcpyAsync<process<main<init", None, "device-to-host"):
                (6, 6 * copy_ns(size), 6 * size),
            ("work_kernel<process<main<init", "work_kernel", "kernel"): (6, 120000, 0),
            ("cudaMemsetAsync<main<init", None, "memset"): (1, set_ns(size), size)})
        self.assertGreater(figures.devices[0]["overlap_ns"], 0)
        self.assertEqual(figures.devices[0]["name"], "Stand-in GPU 0")

    def test_graph(self):
        figures = self.check("graph_launch.c")
        launch = "cudaGraphLaunch<replay<main<init"
        self.assertEqual(figures.sums(), {
            (launch, None, "host-to-device"): (5, 5 * copy_ns(5000), 5 * 5000),
            (launch, None, "memset"): (5, 5 * set_ns(4992), 5 * 4992),
            (launch, "double_it", "kernel"): (10, 10 * 3000, 0),
            (launch, "add_one", "kernel"): (5, 5 * 1700, 0),
            ("cudaMemcpy<main<init", None, "device-to-host"): (1, 1000, 8)})
        # Recording a graph consists of calls, without device work.
        self.assertEqual(figures.calls()["double_it<record<main<init"], 2)

    def test_managed_memory(self):
        figures = self.check("managed_memory.c")
        self.assertEqual(figures.totals(), {
            "kernel": (6, 6 * 5000, 0),
            "migrated-to-device": (4, 4 * copy_ns(65536), 4 * 65536),
            "migrated-to-host": (3, 3 * copy_ns(65536), 3 * 65536)})

    def test_threads(self):
        figures = self.check("gpu_threads.c")
        thread = "run<[thread]<main<init"
        copies = (4, 4 * copy_ns(1000), 4000)
        self.assertEqual(figures.sums(), {
            (f"cudaMemcpyAsync<{thread}", None, "host-to-device"): copies,
            (f"cudaMemcpyAsync<{thread}", None, "device-to-host"): copies,
            (f"even_kernel<launch<even_work<{thread}", "even_kernel", "kernel"): (100, 100000, 0),
            (f"odd_kernel<launch<odd_work<{thread}", "odd_kernel", "kernel"): (100, 200000, 0)})
        # CUPTI's own thread does not count as a thread of the program.
        self.assertEqual(sum(row["threads"] for row in figures.profile["threads"]), 5)

    def test_several_devices(self):
        figures = self.check("several_devices.c", STANDIN_DEVICES=3)
        self.assertEqual(figures.sums(), {
            ("mark<use<main<init", "mark", "kernel"): (8, 8 * 7000, 0),
            ("cudaMemcpyPeer<main<init", None, "peer-to-peer"): (1, copy_ns(20000), 20000),
            ("cudaMemcpyPeerAsync<main<init", None, "peer-to-peer"): (1, copy_ns(10000), 10000),
            ("cudaMemcpy<main<init", None, "device-to-host"): (1, 1000, 8)})
        self.assertEqual([device["name"] for device in figures.devices],
                         ["Stand-in GPU 0", "Stand-in GPU 1", "Stand-in GPU 2"])

    def test_many_kernels(self):
        figures = self.check("empty_kernels.c", 20000, 1000)
        self.assertEqual(figures.sums(), {
            ("empty<launch<main<init", "empty", "kernel"): (20000, 2000000, 0)})

    def test_kernel_names(self):
        figures = self.check("kernel_names.cpp")
        kernels = {kernel: count for (_, kernel, work), (count, _, _) in figures.sums().items()
                   if work == "kernel"}
        self.assertEqual(sum(kernels.values()), 6)
        named = {name: count for name, count in kernels.items() if name and "stencil" in name}
        # Two instances of a template are distinguished.
        self.assertEqual(sorted(named.values()), [1, 2], kernels)
        self.assertTrue(any("operator+" in (name or "") for name in kernels), kernels)
        self.assertTrue(any("solve" in (name or "") for name in kernels), kernels)

    def test_driver_api(self):
        for cuda in (RUNTIMES[13], DRIVER):
            with self.subTest(cuda):
                figures = self.check("driver_calls.c", cuda=cuda)
                self.assertEqual(figures.sums(), {
                    ("cuMemcpyHtoD_v2<main<init", None, "host-to-device"): (1, 1000, 8),
                    ("triple<launch<main<init", "triple", "kernel"): (2, 8000, 0),
                    ("cuMemcpyDtoH_v2<main<init", None, "device-to-host"): (1, 1000, 8)})
                self.assertEqual(figures.calls()["cuCtxSynchronize<main<init"], 1)

    def test_not_instrumented(self):
        figures = self.check("vector_add.c", instrument=False)
        self.assertEqual(figures.totals()["kernel"], (3, 3 * 12345, 0))

    def test_launch_latency(self):
        """In real time: work begins 5 us after its call, or when the one before has ended."""
        figures = GpuFigures(self.profile_gpu("vector_add.c", STANDIN_CLOCK="real"))
        for (path, _, _), work in figures.work.items():
            self.assertEqual(work["timely"], work["count"], path)
            self.assertGreaterEqual(work["waited_ns"], 4500 * work["count"], path)
            self.assertLess(work["waited_ns"], 50e6, path)


class Versions(GpuTest):
    def test_older_layouts(self):
        for version in (11, 12):
            for program in ("two_streams.c", "graph_launch.c", "managed_memory.c"):
                with self.subTest(f"CUDA {version}, {program}"):
                    self.check(program, version=version)
            with self.subTest(f"CUDA {version}, several devices"):
                self.check("several_devices.c", version=version, STANDIN_DEVICES=3)


class Awkward(GpuTest):
    """Records that arrive late, out of order, or not at all."""

    def test_disorder(self):
        for script in ("reverse", "per-buffer=1", "per-buffer=3,reverse", "late", "unknown-kinds", "driver-ids",
                       "late,reverse,per-buffer=7,unknown-kinds"):
            for program in ("two_streams.c", "graph_launch.c", "gpu_threads.c", "managed_memory.c"):
                with self.subTest(f"{script}, {program}"):
                    self.check(program, script=script)

    def test_dropped_records(self):
        result = self.profile_gpu("empty_kernels.c", 1000, script="drop=10", expect_stderr=None)
        figures = GpuFigures(result)
        self.assertEqual(figures.totals(), {"kernel": (900, 90000, 0)})
        self.assertEqual(figures.calls(), {"empty<launch<main<init": 1000})
        self.assertRegex(result.text(), r"\b100 pieces of GPU work were not recorded")

    def test_unknown_calls(self):
        result = self.profile_gpu("empty_kernels.c", 1000, script="unknown-ids=4",
                                  expect_stderr=None)
        figures = GpuFigures(result)
        self.assertEqual(figures.totals(), {"kernel": (1000, 100000, 0)})
        self.assertEqual(figures.sums(), {
            ("empty<launch<main<init", "empty", "kernel"): (750, 75000, 0),
            ("init", "empty", "kernel"): (250, 25000, 0)})

    def test_no_times(self):
        figures, truth = self.figures("empty_kernels.c", 1000, script="no-times=5",
                                      expect_stderr=None)
        count, ns, _ = figures.totals()["kernel"]
        self.assertIn(count, (800, 1000))
        self.assertEqual(ns, 80000)
        span = max(one.end for one in truth) - min(one.start for one in truth)
        self.assertLessEqual(figures.devices[0]["span_ns"], span)

    def test_contexts_destroyed_at_exit(self):
        for script in ("destroy", "destroy,late"):
            with self.subTest(script):
                figures = self.check("empty_kernels.c", 1000, script=script)
                self.assertEqual(figures.totals(), {"kernel": (1000, 100000, 0)})

    def test_more_buffers_than_allowed(self):
        """Records for which there is no space are counted; the rest is correct."""
        result = self.profile_gpu("empty_kernels.c", 3000, script="late,per-buffer=10",
                                  expect_stderr=None)
        count, ns, _ = GpuFigures(result).totals()["kernel"]
        self.assertEqual(ns, 100 * count)
        self.assertLess(count, 3000)
        self.assertRegex(result.text(), rf"\b{3000 - count} pieces of GPU work were not recorded")

    def test_fork(self):
        """The child does not use CUDA: work that its parent began is not its own."""
        result = self.profile_gpu("gpu_fork.c", script="late")
        profiles = {path.name: json.loads(path.read_text())
                    for path in result.folder.glob("*_all.json")}
        parent = GpuFigures(result, profiles.pop("gpu_fork_all.json"))
        self.assertEqual(parent.totals(), {"kernel": (11, 1100, 0)})
        self.assertEqual(len(profiles), 1)
        for child in profiles.values():
            self.assertEqual(GpuFigures(result, child).totals(), {})

    def test_fork_before_use(self):
        result = self.profile_gpu("gpu_fork_first.c")
        totals = [GpuFigures(result, json.loads(path.read_text())).totals()
                  for path in result.folder.glob("*_all.json")]
        self.assertEqual(sorted(one["kernel"] for one in totals), [(6, 600, 0), (9, 900, 0)])

    def test_snapshot(self):
        """From a running process: the records that CUPTI has delivered so far."""
        need_part("BUILD_TOOLS")
        program, folder = compile_gpu("gpu_killed.c"), scratch_folder()
        environment = clean_environment(LD_PRELOAD=LIBRARY,
                                        **standin_environment(script="per-buffer=100"))
        process = subprocess.Popen([program, "15", "3"], cwd=folder, env=environment,
                                   stdin=subprocess.DEVNULL)
        time.sleep(1)
        said = run([COMMAND, "snapshot", process.pid], preload=False, folder=folder)
        profiles = list(folder.glob("*_snapshot_all.json"))
        process.kill()
        process.wait()
        self.assertEqual((said.status, len(profiles)), (0, 1), said.stderr)
        figures = GpuFigures(said, json.loads(profiles[0].read_text()))
        count, ns, _ = figures.totals()["kernel"]
        self.assertGreaterEqual(count, 900)
        self.assertEqual(ns, 100 * count)

    def test_paused(self):
        """Calls while recording is paused, and their work, are not recorded."""
        result = self.profile_gpu("gpu_paused.c")
        figures = GpuFigures(result)
        self.assertEqual(figures.sums(), {
            ("empty<launch<main<init", "empty", "kernel"): (12, 1200, 0)})
        self.assertEqual(figures.calls(), {"empty<launch<main<init": 12})

    def test_killed(self):
        need_part("BUILD_TOOLS")
        program = compile_gpu("gpu_killed.c")
        for signal in (15, 6):
            with self.subTest(signal):
                result = run([program, signal], **standin_environment(script="per-buffer=100"))
                self.assertEqual(result.status, -signal)
                figures = GpuFigures(result)
                self.assertEqual(figures.calls(), {"empty<launch<main<init": 1000})
                self.assertGreaterEqual(figures.totals()["kernel"][0], 900)

    def test_killed_after_a_while(self):
        """Finished work is delivered every second, whether a buffer is full or not."""
        need_part("BUILD_TOOLS")
        result = run([compile_gpu("gpu_killed.c"), 15, 3], **standin_environment())
        self.assertEqual(GpuFigures(result).totals()["kernel"][0], 1000)

    def test_killed_for_good(self):
        """Delivered records are in the tree file."""
        need_part("BUILD_TOOLS")
        program = compile_gpu("gpu_killed.c")
        trees = scratch_folder()
        result = run([program, 9], VFTR_TREE_FILE_DIRECTORY=trees,
                     **standin_environment(script="per-buffer=100"))
        self.assertEqual(result.status, -9)
        recovered = run([COMMAND, "recover", *trees.iterdir()], preload=False,
                        folder=result.folder)
        self.assertEqual(recovered.status, 0, recovered.stderr)
        figures = GpuFigures(recovered)
        self.assertEqual(figures.calls(), {"empty<launch<main<init": 1000})
        count, ns, _ = figures.totals()["kernel"]
        self.assertGreaterEqual(count, 900)
        self.assertEqual(ns, 100 * count)


class Tables(GpuTest):
    """The GPU figures of the log that are exact."""

    def test_kernels_copies_and_streams(self):
        result = self.profile_gpu("two_streams.c")
        text = result.text()
        kernel, = table_rows(text, line_of(text, "GPU kernels"))
        self.assertEqual((kernel["Count"], kernel["Mean[us]"], kernel["Min[us]"], kernel["Max[us]"],
                          kernel["Kernel"], kernel["Caller"]),
                         ("6", "20.0", "20.0", "20.0", "work_kernel", "process"))
        copies = {row["Direction"]: row for row in table_rows(text, line_of(text, "GPU copies"))}
        for direction in ("host to device", "device to host"):
            row = copies[direction]
            self.assertEqual((row["Count"], row["Bytes"], row["Mean size[B]"]),
                             ("6", "600000", "100000"))
            self.assertEqual(row["Bandwidth[GB/s]"], "9.091")  # 100000 bytes in 11000 ns
        streams = table_rows(text, line_of(text, "GPU streams"))
        self.assertEqual({(row["Stream"], row["Kernels"], row["Copies"], row["Bytes"])
                          for row in streams},
                         {("13", "3", "6", "600000"), ("14", "3", "7", "700000")})
        for row in streams:
            self.assertEqual(row["Busy[%]"], "100.0")
        device, = table_rows(text, line_of(text, "GPUs "))
        figures = GpuFigures(result).devices[0]
        for column, key in (("Kernels[%]", "kernel_ns"), ("Copies[%]", "copy_ns"),
                            ("Both[%]", "overlap_ns")):
            self.assertEqual(device[column], f"{100 * figures[key] / figures['span_ns']:.1f}")
        self.assertEqual(device["Name"], "Stand-in GPU 0")

    def test_summary(self):
        text = self.profile_gpu("vector_add.c", STANDIN_DEVICES=2).text()
        self.assertIn("Stand-in GPU 1", text)  # visible, but not used
        rows = table_rows(text, line_of(text, "Visible GPUs"))
        by_name = {}
        for row in rows:
            old = by_name.get(row["cudaName"], (0, 0, 0))
            by_name[row["cudaName"]] = tuple(
                a + int(row[column]) for a, column in
                zip(old, ("#Calls", "Host->Device[B]", "Device->Host[B]")))
        self.assertEqual(by_name["cudaMemcpy"], (3, 16000, 8000))
        self.assertEqual(by_name["add_kernel"], (3, 0, 0))
        self.assertEqual(by_name["cudaMalloc"], (4, 0, 0))

    def test_switched_off(self):
        result = self.profile_gpu("vector_add.c", VFTR_CUDA_ACTIVE="no")
        self.assertNotIn("gpu", result.profile())
        self.assertEqual(result.calls()["on_device<main<init"], 3)


class Refused(GpuTest):
    """If CUPTI cannot be used the program runs, and the reason is reported."""

    def check_refused(self, script, said, **options):
        result = self.profile_gpu("vector_add.c", script=script, expect_stderr=None, **options)
        messages = [line for line in result.stderr.splitlines() if "GPU" in line or "CUDA" in line]
        self.assertEqual(len(messages), 1, result.stderr)
        self.assertRegex(messages[0], said)
        self.assertEqual(result.calls()["add<main<init"], 1)
        return GpuFigures(result)

    def test_subscription(self):
        for script, said in (("subscribe=999", "CUPTI_ERROR_UNKNOWN"),
                             ("subscribe=39", "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"),
                             ("subscribe=35", "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES")):
            with self.subTest(script):
                figures = self.check_refused(script, said)
                self.assertEqual(figures.sums(), {})

    def test_activity(self):
        """Calls are recorded if records are refused."""
        figures = self.check_refused("activity=35", "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES")
        self.assertEqual(figures.sums(), {})
        self.assertEqual(figures.calls()["add_kernel<add<main<init"], 2)

    def test_no_cupti(self):
        if any(pathlib.Path("/usr/local/cuda").glob("**/libcupti.so*")):
            self.skipTest("CUPTI is installed")
        self.check_refused("", "libcupti", cupti=False)

    def test_real_cupti_without_driver(self):
        libraries = [*pathlib.Path("/usr/local/cuda").glob("lib*/libcupti.so.13"),
                     *pathlib.Path("/usr/local/cuda").glob("extras/CUPTI/lib*/libcupti.so.13")]
        if not libraries:
            self.skipTest("there is no libcupti.so.13")
        program = compile_gpu("vector_add.c")
        environment = {"LD_LIBRARY_PATH": f"{cuda_library().parent}:{libraries[0].parent}"}
        result = run([program], **environment)
        alone = run([program], preload=False, **environment)
        self.assertEqual((result.status, result.stdout), (alone.status, alone.stdout))
        self.assertRegex(result.stderr, "GPUs are not profiled.*CUPTI_ERROR_")
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)

    def test_no_cuda(self):
        """Nothing is opened, and nothing is printed."""
        program = compile_program("call_counts.c")
        result = run([program], LD_LIBRARY_PATH=cupti_library().parent, LD_DEBUG="files",
                     LD_DEBUG_OUTPUT="libraries")
        self.assertEqual(result.stderr, "")
        opened = "".join(path.read_text() for path in result.folder.glob("libraries.*"))
        self.assertIn("libvftrace", opened)
        self.assertNotIn("cupti", opened)
        self.assertNotIn("gpu", result.profile())


class Mpi(GpuTest):
    """Ranks with a GPU each, and several on one."""

    def run_ranks(self, family, *arguments):
        family.need("mpicc", "mpirun")
        need_part("BUILD_TOOLS")
        program = compile_gpu("gpu_ranks.c", compiler=family.command("mpicc"))
        truth = scratch_folder()
        result = run_mpi(family, program, 3, PRELOAD, arguments=arguments, STANDIN_DEVICES=3,
                         STANDIN_TRUTH=truth, **standin_environment())
        self.assertEqual((result.status, result.stdout), (0, "6\n"), result.stderr)
        figures, truth = GpuFigures(result), read_truth(truth)
        self.assertEqual(figures.totals(), expected_totals(truth))
        self.assertEqual(figures.sums()["count<launch<main<init", "count", "kernel"],
                         (6, 36000, 0))
        work = figures.work["count<launch<main<init", "count", "kernel"]
        self.assertEqual(work["ranks"], {"count": 3, "fewest": 1, "most": 3})
        return figures

    def check_family(self, family):
        figures = self.run_ranks(family)
        self.assertEqual([(device["rank"], device["number"], device["kernel_ns"])
                          for device in figures.devices],
                         [(0, 0, 6000), (1, 1, 12000), (2, 2, 18000)])
        figures = self.run_ranks(family, "shared")
        self.assertEqual([(device["rank"], device["number"], device["kernel_ns"])
                          for device in figures.devices],
                         [(0, 0, 6000), (1, 0, 12000), (2, 0, 18000)])
        self.assertEqual([(stream["rank"], stream["kernels"]) for stream in figures.streams],
                         [(0, 1), (1, 2), (2, 3)])

    def test_open_mpi(self):
        self.check_family(OPEN_MPI)

    def test_mpich(self):
        self.check_family(MPICH)


class Injection(GpuTest):
    """`vftrace run` reaches programs that load CUDA later."""

    def test_loaded_later(self):
        need_part("BUILD_TOOLS")
        program = compile_gpu("loads_cuda.c", cuda=None)
        result = run([COMMAND, "run", "--", program, cuda_library()], preload=False,
                     **standin_environment())
        self.assertEqual((result.status, result.stdout, result.stderr), (0, "42\n", ""))
        self.assertEqual(GpuFigures(result).totals(),
                         {"kernel": (1, 2500, 0), "host-to-device": (1, 1000, 8),
                          "device-to-host": (1, 1000, 8)})
