"""Traced runs whose budget removes hooks of functions: samples show when the program was there."""
import json
import platform
import signal
import subprocess
import unittest

import pytest

from support import (COMMAND, LIBRARY, ProgramTest, clean_environment, compile_program, need_fast_clock,
                     need_part, scratch_folder)
from test_beside_hooks import BUDGET
from test_overhead import names_of_filtered, nodes_of
from trace_support import THINNED, check_order, vfd_of

TRACED = {**BUDGET, **THINNED}
SHORT_PATH = "short_one<caller<work<main<init"


def program(*flags):
    return compile_program("beside_hooks.c", ("-O2", "-pthread", *flags))


def command(*words, folder):
    return subprocess.run([COMMAND, *words], cwd=folder, capture_output=True, text=True, env=clean_environment())


@unittest.skipUnless(platform.machine() == "x86_64", "hooks are overwritten on x86-64 only")
class TraceBudget(ProgramTest):
    def setUp(self):
        super().setUp()
        need_fast_clock()

    def check_samples(self, samples, removed_ns=0, path=SHORT_PATH):
        self.assertEqual({found for found, _ in samples}, {path})
        self.assertGreater(len(samples), 30)
        times = [ns for _, ns in samples]
        self.assertEqual(times, sorted(times))
        self.assertGreaterEqual(times[0], removed_ns)

    @pytest.mark.timing
    def test_samples_show_when_it_was_called(self):
        result = self.profile(program(), **TRACED)
        profile, vfd = result.profile(), vfd_of(result)
        removed = names_of_filtered(profile)["short_one"]
        self.assertEqual((removed["reason"], removed["still_called"]), ("sampled", False))
        samples = vfd.call_samples[0]
        self.check_samples(samples, removed["moment_ns"])
        self.assertEqual(list(vfd.call_samples), [0])
        # The trace has as many samples as the profile uses for the function's time, except for those before the removal.
        counted = sum(node["samples"] for node in nodes_of(profile, "short_one"))
        self.assertLessEqual(len(samples), counted)
        self.assertGreater(len(samples), 0.5 * counted)
        check_order(self, vfd.events)
        times = [ns for _, ns in samples]
        inside = [event for event in vfd.events if event[1].startswith("short_one") and event[2] > times[2]]
        self.assertEqual(inside, [], "no calls of it are seen any more")

    @pytest.mark.timing
    def test_threads(self):
        vfd = vfd_of(self.profile([program(), "threads"], **TRACED))
        self.assertEqual(sorted(vfd.call_samples), [1, 2])
        for samples in vfd.call_samples.values():
            self.check_samples(samples, path=samples[0][0])
            self.assertTrue(samples[0][0].startswith("short_one<caller<work<"))

    @pytest.mark.slow
    def test_precise_functions_keep_their_hooks(self):
        result = self.profile(program("-DCALLS=4000000"), **TRACED, VFTR_SAMPLING_PRECISE_FUNCTIONS="^short_one$")
        self.assertNotIn("short_one", names_of_filtered(result.profile()))
        self.assertEqual(sum(node["calls"] for node in nodes_of(result.profile(), "short_one")), 4000000)
        self.assertEqual(vfd_of(result).call_samples, {})

    @pytest.mark.slow
    def test_no_hooks_are_removed_if_every_call_is_wanted(self):
        result = self.profile(program("-DCALLS=4000000"), **TRACED, VFTR_SAMPLING_SAMPLE_INTERVAL="0")
        self.assertEqual(names_of_filtered(result.profile()), {})
        self.assertEqual(sum(node["calls"] for node in nodes_of(result.profile(), "short_one")), 4000000)
        self.assertEqual(vfd_of(result).call_samples, {})

    def test_tools_and_viewers(self):
        need_part("BUILD_TOOLS")
        result = self.profile(program(), **TRACED)
        vfd = next(path for path in result.folder.iterdir() if path.name.endswith("_0.vfd"))
        samples = len(vfd_of(result).call_samples[0])
        dumped = command("dump", vfd, folder=result.folder)
        self.assertEqual(dumped.returncode, 0, dumped.stderr)
        _, _, listed = dumped.stdout.partition("\nSamples of thread 0 in functions without hooks:\n")
        self.assertEqual(listed.count(f" in {SHORT_PATH}\n"), samples)
        self.assertRegex(command("info", vfd, folder=result.folder).stdout,
                         rf"Samples without hooks: +{samples}\n")
        chrome = command("export", "--format", "chrome", "--output", "-", vfd, folder=result.folder)
        marks = [event for event in json.loads(chrome.stdout)["traceEvents"] if event.get("cat") == "sample"]
        self.assertEqual((len(marks), {event["name"] for event in marks}), (samples, {"short_one"}))
        for form in ("perfetto", "speedscope"):
            done = command("export", "--format", form, vfd, folder=result.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(f"there are {samples} samples in them" in done.stderr, form == "speedscope", done.stderr)

    @pytest.mark.timing  # the first second must be over: by then the trace has a file
    def test_killed(self):
        need_part("BUILD_TOOLS")
        folder = scratch_folder()
        done = subprocess.run([program(), "kill"], cwd=folder, stdout=subprocess.DEVNULL,
                              env=clean_environment(LD_PRELOAD=LIBRARY, TMPDIR=folder, **TRACED))
        self.assertEqual(done.returncode, -signal.SIGKILL)
        trace = next(path for path in folder.iterdir() if path.name.endswith(".tmpvfd"))
        self.assertEqual(command("recover", trace, folder=folder).returncode, 0)

        class Result:
            stderr = ""
            files = staticmethod(lambda: list(folder.iterdir()))
        Result.folder = folder
        self.check_samples(vfd_of(Result).call_samples[0])
