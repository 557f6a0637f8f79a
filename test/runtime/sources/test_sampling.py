"""Programs without hooks whose call stacks are sampled: shares of time, callers, and that the program
behaves as it does alone."""
import json
import os
import pathlib
import re
import signal
import subprocess
import unittest

import pytest

from mpi_support import MPICH, OPEN_MPI, _compile
from support import (COMMAND, LIBRARY, LINK_LIBRARY, PROGRAMS, ProgramTest, Result, clean_environment,
                     compile_program, need, need_part, run, scratch_folder)

SAMPLED = {"VFTR_STACK_SAMPLING_FREQUENCY": "1000"}
WITHOUT_POINTERS = ("-O2", "-fomit-frame-pointer", "-pthread")
WITH_POINTERS = ("-O2", "-fno-omit-frame-pointer", "-pthread")


def build(name, flags=WITHOUT_POINTERS, **arguments):
    return compile_program(name, flags=flags, instrument=False, **arguments)


def sampled_for_ever():
    """The folder and the process of a sampled program that keeps working."""
    folder = scratch_folder()
    process = subprocess.Popen(
        [build("sample_for_ever.c")], cwd=folder, stdout=subprocess.PIPE,
        env=clean_environment(LD_PRELOAD=LIBRARY, **SAMPLED))
    process.stdout.readline()
    return folder, process


class SamplingTest(ProgramTest):
    def sample(self, command, **arguments):
        return self.profile(command, **SAMPLED, **arguments)

    def check_sums(self, result):
        """Checks that callees take no longer than their callers."""
        nodes = result.profile()["nodes"]
        called = [0] * len(nodes)
        for node in nodes:
            if node["parent"] is not None:
                called[node["parent"]] += node["inclusive_ns"]
            self.assertGreaterEqual(node["exclusive_ns"], -1000, node)
        names = [function["display"] for function in result.profile()["functions"]]
        for node in nodes:
            # The work of threads is shown where they are created, but is not part of their creator's time.
            if node["parent"] is not None and names[node["function"]] not in ("main", "init"):
                self.assertLessEqual(called[node["id"]], node["inclusive_ns"] + 1000, node)


class OtherLanguages(SamplingTest):
    def names(self, result):
        """Shares of the samples, by displayed name."""
        profile = result.profile()
        sums = {}
        for node in profile["nodes"]:
            name = profile["functions"][node["function"]]["display"]
            sums[name] = sums.get(name, 0) + node.get("samples", 0)
        total = sum(sums.values())
        return {name: samples / total for name, samples in sums.items() if samples}, profile

    def test_rust_names(self):
        need("rustc")
        for mangling in ("v0", "legacy"):
            with self.subTest(mangling=mangling):
                folder = scratch_folder()
                program = folder / "rust_names"
                made = subprocess.run(
                    ["rustc", "-O", "-C", "panic=abort", "-Z", "unstable-options", "-C",
                     f"symbol-mangling-version={mangling}", "-o", program, PROGRAMS / "rust_names.rs"],
                    env=clean_environment(RUSTC_BOOTSTRAP=1, HOME=os.environ.get("HOME")), capture_output=True,
                    check=False, text=True)
                if made.returncode:
                    self.skipTest(made.stderr[:200])
                result = self.sample([program])
                names, profile = self.names(result)
                self.assertGreater(names["rust_names::spin"], 0.9)
                all_names = {function["display"] for function in profile["functions"]}
                self.assertLess({"rust_names::main", "rust_names::spin"}, all_names)
                self.assertEqual([name for name in all_names if name.startswith("_R") or re.search("h[0-9a-f]{16}", name)],
                                 [])
                number = "3" if mangling == "v0" else "_"
                self.assertIn(f"<rust_names::Square<{number}> as rust_names::Shape>::area", all_names)
                self.assertTrue([name for name in all_names if name.startswith("rust_names::caf::g\xf6del")], all_names)

    def test_generated_code(self):
        """Functions that V8 has compiled: named after the list that it writes for perf."""
        need("node")
        script = PROGRAMS / "generated_code.js"
        listed, _ = self.names(self.sample(["node", "--perf-basic-prof", script]))
        shares = {function: sum(share for name, share in listed.items() if function in name)
                  for function in ("busyLoop", "fib")}
        self.assertGreater(shares["busyLoop"], 0.2, listed)
        self.assertGreater(shares["fib"], 0.02, listed)
        # As before: by page, not by smaller pieces.
        unlisted, profile = self.names(self.sample(["node", script]))
        self.assertFalse([name for name in unlisted if "busyLoop" in name])
        by_address = [function["name"] for function in profile["functions"] if re.match(r"\(0x", function["name"])]
        self.assertTrue(by_address)
        self.assertEqual([name for name in by_address if not name.endswith("000)")], [])

    def test_list_of_another_user(self):
        """A list that the process did not write is not read."""
        need("node")
        script = PROGRAMS / "generated_code.js"
        other = scratch_folder() / "list"
        other.write_text("1 7fffffffffff stolen\n")
        command = ["sh", "-c", f'ln -s {other} /tmp/perf-$$.map; exec node {script}']
        listed, _ = self.names(self.sample(command))
        self.assertNotIn("stolen", listed)
        for link in pathlib.Path("/tmp").glob("perf-*.map"):
            if link.is_symlink() and os.readlink(link) == str(other):
                link.unlink()


class Shares(SamplingTest):
    def check_shares(self, result):
        paths = result.paths()
        samples = {path: node["samples"] for path, node in paths.items() if node.get("samples")}
        deep = "spin<deep<three_parts<main<init"
        parts = {deep: 3, "spin<one_part<main<init": 1, "spin<two_parts<[thread]<main<init": 2}
        for path in parts:
            self.assertIn(path, samples)
        total = sum(samples.values())
        self.assertGreater(total, 100)
        for path, part in parts.items():
            share = samples[path] / total
            self.assertLess(abs(share - part / 6), 0.08, f"{path}: {share}; {samples}")
            self.assertEqual(paths[path]["calls"], 0)
            self.assertAlmostEqual(paths[path]["exclusive_ns"] / samples[path], 1e6, delta=5e4)
        main = paths["main<init"]
        self.assertAlmostEqual(main["inclusive_ns"],
                               paths[deep]["inclusive_ns"]
                               + paths["spin<one_part<main<init"]["inclusive_ns"],
                               delta=0.05 * main["inclusive_ns"])
        self.check_sums(result)

    @pytest.mark.timing
    def test_without_frame_pointers(self):
        self.check_shares(self.sample(build("sample_shares.c")))

    @pytest.mark.timing
    def test_with_frame_pointers(self):
        self.check_shares(self.sample(build("sample_shares.c", WITH_POINTERS)))

    @pytest.mark.timing
    def test_clang(self):
        need("clang")
        self.check_shares(self.sample(build("sample_shares.c", compiler="clang")))

    @pytest.mark.timing
    def test_without_perf(self):
        """If perf_event_open is forbidden, the kernel's processor-time timers are used."""
        library = compile_program("no_perf_events.c", ("-O1", "-shared", "-fPIC"),
                                  instrument=False, output="no_perf_events.so", link=("-ldl",))
        program = build("sample_shares.c")
        result = run([program], preload=False, LD_PRELOAD=f"{LIBRARY}:{library}", **SAMPLED)
        self.assertEqual(result.status, 3)
        self.assertRegex(result.stderr, r"^vftrace: perf_event_open is not allowed here .*\n$")
        samples = {path: node["samples"] for path, node in result.paths().items()
                   if node.get("samples")}
        share = samples["spin<deep<three_parts<main<init"] / sum(samples.values())
        self.assertLess(abs(share - 0.5), 0.15)

    def test_stripped(self):
        program = build("sample_shares.c", (*WITHOUT_POINTERS, "-s"))
        result = self.sample(program)
        longest = max((path for path, node in result.paths().items() if node.get("samples")),
                      key=lambda path: result.paths()[path]["samples"])
        self.assertRegex(longest, r"^(sample_shares\+0x[0-9a-f]+<){4}init$")

    def test_log(self):
        result = self.sample(build("sample_shares.c"))
        row = next(row for row in result.rows() if row["Function"] == "spin")
        self.assertEqual(row["Calls"], "")
        self.assertGreater(int(row["Samples"]), 0)
        self.assertRegex(result.text(), r"\nSampled: +once per 1 ms of each thread's user code \(vftrace help run")

    def test_tools_read_it(self):
        need_part("BUILD_TOOLS")
        result = self.sample(build("sample_shares.c"))
        saved = next(path for path in result.folder.iterdir() if path.name.endswith("_all.json"))
        printed = subprocess.run([COMMAND, "report", saved], capture_output=True, text=True)
        self.assertEqual(printed.returncode, 0, printed.stderr)
        self.assertIn("| Samples |", printed.stdout)
        collapsed = subprocess.run([COMMAND, "export", "--format", "collapsed", saved],
                                   capture_output=True, text=True, cwd=result.folder)
        self.assertEqual(collapsed.returncode, 0, collapsed.stderr)


class Libunwind(SamplingTest):
    """The unwinder that is used on processors that our own does not support; here it is forced."""
    by_libunwind = {"VFTR_STACK_SAMPLING_UNWINDER": "libunwind"}

    def setUp(self):
        need_part("HAVE_LIBUNWIND")
        if not any(pathlib.Path("/").glob("usr/lib*/**/libunwind-x86_64.so.8")):
            self.skipTest("libunwind is not installed")

    def shares(self, result):
        samples = {path: node["samples"] for path, node in result.paths().items()
                   if node.get("samples")}
        total = sum(samples.values())
        return {path: count / total for path, count in samples.items()}

    def check_same(self, program, least=0.03, tolerance=0.08):
        own = self.shares(self.sample(program))
        other = self.shares(self.sample(program, **self.by_libunwind))
        for path, share in own.items():
            if share > least:
                self.assertAlmostEqual(other.get(path, 0), share, delta=tolerance,
                                       msg=f"{path}: {other}")

    @pytest.mark.timing
    def test_shares(self):
        for flags in (WITHOUT_POINTERS, WITH_POINTERS):
            self.check_same(build("sample_shares.c", flags))

    @pytest.mark.timing
    def test_awkward_stacks(self):
        samples = self.shares(self.sample(build("sample_awkward.cpp"), **self.by_libunwind))
        for start in ("spin<throws<catches<main<init", "spin<jumps<returns_by_jump<main<init",
                      "spin<recursive", "spin<in_fiber"):
            self.assertTrue(any(path.startswith(start) for path in samples), start)
        self.assertTrue(any(re.match(r"spin<.*<raises<main<init$", path) for path in samples))

    def test_code_without_tables(self):
        result = self.sample(build("sample_made_code.c"), **self.by_libunwind)
        paths = {re.sub(r"0x[0-9a-f]+", "#", path) for path in self.shares(result)}
        self.assertIn("(#)<calls_made_code<main<init", paths)

    def test_signal_masks(self):
        """libunwind blocks all signals for short moments, which the program must not notice."""
        self.sample(build("sample_signals.c", link=("-lrt",)), **self.by_libunwind)

    def test_libraries_that_come_and_go(self):
        plugin = build("sample_plugin.c", ("-O2", "-fPIC", "-shared"), output="first.so")
        other = build("sample_plugin.c", ("-O1", "-fPIC", "-shared"), output="second.so")
        shares = self.shares(self.sample([build("sample_loading.c"), plugin, other],
                                         **self.by_libunwind))
        self.assertIn("plugin_work<main<init", shares)
        self.assertIn("spin<computes<[thread]<main<init", shares)

    def test_children_of_many_threads(self):
        """No child inherits a lock of libunwind that a thread held at the fork."""
        program = build("sample_forks.c")
        result = self.profile(program, VFTR_STACK_SAMPLING_FREQUENCY="5000", **self.by_libunwind)
        self.assertEqual(result.stdout, "50 children\n")

    def test_callbacks_of_the_loader(self):
        """Threads that allocate in dl_iterate_phdr() do not wait for a thread that a sample interrupts."""
        program = build("sample_loader_callbacks.c")
        self.profile(program, VFTR_STACK_SAMPLING_FREQUENCY="5000", **self.by_libunwind)

    def test_missing(self):
        """Our own unwinder continues, and the user is informed."""
        hides = compile_program("no_libunwind.c", ("-O1", "-shared", "-fPIC"), instrument=False,
                                output="no_libunwind.so", link=("-ldl",))
        result = run([build("sample_shares.c")], preload=False, LD_PRELOAD=f"{LIBRARY}:{hides}",
                     **SAMPLED, **self.by_libunwind)
        self.assertEqual(result.status, 3)
        self.assertRegex(result.stderr, r"^vftrace: libunwind cannot follow stacks "
                         r"\(not here; Debian: libunwind8\): vftrace's own unwinder is used\n$")
        self.assertIn("spin<deep<three_parts<main<init", self.shares(result))


class Kernel(SamplingTest):
    """The kernel's work for a program."""

    def need_events(self, result):
        if result.profile()["run"]["sample_clock"] != "user code":
            self.skipTest("perf_event_open is not allowed here")

    def sample_here(self):
        need("gcc")
        result = run([build("sample_page_faults.c")],
                     VFTR_NAME_GROUPED_PROFILE_TABLE_SHOW_TABLE="yes", **SAMPLED)
        self.assertEqual((result.status, result.stdout), (0, "done\n"), result.stderr)
        return result

    def test_page_faults(self):
        """Page faults are counted by path, with one sample per 101 faults."""
        result = self.sample_here()
        self.need_events(result)
        paths = result.paths()
        self.assertLess(abs(paths["touches<main<init"]["page_faults"] - 10000), 500)
        self.assertLess(paths["touches_again<main<init"].get("page_faults", 0), 500)
        row = next(row for row in result.rows() if row["Function"] == "touches")
        self.assertEqual(int(row["Page faults"]), paths["touches<main<init"]["page_faults"])
        row = next(row for row in result.rows("Runtime profile (Grouped by function name)")
                   if row["Function"] == "touches")
        self.assertGreater(int(row["Page faults"]), 9000)

    def test_names_of_the_kernels_code(self):
        """The code that it maps into the process has a symbol table, but no file."""
        maps = open("/proc/self/maps").read()
        if "[vdso]" not in maps:
            self.skipTest("the kernel puts no code into processes here")
        paths = self.sample_here().paths()
        found = [path for path, node in paths.items()
                 if "reads_clock" in path and "vdso" in path and node.get("samples")]
        self.assertTrue(any(path.startswith("__vdso_clock_gettime<") for path in found), paths)
        self.assertFalse(any("linux-vdso.so.1+" in path for path in paths), found)

    def check_processor_time(self, text, run):
        self.assertGreater(run["processor_ns"], 0)
        self.assertLessEqual(run["unsampled_ns"], run["processor_ns"])
        said = re.search(r"\nProcessor time: +([0-9.]+) s\n   Not in the table: +([0-9.]+) s \(([0-9.]+) %\)\n",
                         text)
        self.assertTrue(said, text)
        self.assertAlmostEqual(float(said[1]), run["processor_ns"] / 1e9, delta=0.006)
        self.assertAlmostEqual(float(said[2]), run["unsampled_ns"] / 1e9, delta=0.006)

    @pytest.mark.timing
    def test_processor_time_outside_all_rows(self):
        result = self.sample_here()
        saved = result.profile()
        self.check_processor_time(result.text(), saved["run"])
        self.need_events(result)
        # Both together add up to the total: samples account for the rest.
        sampled = sum(node["exclusive_ns"] for node in saved["nodes"])
        self.assertAlmostEqual(sampled + saved["run"]["unsampled_ns"],
                               saved["run"]["processor_ns"],
                               delta=0.02 * saved["run"]["processor_ns"] + 5e6)

    def test_recovered(self):
        """A process that ends by a signal and one that continues to run have these figures too."""
        need_part("BUILD_TOOLS")
        folder, process = sampled_for_ever()
        done = subprocess.run([COMMAND, "snapshot", str(process.pid)], cwd=folder,
                              capture_output=True, text=True, env=clean_environment())
        process.send_signal(signal.SIGTERM)
        process.wait()
        process.stdout.close()
        self.assertEqual(done.returncode, 0, done.stderr)
        saved = sorted(folder.glob("*.json"))
        self.assertEqual(len(saved), 2)
        for path in saved:
            self.check_processor_time(path.with_suffix(".log").read_text(),
                                      json.loads(path.read_text())["run"])


class Programs(SamplingTest):
    def test_signals_and_timers(self):
        """The program's own timers, handlers and signal masks, and system calls that signals cut short."""
        self.sample(build("sample_signals.c", link=("-lrt",)))

    def test_awkward_stacks(self):
        paths = self.sample(build("sample_awkward.cpp")).paths()
        samples = {path: node.get("samples", 0) for path, node in paths.items()}
        self.assertGreater(samples["spin<throws<catches<main<init"], 0)
        self.assertGreater(samples["spin<jumps<returns_by_jump<main<init"], 0)
        self.assertTrue(any(path.startswith("spin<recursive") for path in samples))
        self.assertTrue(any(path.startswith("spin<in_fiber") for path in samples))
        # A handler on a separate stack is called from what it interrupted.
        self.assertTrue(any(re.match(r"spin<.*<raises<main<init$", path) for path in samples),
                        samples)

    def test_alternate_stacks_are_left_alone(self):
        """The program's alternate stacks may be too small for a handler, or may be freed before the program ends."""
        program = build("sample_alternate_stacks.c")
        result = self.profile(program, VFTR_STACK_SAMPLING_FREQUENCY="5000")
        samples = {path: node.get("samples", 0) for path, node in result.paths().items()}
        for function in ("is_good", "is_small", "is_freed", "is_unmapped"):
            self.assertGreater(samples[f"spin<{function}<main<init"], 0)

    def test_no_sample_after_the_end(self):
        """When the profile is written, the timers and the handler have been removed."""
        observer = compile_program("sample_timers_left.c", ("-O1", "-shared", "-fPIC"),
                                   instrument=False, output="sample_timers_left.so", link=("-ldl",))
        result = run([build("sample_alternate_stacks.c")], preload=False,
                     LD_PRELOAD=f"{LIBRARY}:{observer}", **SAMPLED)
        self.assertEqual((result.status, result.stderr), (0, ""))
        self.assertEqual(result.stdout.splitlines()[-1], "timers: 0, default action: 1")

    def test_valgrind(self):
        """valgrind does not complain about the library's system calls."""
        need("valgrind")
        result = self.sample(["valgrind", "-q", build("sample_exec.c")], timeout=300)
        self.assertTrue(any(node.get("samples") for node in result.paths().values()))

    def test_exec(self):
        """No signal is left pending for the next program; if exec fails, sampling continues."""
        result = self.sample(build("sample_exec.c"))
        self.assertEqual(result.stdout, "still here\nnext program\n")
        samples = {path: node.get("samples", 0) for path, node in result.paths().items()}
        self.assertGreater(samples["spin<before<main<init"], 0)
        self.assertGreater(samples["spin<after<main<init"], 0)

    def test_libraries_that_come_and_go(self):
        plugin = build("sample_plugin.c", ("-O2", "-fPIC", "-shared"), output="first.so")
        other = build("sample_plugin.c", ("-O1", "-fPIC", "-shared"), output="second.so")
        result = self.sample([build("sample_loading.c"), plugin, other])
        samples = {path: node.get("samples", 0) for path, node in result.paths().items()}
        self.assertGreater(samples["plugin_work<main<init"], 0)
        self.assertGreater(samples["spin<computes<[thread]<main<init"], 0)

    def test_code_without_tables(self):
        paths = self.sample(build("sample_made_code.c")).paths()
        samples = {re.sub(r"0x[0-9a-f]+", "#", path) for path, node in paths.items()
                   if node.get("samples")}
        self.assertIn("(#)<calls_made_code<main<init", samples)
        self.assertTrue(any(path.startswith("(#)<") and "made" not in path for path in samples))

    def test_regions_pauses_and_children(self):
        result = self.sample(build("sample_regions.c"))
        saved = sorted(path for path in result.folder.iterdir() if path.name.endswith(".json"))
        self.assertEqual(len(saved), 2)
        child = next(path for path in saved if re.search(r"_\d+_all", path.name))
        self.assertIn('"in_child"', child.read_text())
        self.assertNotIn('"in_region"', child.read_text())
        child.unlink()
        paths = result.paths()
        samples = {path: node.get("samples", 0) for path, node in paths.items()}
        self.assertGreater(samples["spin<in_region<part<has_region<main<init"], 0)
        self.assertGreater(samples["spin<has_region<main<init"], 0)
        self.assertEqual(paths["part<has_region<main<init"]["calls"], 2)
        self.assertFalse(any("in_pause" in path for path in samples))
        self.check_sums(result)

    def test_threads_cancelled_at_any_moment(self):
        """The cancellation of a thread waits for the sample that is being taken."""
        program = build("cancelled_in_samples.c", ("-O1", "-pthread"), link=LINK_LIBRARY)
        result = self.profile(program, preload=False, VFTR_STACK_SAMPLING_FREQUENCY=10000,
                              VFTR_STACK_SAMPLING_MAX_COST=0)
        self.assertEqual(result.paths()["cleanup<run<worker<[thread]<main<init"]["calls"], 400)

    def test_hooks_are_ignored(self):
        """The time of a program that also has hooks is not counted twice."""
        program = compile_program("sample_shares.c", ("-O2", "-pthread"))
        paths = self.sample(program).paths()
        self.assertEqual({node["calls"] for path, node in paths.items()
                          if not path.startswith("[thread]")}, {0})
        self.assertGreater(paths["spin<one_part<main<init"]["samples"], 0)

    def test_openmp(self):
        program = build("sample_openmp.c", ("-O2", "-fopenmp"))
        result = self.sample(program, OMP_NUM_THREADS="2")
        paths = result.paths()
        inner = [path for path, node in paths.items() if node.get("samples")
                 and re.match(r"spin<iteration<.*omp parallel @.*<solve<main<init$", path)]
        self.assertTrue(inner, paths)
        self.assertFalse(any("GOMP" in path or "gomp" in path for path in paths), paths.keys())

    def test_killed(self):
        """The data of a killed process are recovered with its samples."""
        need_part("BUILD_TOOLS")
        trees, folder = scratch_folder(), scratch_folder()
        process = subprocess.Popen(
            [build("sample_for_ever.c")], cwd=folder, stdout=subprocess.PIPE,
            env=clean_environment(LD_PRELOAD=LIBRARY, TMPDIR=trees, **SAMPLED))
        process.stdout.readline()  # after it has used some processor time
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        done = subprocess.run([COMMAND, "recover", *trees.iterdir()], cwd=folder,
                              capture_output=True, text=True,
                              env=clean_environment(TMPDIR=trees))
        self.assertEqual(done.returncode, 0, done.stderr)
        text = next(path for path in folder.iterdir() if path.name.endswith(".json")).read_text()
        self.assertRegex(text, r'"samples": ?[1-9]')

    def test_terminated(self):
        """A fatal signal still kills the program, and the profile has the samples."""
        need_part("BUILD_TOOLS")
        folder, process = sampled_for_ever()
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(), -signal.SIGTERM)
        process.stdout.close()
        text = next(path for path in folder.iterdir() if path.name.endswith(".json")).read_text()
        self.assertRegex(text, r'"samples": ?[1-9]')


class RunCommand(SamplingTest):
    def setUp(self):
        need_part("BUILD_TOOLS")

    def start(self, *arguments):
        folder = scratch_folder()
        return folder, subprocess.run([COMMAND, "run", *map(str, arguments)], cwd=folder,
                                      capture_output=True, text=True, env=clean_environment())

    def test_sample(self):
        program = build("sample_shares.c")
        folder, done = self.start("--sample", "--", program)
        self.assertEqual((done.returncode, done.stderr), (3, ""))
        self.assertIn('"samples":', (folder / "sample_shares_all.json").read_text())

    def test_frequency(self):
        folder, done = self.start("--sample=250", "--", build("sample_shares.c"))
        self.assertEqual(done.stderr, "")
        self.assertIn("once per 4 ms", (folder / "sample_shares_all.log").read_text())

    def test_rate_by_cost(self):
        """The requested rate if that is cheap; 100 per second at any cost."""
        periods = {}
        for percent in ("100", "0.0001", "0"):
            folder = scratch_folder()
            result = run([build("sample_shares.c")], folder=folder, VFTR_STACK_SAMPLING_FREQUENCY="1000",
                         VFTR_STACK_SAMPLING_MAX_COST=percent)
            self.assertEqual((result.status, result.stderr), (3, ""))
            run_info = result.profile()["run"]
            periods[percent] = run_info["sample_period_ns"]
            if run_info["sample_clock"] != "user code":
                self.skipTest("perf_event_open is not allowed")
        self.assertEqual(periods, {"100": 1_000_000, "0.0001": 10_000_000, "0": 1_000_000})

    def test_no_frequency(self):
        for text in ("0", "-3", "often", "nan"):
            folder, done = self.start(f"--sample={text}", "--", build("sample_shares.c"))
            self.assertIn("must be a number of samples per second", done.stderr)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(list(folder.iterdir()), [])

    def test_remedy(self):
        folder, done = self.start("--", build("sample_shares.c"))
        self.assertIn("--sample", done.stderr)

    def test_static(self):
        folder, done = self.start("--sample", "--", build("sample_shares.c",
                                                          (*WITHOUT_POINTERS, "-static")))
        self.assertIn("is linked statically", done.stderr)
        self.assertEqual(done.returncode, 3)

    def test_shells_are_not_sampled(self):
        folder, done = self.start(
            "--sample", "--", "sh", "-c",
            f"i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; {build('sample_shares.c')}")
        self.assertEqual(sorted(path.name for path in folder.iterdir()),
                         ["sample_shares_all.json", "sample_shares_all.log"])


class Mpi(SamplingTest):
    def check(self, family):
        need_part("BUILD_TOOLS")
        family.need("mpicc", "mpirun")
        source = PROGRAMS / "sample_mpi.c"
        program = _compile([family.command("mpicc"), "-O2", source], [source],
                           f"sample_mpi{family.suffix[1:]}")
        folder = scratch_folder()
        done = subprocess.run([COMMAND, "run", "--sample", "--", *family.launch(2), program],
                              cwd=folder, capture_output=True, text=True, timeout=120,
                              env=clean_environment(**family.environment))
        self.assertEqual((done.returncode, done.stdout), (0, "done\n"), done.stderr)
        paths = Result(done, folder).paths()
        self.assertEqual(paths["MPI_Allreduce<exchange<step<main<init"]["calls"], 40)
        self.assertGreater(paths["spin<step<main<init"]["samples"], 0)
        self.assertEqual(paths["MPI_Init<main<init"]["calls"], 2)

    def test_open_mpi(self):
        self.check(OPEN_MPI)

    def test_mpich(self):
        self.check(MPICH)


if __name__ == "__main__":
    unittest.main()
