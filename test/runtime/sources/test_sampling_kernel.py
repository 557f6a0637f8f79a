"""The kernel's work for sampled programs by call path, and systems where it cannot be observed."""
import ctypes
import json
import os
import pathlib
import re
import signal
import struct
import subprocess
import time
import unittest

import pytest

from support import (COMMAND, LIBRARY, ProgramTest, clean_environment, compile_program, need,
                     need_part, run, scratch_folder)

SAMPLED = {"VFTR_STACK_SAMPLING_FREQUENCY": "1000"}


def build(name, *flags):
    return compile_program(name, flags=("-O2", "-fomit-frame-pointer", "-pthread", *flags),
                           instrument=False)


def need_kernel_events():
    """Skips the test if samples of the kernel's work are not allowed."""
    perf_event_open, software, task_clock, exclude_user = 298, 1, 1, 1 << 4
    attributes = struct.pack("IIQQQQQ", software, 112, task_clock, 1000000, 0, 0, exclude_user)
    libc = ctypes.CDLL(None, use_errno=True)
    file = libc.syscall(perf_event_open, ctypes.create_string_buffer(attributes, 112), 0, -1, -1, 0)
    if file < 0:
        raise unittest.SkipTest("the kernel does not let this process sample it: "
                                + os.strerror(ctypes.get_errno()))
    os.close(file)


class Kernel(ProgramTest):
    def setUp(self):
        need("gcc")

    def sample(self, name="sample_kernel.c", *arguments, **environment):
        return self.profile([build(name), *arguments], **SAMPLED, **environment)

    def check_time(self, node, seconds, part=0.15):
        self.assertAlmostEqual(node["inclusive_ns"] / 1e9, seconds, delta=part * seconds, msg=node)

    def check_processor_time(self, saved):
        """The time in rows and the time outside all rows add up to the total."""
        run_info = saved["run"]
        sampled = sum(node["exclusive_ns"] for node in saved["nodes"])
        self.assertAlmostEqual(sampled + run_info["unsampled_ns"], run_info["processor_ns"],
                               delta=0.05 * run_info["processor_ns"] + 1e7)
        for node in saved["nodes"]:
            self.assertLessEqual(node.get("kernel_ns", 0), node["exclusive_ns"], node)


class Paths(Kernel):
    @pytest.mark.timing
    def test_functions(self):
        """The kernel's work is attributed to the code that requested it, even if this code hardly leaves the
        kernel, has a large frame or enters and leaves it all the time."""
        need_kernel_events()
        result = self.sample("sample_kernel.c", "1")
        saved, paths = result.profile(), result.paths()
        self.check_processor_time(saved)
        self.check_time(paths["reads_blocks<main<init"], 1)
        self.assertGreater(paths["read<reads_blocks<main<init"]["kernel_ns"], 0.8e9)
        self.assertGreater(paths["read<reads_into_frame<main<init"]["kernel_ns"], 0.4e9)
        for part in ("one_part", "other_part"):
            self.check_time(paths[f"{part}<main<init"], 0.5, 0.25)
            node = paths[f"syscall<asks<{part}<main<init"]
            self.assertGreater(node["kernel_ns"], 0.1e9)
            self.assertLess(node["kernel_ns"], node["exclusive_ns"])
        self.check_time(paths["spin<main<init"], 1)
        self.assertLess(paths["spin<main<init"].get("kernel_ns", 0), 0.05e9)
        self.assertLess(saved["run"]["unsampled_ns"], 0.2 * saved["run"]["processor_ns"])

    def test_log(self):
        need_kernel_events()
        result = self.sample(VFTR_NAME_GROUPED_PROFILE_TABLE_SHOW_TABLE="yes")
        node = result.paths()["read<reads_blocks<main<init"]
        row = next(row for row in result.rows()
                   if (row["Function"], row["Caller"]) == ("read", "reads_blocks"))
        self.assertAlmostEqual(float(row["kernel[s]"]), node["kernel_ns"] / 1e9, delta=0.001)
        row = next(row for row in result.rows("Runtime profile (Grouped by function name)")
                   if row["Function"] == "read")
        self.assertGreater(float(row["kernel[s]"]), node["kernel_ns"] / 1e9)

    def test_page_faults(self):
        need_kernel_events()
        paths = self.sample("sample_page_faults.c").paths()
        touches = paths["touches<main<init"]
        self.assertGreater(touches["kernel_ns"], 0.3 * touches["exclusive_ns"])
        self.assertEqual(paths["touches_again<main<init"].get("kernel_ns", 0), 0)

    def test_tools(self):
        """The commands read it, add it up and take its mean."""
        need_kernel_events()
        need_part("BUILD_TOOLS")
        result = self.sample()
        saved = next(path for path in result.folder.iterdir() if path.name.endswith("_all.json"))

        def vftrace(*arguments):
            done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True,
                                  cwd=result.folder, env=clean_environment())
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout

        self.assertIn("| kernel[s] |", vftrace("report", saved))
        self.assertIn("| kernel[s] |", vftrace("report", "--group", "name", saved))
        once = sum(node.get("kernel_ns", 0) for node in result.profile()["nodes"])
        for how, expected in (("sum", 2 * once), ("mean", once)):
            vftrace("merge", "--runs", how, "--output", "both.out", saved, saved)
            both = json.loads((result.folder / "both.out").read_text())
            self.assertAlmostEqual(sum(node.get("kernel_ns", 0) for node in both["nodes"]),
                                   expected, delta=20)
        vftrace("diff", saved, saved)


class Lives(Kernel):
    def test_threads_regions_pauses_and_children(self):
        need_kernel_events()
        result = self.sample("sample_kernel_lives.c")
        saved = sorted(path for path in result.folder.iterdir() if path.name.endswith(".json"))
        children = [path for path in saved if re.search(r"_\d+_all", path.name)]
        samples_in = []
        for path in children:
            child = json.loads(path.read_text())
            names = [function["name"] for function in child["functions"]]
            self.assertIn("part", names)
            self.assertNotIn("in_thread", names)
            samples_in.append(sum(node.get("kernel_ns", 0) for node in child["nodes"]))
            path.unlink()
        # A child that is created without notification cannot be sampled.
        self.assertEqual(len(samples_in), 2)
        self.assertEqual(min(samples_in), 0)
        self.assertGreater(max(samples_in), 0.4e9)
        paths = result.paths()
        kernel = {path: node["kernel_ns"] for path, node in paths.items() if "kernel_ns" in node}
        for path in ("in_thread<begins<[thread]<main<init", "in_region<part<has_region<main<init",
                     "after_pause<main<init"):
            self.assertGreater(kernel.get(f"syscall<asks<{path}", 0), 0.1e9, kernel)
        self.assertFalse(any("in_pause" in path for path in kernel), kernel)
        self.assertFalse(any("in_child" in path for path in kernel), kernel)

    def test_killed(self):
        """The data of a killed process include the kernel's work."""
        need_kernel_events()
        need_part("BUILD_TOOLS")
        trees, folder = scratch_folder(), scratch_folder()
        process = subprocess.Popen([build("sample_kernel.c"), "100"], cwd=folder,
                                   env=clean_environment(LD_PRELOAD=LIBRARY, TMPDIR=trees, **SAMPLED))
        time.sleep(1.5)
        process.send_signal(signal.SIGKILL)
        process.wait()
        done = subprocess.run([COMMAND, "recover", *trees.iterdir()], cwd=folder,
                              capture_output=True, text=True,
                              env=clean_environment(TMPDIR=trees))
        self.assertEqual(done.returncode, 0, done.stderr)
        saved = json.loads(next(folder.glob("*.json")).read_text())
        self.assertGreater(sum(node.get("kernel_ns", 0) for node in saved["nodes"]), 0.2e9)


class Without(Kernel):
    def check_without(self, result):
        saved = result.profile()
        self.assertFalse(any("kernel_ns" in node for node in saved["nodes"]))
        self.assertNotIn("kernel[s]", result.text())
        self.assertGreater(result.paths()["spin<main<init"]["samples"], 300)
        self.assertGreater(saved["run"]["unsampled_ns"], 0.3 * saved["run"]["processor_ns"])

    def test_option(self):
        result = self.sample(VFTR_STACK_SAMPLING_KERNEL_TIME="no")
        if result.profile()["run"]["sample_clock"] != "user code":
            self.skipTest("perf_event_open is not allowed here")
        self.check_without(result)

    def test_ordinary_user(self):
        """If the kernel refuses, nothing else changes, and nothing is printed."""
        if pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text() != "2\n":
            self.skipTest("ordinary users may have other events here")
        library = compile_program("no_rights.c", ("-O1", "-shared", "-fPIC"), instrument=False,
                                  output="no_rights.so")
        result = run([build("sample_kernel.c")], preload=False,
                     LD_PRELOAD=f"{LIBRARY}:{library}", **SAMPLED)
        self.assertEqual((result.status, result.stdout, result.stderr), (0, "done\n", ""))
        self.check_without(result)


if __name__ == "__main__":
    unittest.main()
