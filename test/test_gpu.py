"""GPUs in the profile, without a GPU: programs on the stand-ins for CUDA and CUPTI, which know to the
nanosecond and byte what their devices have done."""
import pathlib
import subprocess
import unittest

from gpu_support import (CUPTIS, DRIVER, RUNTIMES, STANDIN, GpuFigures, GpuTest, compile_gpu, copy_ns,
                         cupti_library, cuda_library, expected_totals, set_ns,
                         standin_environment)
from support import COMMAND, SCRATCH, SOURCE, compile_program, need, need_part, run

CUDA_HEADERS = pathlib.Path("/usr/local/cuda/include")


class Headers(unittest.TestCase):
    """Our own declarations against CUPTI's, where these are."""

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
        self.compile("g++", "-std=c++20", "-fsyntax-only", "-I", SOURCE / "src",
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
        # Recording a graph is calls, and no work.
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
        # CUPTI's own thread is none of the program's.
        self.assertEqual(len(figures.profile["threads"]), 5)

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
        # Two instances of a template are told apart.
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
    """Records that come late, in disorder, or not at all."""

    def test_disorder(self):
        for script in ("reverse", "per-buffer=1", "per-buffer=3,reverse", "late", "unknown-kinds",
                       "late,reverse,per-buffer=7,unknown-kinds"):
            for program in ("two_streams.c", "graph_launch.c", "gpu_threads.c", "managed_memory.c"):
                with self.subTest(f"{script}, {program}"):
                    self.check(program, script=script)

    def test_dropped_records(self):
        result = self.profile_gpu("empty_kernels.c", 1000, script="drop=10", expect_stderr=None)
        figures = GpuFigures(result)
        self.assertEqual(figures.totals(), {"kernel": (900, 90000, 0)})
        self.assertEqual(figures.calls(), {"empty<launch<main<init": 1000})
        self.assertRegex(result.text(), r"\b100\b.*(dropped|lost|no room)")

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

    def test_more_buffers_than_there_may_be(self):
        """What there is no room for is counted; the rest is right."""
        result = self.profile_gpu("empty_kernels.c", 3000, script="late,per-buffer=10",
                                  expect_stderr=None)
        count, ns, _ = GpuFigures(result).totals()["kernel"]
        self.assertEqual(ns, 100 * count)
        self.assertLess(count, 3000)
        self.assertRegex(result.text(), rf"\b{3000 - count}\b.*(dropped|lost|no room)")

    def test_fork(self):
        result = self.profile_gpu("gpu_fork.c", expect_stderr=None)
        logs = [path for path in result.folder.iterdir() if path.name.endswith("_all.json")]
        self.assertLessEqual(len(logs), 2)

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

    def test_killed_for_good(self):
        """What had been handed over is in the tree's file."""
        need_part("BUILD_TOOLS")
        program = compile_gpu("gpu_killed.c")
        result = run([program, 9], **standin_environment(script="per-buffer=100"))
        self.assertEqual(result.status, -9)
        recovered = run([COMMAND, "recover", "."], preload=False, folder=result.folder)
        self.assertEqual(recovered.status, 0, recovered.stderr)
        figures = GpuFigures(recovered)
        self.assertEqual(figures.calls(), {"empty<launch<main<init": 1000})
        self.assertGreaterEqual(figures.totals()["kernel"][0], 900)


class Refused(GpuTest):
    """Where CUPTI cannot be used the program runs, and is told why."""

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
        """Calls are seen where records are refused."""
        figures = self.check_refused("activity=35", "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES")
        self.assertEqual(figures.sums(), {})
        self.assertEqual(figures.calls()["add_kernel<add<main<init"], 2)

    def test_no_cupti(self):
        if any(pathlib.Path("/usr/local/cuda").glob("**/libcupti.so*")):
            self.skipTest("there is a CUPTI")
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
        """Nothing is opened, and nothing said."""
        program = compile_program("call_counts.c")
        result = run([program], LD_LIBRARY_PATH=cupti_library().parent, LD_DEBUG="files",
                     LD_DEBUG_OUTPUT="libraries")
        self.assertEqual(result.stderr, "")
        opened = "".join(path.read_text() for path in result.folder.glob("libraries.*"))
        self.assertIn("libvftrace", opened)
        self.assertNotIn("cupti", opened)
        self.assertNotIn("gpu", result.profile())


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
