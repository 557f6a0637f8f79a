"""Memory by call path: what is allocated, what is live at the peak and at the end, sampled and counted."""
import json
import pathlib
import platform
import re
import subprocess
import unittest

from command_support import CommandTest, command
from heap_figures import heap_of, heap_of_process
from support import (COMPILERS, LIBRARY, PROGRAMS, compile_program, installed_libraries, need, run, scratch_folder)
from test_foreign_programs import with_sanitizer
from waits_support import tables_of_json

ALLOCATIONS = LIBRARY.with_name("libvftrace_allocations.so")
FLAGS = ("-O1", "-fno-builtin", "-pthread", "-w")
ALL = ("--option", "memory.profile=all")
KIB = 1024

# Bytes, allocations and temporary ones of heap_sites.c, and bytes that are live at the peak and at the end.
SITES = {
    "small_temporary": (20000 * 48, 20000, 20000, 0, 0),
    "large_temporary": (20 * 1_500_000, 20, 20, 0, 0),
    "kept": (500 * 4000, 500, 0, 500 * 4000, 500 * 4000),
    "at_peak": (40 * 200_000, 40, 1, 40 * 200_000, 0),
    "grown": (sum(range(1, 51)) * 1000, 50, 1, 0, 0),
    "aligned": (3000 + 640 + 5000 + 700, 5, 5, 0, 0),
    "thread": (100 * 10_000, 100, 0, 0, 0),
}


def figures_of(profile, function):
    values = heap_of(profile).get(function, {})
    return tuple(values.get("heap." + name, 0) for name in ("allocated", "calls", "temporary", "at_peak", "live"))


class HeapTest(CommandTest):
    def profiled(self, program, *options, arguments=(), status=0, expect="done\n", **variables):
        result = command("run", *options, "--", program, *arguments, **variables)
        self.assertEqual((result.status, result.stdout, result.stderr), (status, expect, ""))
        return result

    def check_sites(self, profile):
        for function, expected in SITES.items():
            with self.subTest(function=function):
                self.assertEqual(figures_of(profile, function), expected)


class EachAllocation(HeapTest):
    def test_every_block_counts(self):
        for compiler in ("gcc", "clang"):
            with self.subTest(compiler=compiler):
                need(compiler)
                profile = self.profiled(compile_program("heap_sites.c", FLAGS, compiler), *ALL).profile()
                self.check_sites(profile)
                process = heap_of_process(profile)
                # The C library allocates for the thread and for stdout.
                self.assertLess(process["heap.peak"] - 10_000_000, 10_000)
                self.assertGreaterEqual(process["heap.peak"], 10_000_000)
                self.assertEqual(process["heap.sample_bytes"], 1)
                self.assertGreater(process["heap.peak_time"], 0)
                self.assertEqual(sum(values.get("heap.live", 0) for values in heap_of(profile).values()),
                                 process["heap.process_live"])

    def test_together_with_counts_of_sections(self):
        program = compile_program("heap_sites.c", FLAGS)
        self.check_sites(self.profiled(program, *ALL, "--option", "section.memory=allocations").profile())

    def test_without_hooks(self):
        """In a sampled program the stack is followed at each allocation."""
        program = compile_program("heap_sites.c", ("-O1", "-g", "-fno-builtin", "-pthread", "-w"), instrument=False)
        profile = self.profiled(program, *ALL, "--sample").profile()
        found = heap_of(profile)
        for function, (allocated, calls, *_others) in SITES.items():
            with self.subTest(function=function):
                self.assertEqual((found[function].get("heap.allocated"), found[function].get("heap.calls")),
                                 (allocated, calls))

    def test_operators_of_cxx(self):
        """Those of the C++ library call malloc; those of other allocators do not."""
        need("g++")
        program = compile_program("heap_cxx.cpp", FLAGS, "g++")
        expected = {"ordinary": (100_000, 1000), "arrays": (200_000, 1000), "aligned": (128_000, 1000)}
        for allocator in ("", *installed_libraries(r"lib(?:jemalloc|tcmalloc_minimal|mimalloc)\.so\.\d+")):
            with self.subTest(allocator=allocator):
                # mimalloc aborts the program instead of throwing.
                arguments = [] if "mimalloc" in allocator else ["too large"]
                profile = self.profiled(program, *ALL, arguments=arguments, LD_PRELOAD=allocator).profile()
                for function, values in expected.items():
                    self.assertEqual(figures_of(profile, function)[:2], values)
                    self.assertEqual(figures_of(profile, function)[4], 0)

    def test_fortran(self):
        program = compile_program("allocations.F90", FLAGS, COMPILERS[".F90"], instrument=True, link=(
            f"-L{ALLOCATIONS.parent}", "-lvftrace_allocations", f"-Wl,-rpath,{ALLOCATIONS.parent}"))
        profile = self.profiled(program, *ALL, "--option", "section.memory=allocations",
                                expect="all counted\n").profile()
        self.assertGreater(sum(values.get("heap.calls", 0) for values in heap_of(profile).values()), 5)

    def test_a_child_has_its_own(self):
        program = compile_program("heap_sites.c", FLAGS)
        result = self.profiled(program, *ALL, arguments=["fork"])
        files = sorted(pathlib.Path(result.folder).glob("*.json"))
        self.assertEqual(len(files), 2)
        of_files = [json.loads(file.read_text()) for file in files]
        parent, child = sorted(of_files, key=lambda profile: "child" in heap_of(profile))
        self.check_sites(parent)
        self.assertEqual(figures_of(child, "child"), (700_000, 10, 0, 700_000, 700_000))
        self.assertEqual(figures_of(child, "kept"), (0, 0, 0, 0, 0))
        self.assertGreaterEqual(heap_of_process(child)["heap.process_live"], 700_000)

    def test_a_new_program_starts_again(self):
        program = compile_program("heap_sites.c", FLAGS)
        result = command("run", *ALL, "--", program, "exec")
        self.assertEqual((result.status, result.stdout, result.stderr), (0, "done\ndone\n", ""))
        profiles = [json.loads(file.read_text()) for file in pathlib.Path(result.folder).glob("*.json")]
        self.assertGreaterEqual(len(profiles), 1)
        for profile in profiles:
            self.check_sites(profile)

    def test_after_a_kill(self):
        program = compile_program("heap_sites.c", FLAGS)
        folder = scratch_folder()
        (folder / "trees").mkdir()
        result = command("run", *ALL, "--", program, "kill", folder=folder, VFTR_TREE_FILE_DIRECTORY=folder / "trees")
        self.assertEqual((result.status, result.stdout), (-9, "done\n"))
        trees = list((folder / "trees").iterdir())
        self.assertEqual(len(trees), 1)
        self.assertEqual(command("recover", trees[0], folder=folder).status, 0)
        recovered = next(folder.glob("*_all.json"))
        self.check_sites(json.loads(recovered.read_text()))


class ManyBlocks(HeapTest):
    def test_a_million_live_ones_and_fork_handlers(self):
        program = compile_program("heap_many.c", FLAGS)
        result = self.profiled(program, *ALL)
        files = [json.loads(file.read_text()) for file in pathlib.Path(result.folder).glob("*_all.json")]
        parent = max(files, key=lambda profile: figures_of(profile, "many")[1])
        self.assertEqual(figures_of(parent, "many"), (32_000_000, 1_000_000, 0, 32_000_000, 16_000_000))
        self.assertEqual(figures_of(parent, "before_fork")[::4], (20 * 5000, 0))
        self.assertEqual(figures_of(parent, "in_child"), (0, 0, 0, 0, 0))
        for sampled in (("--memory",), ("--memory", "--option", "memory.sample_bytes=64")):
            self.profiled(program, *sampled)


class ManyThreads(HeapTest):
    def test_blocks_that_others_free(self):
        """Nothing is left, whoever frees a block, while a signal handler allocates and children are forked."""
        program = compile_program("heap_threads.c", ("-O1", "-fno-builtin", "-pthread", "-w"))
        for options in (ALL, (*ALL, "--option", "section.memory=allocations"),
                        ("--memory", "--option", "memory.sample_bytes=1000")):
            with self.subTest(options=options):
                result = self.profiled(program, *options)
                profile = json.loads((pathlib.Path(result.folder) / "heap_threads_all.json").read_text())
                found = heap_of(profile)
                for function in ("gets", "resizes", "exchange", "on_alarm"):
                    self.assertEqual(found.get(function, {}).get("heap.live", 0), 0, function)
                if options[:2] == ALL:
                    # The budget may remove the hooks of functions; their callers have the calls then.
                    calls = sum(found.get(function, {}).get("heap.calls", 0)
                                for function in ("gets", "resizes", "exchange", "work"))
                    self.assertEqual(calls, 4 * (30000 + resized_blocks()))
                    self.assertLess(heap_of_process(profile)["heap.peak"], 256 * 9000 + 4 * 9000 + 100_000)


def resized_blocks():
    """How many of a thread's blocks heap_threads.c resizes, on average over its four threads."""
    resized = 0
    for thread in range(1, 5):
        random = thread
        for _ in range(30000):
            random = (random * 1664525 + 1013904223) % 2**32
            resized += (random >> 4) % 5 == 0
    return resized / 4


class Sample(HeapTest):
    def test_estimates_are_near_the_truth(self):
        """Within five standard errors, with one sample in 4 KiB."""
        program = compile_program("heap_sites.c", FLAGS)
        profile = self.profiled(program, "--memory", "--option", f"memory.sample_bytes={4 * KIB}").profile()
        found = heap_of(profile)
        for function in ("small_temporary", "large_temporary", "kept", "at_peak", "grown", "thread"):
            allocated, calls, temporary, at_peak, live = SITES[function]
            values = found[function]
            with self.subTest(function=function):
                for name, truth in (("allocated", allocated), ("calls", calls), ("at_peak", at_peak), ("live", live)):
                    error = 5 * values.get(f"heap.{name}_variance", 0) ** 0.5
                    self.assertLessEqual(abs(values.get("heap." + name, 0) - truth), error + 1, name)
                if temporary == calls:
                    self.assertAlmostEqual(values["heap.temporary"], values["heap.calls"], delta=1e-6 * calls)
                self.assertLess(values["heap.samples"], max(allocated / 4000 * 2, calls + 1))
        self.assertEqual(heap_of_process(profile)["heap.sample_bytes"], 4 * KIB)

    def test_usual_interval(self):
        profile = self.profiled(compile_program("heap_sites.c", FLAGS), "--memory").profile()
        self.assertEqual(heap_of_process(profile)["heap.sample_bytes"], 512 * KIB)
        samples = sum(values.get("heap.samples", 0) for values in heap_of(profile).values())
        self.assertGreater(samples, 20)
        self.assertLess(samples, 150)

    def test_values_over_time(self):
        profile = self.profiled(compile_program("heap_sites.c", FLAGS), *ALL).profile()
        names = [metric["name"] for metric in profile["metrics"]]
        series = [row for row in profile["series"] if names[row["metric"]] == "heap.live_at"]
        self.assertEqual(len(series), 1)
        self.assertEqual(series[0]["values"][-1], heap_of_process(profile)["heap.process_live"])


    def series_of_paths(self, *options):
        """{function: [values]} of heap_series.c, and the profile."""
        result = self.profiled(compile_program("heap_series.c", FLAGS), *options)
        profile, found = result.profile(), {}
        names = [metric["name"] for metric in profile["metrics"]]
        for row in profile["series"]:
            if names[row["metric"]] == "heap.path_live_at":
                function = profile["functions"][profile["nodes"][row["node"]]["function"]]["display"]
                self.assertNotIn(function, found)  # that of two threads is one path
                found[function] = row
        return result, profile, found

    def test_paths_over_time(self):
        for options in (ALL, ("--memory", "--option", "memory.sample_bytes=4096")):
            with self.subTest(options=options):
                result, profile, found = self.series_of_paths(*options)
                self.assertEqual(set(found), {"allocate_fields", "remember", "temporary"})
                values = {name: [value / KIB ** 2 for value in row["values"]] for name, row in found.items()}
                self.assertEqual(max(values["allocate_fields"]), 64)
                self.assertEqual(values["allocate_fields"][-1], 64)
                self.assertEqual(values["remember"], sorted(values["remember"]))
                self.assertEqual(values["remember"][-1], 60)
                self.assertGreater(len(set(values["remember"])), 3)
                self.assertEqual(set(values["temporary"]), {0, 40})
                # All have the times of the process.
                all_memory = next(row for row in profile["series"]
                                  if profile["metrics"][row["metric"]]["name"] == "heap.live_at")
                for row in found.values():
                    self.assertEqual(row["time_ns"], all_memory["time_ns"])
                file = next(pathlib.Path(result.folder).glob("*_all.json"))
                tables = tables_of_json(command("report", "--memory", "--format", "json", file).stdout)
                rows = [(row["function"], row["most"], row["at_end"]) for row in tables["memory_over_time"]]
                self.assertEqual(rows, [("allocate_fields", 64, 64), ("remember", 60, 60), ("temporary", 40, 0)])

    def test_paths_over_time_without_hooks(self):
        """The stacks of both threads are one path."""
        *_, found = self.series_of_paths("--sample", *ALL)
        self.assertIn("remember", found)
        self.assertEqual(found["remember"]["values"][-1], 60 * KIB ** 2)


class Tables(HeapTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        result = command("run", *ALL, "--", compile_program("heap_sites.c", FLAGS))
        cls.file = next(pathlib.Path(result.folder).glob("*_all.json"))

    def test_report(self):
        text = command("report", "--memory", self.file).stdout
        self.assertRegex(text, r"Memory by path\n")
        self.assertRegex(text, r"\| +7\.629 \| 80\.0 \| +\| +0\.000 \| +\| at_peak +\| main ")
        self.assertRegex(text, r"\| +28\.610 \| +\| +20 \| +\| +1500000 \| +100\.0 \| large_temporary \| main ")
        self.assertRegex(text, r"Memory by rank\n")
        self.assertNotIn("Estimates", text)
        tables = {table["id"]: table["rows"] for table in json.loads(
            command("report", "--memory", "--format", "json", self.file).stdout)["tables"]}
        self.assertEqual(set(tables), {"memory_by_path", "allocations", "memory_by_line", "memory_over_time", "memory_by_rank"})

    def test_lines(self):
        """Each place of a function is a row. With hooks, and optimised code in which functions are inlined."""
        source = (PROGRAMS / "heap_sites.c").read_text().splitlines()
        lines = {text.strip(): number + 1 for number, text in enumerate(source)}
        expected = {"sink = malloc(48);": "small_temporary", "sink = calloc(1000, 1500);": "large_temporary",
                    "text = realloc(text, (size_t)i * 1000);": "grown", "free(aligned_alloc(64, 640));": "aligned",
                    "free(memalign(4096, 5000));": "aligned"}
        for flags, options, instrument in ((FLAGS, (), True), (("-O2", *FLAGS[1:]), ("--sample",), False)):
            program = compile_program("heap_sites.c", (*flags, "-g"), "gcc", instrument=instrument)
            sites = self.profiled(program, *ALL, *options).profile()["heap_sites"]
            found = {row["line"]: row for row in sites if row.get("file", "").endswith("heap_sites.c")}
            for text in expected:
                with self.subTest(text=text, options=options):
                    self.assertIn(lines[text], found)
            self.assertEqual(found[lines["sink = malloc(48);"]]["calls"], 20000)
            self.assertEqual(found[lines["free(memalign(4096, 5000));"]]["allocated"], 5000)

    def test_run_without_it(self):
        result = command("run", "--", compile_program("heap_sites.c", FLAGS))
        file = next(pathlib.Path(result.folder).glob("*_all.json"))
        text = command("report", "--memory", file)
        self.assertIn("the allocations of this run were not recorded (vftrace run --memory)", text.stdout + text.stderr)
        self.assertNotIn("heap.", file.read_text())

    def test_difference(self):
        """Only what differs, and is not within the error of the estimates."""
        def file_of(*options):
            result = command("run", *options, "--", compile_program("heap_sites.c", FLAGS))
            return next(pathlib.Path(result.folder).glob("*_all.json"))
        difference = command("diff", self.file, file_of(*ALL))
        self.assertEqual(difference.status, 0)
        self.assertNotIn("(heap.", difference.stdout)
        profile = json.loads(self.file.read_text())
        index = [metric["name"] for metric in profile["metrics"]].index("heap.at_peak")
        for node in profile["nodes"]:
            if profile["functions"][node["function"]]["display"] == "kept":
                node["metrics"] = [[metric, value * 3 if metric == index else value]
                                   for metric, value in node["metrics"]]
        changed = scratch_folder() / "changed_all.json"
        changed.write_text(json.dumps(profile))
        text = command("diff", self.file, changed).stdout
        self.assertRegex(text, r"Live at the peak\[MiB\] \(heap\.at_peak\)\n(.*\n){3}"
                               r"\| +1\.907 \| +5\.722 \| +3\.815 \| 3\.000 \| kept ")
        self.assertNotIn("(heap.allocated)", text)
        # The estimate of 200 samples and the truth.
        sampled = file_of("--memory", "--option", "memory.sample_bytes=100000000")
        self.assertNotIn("(heap.allocated)", command("diff", sampled, sampled).stdout)


class Mappings(HeapTest):
    """Arrays that programs take from the kernel themselves."""
    EXPECTED = {"arrays": (12, 8), "grows": (8, 6), "by_malloc": (40, 0), "no_arrays": (0, 0), "small": (0, 0)}

    def check(self, profile):
        for function, expected in self.EXPECTED.items():
            with self.subTest(function=function):
                figures = figures_of(profile, function)
                self.assertEqual((figures[0] / (KIB * KIB), figures[4] / (KIB * KIB)), expected)

    def test_each(self):
        for compiler in ("gcc", "clang"):
            with self.subTest(compiler=compiler):
                need(compiler)
                program = compile_program("heap_mappings.c", FLAGS, compiler)
                self.check(self.profiled(program, *ALL).profile())

    def test_without_hooks(self):
        program = compile_program("heap_mappings.c", ("-O1", "-g", "-fno-builtin", "-w"), instrument=False)
        profile = self.profiled(program, *ALL, "--sample").profile()
        self.assertEqual(figures_of(profile, "arrays")[0], 12 * KIB * KIB)
        self.assertEqual(heap_of_process(profile)["heap.process_live"] // (KIB * KIB), 14)

    def test_sampled(self):
        profile = self.profiled(compile_program("heap_mappings.c", FLAGS), "--memory").profile()
        self.assertAlmostEqual(figures_of(profile, "arrays")[0] / (KIB * KIB), 12, delta=4.1)

    def test_other_allocators(self):
        """What they take from the kernel is not counted in addition."""
        program = compile_program("heap_mappings.c", FLAGS)
        for library in installed_libraries(r"lib(?:jemalloc|tcmalloc_minimal|mimalloc)\.so\.\d+"):
            with self.subTest(library=library):
                self.check(self.profiled(program, *ALL, LD_PRELOAD=str(library)).profile())


class Regions(HeapTest):
    def test_sections_and_regions(self):
        """Each has what was allocated in it, with and without what is inside it."""
        program = compile_program("heap_regions.c", FLAGS)
        result = self.profiled(program, *ALL, expect="")
        file = next(pathlib.Path(result.folder).glob("*_all.json"))
        text = command("report", "--memory", "--format", "json", file).stdout
        rows = {row["region"]: row for row in tables_of_json(text)["memory_by_region"]}
        self.assertEqual(set(rows), {"time step", "solve"})
        figures = {name: tuple(row[key] for key in ("at_peak", "own_at_peak", "at_end", "allocated", "own_allocated",
                                                    "allocations", "temporary"))
                   for name, row in rows.items()}
        # At the peak, the block of 10 MiB of the last step exists.
        self.assertEqual(figures["time step"], (25, 6, 13, 45, 6, 9, 100 * 3 / 9))
        self.assertEqual(figures["solve"], (19, 19, 9, 39, 39, 6, 50))

    def test_without_them(self):
        result = self.profiled(compile_program("heap_sites.c", FLAGS), *ALL)
        file = next(pathlib.Path(result.folder).glob("*_all.json"))
        self.assertNotIn("Memory by section", command("report", "--memory", file).stdout)


class BesideOthers(HeapTest):
    def test_without_the_library(self):
        program = compile_program("heap_sites.c", FLAGS)
        result = run([program], VFTR_MEMORY_PROFILE="sampled")
        self.assertEqual((result.status, result.stdout), (0, "done\n"))
        self.assertIn("memory.profile: allocations are not recorded, because libvftrace_allocations.so is not "
                      "preloaded (vftrace run does that)", result.stderr)

    def test_library_that_is_missing(self):
        folder = scratch_folder()
        serial = LIBRARY.with_name("libvftrace_serial.so")
        (folder / serial.name).write_bytes(serial.read_bytes())
        self.fails("run", "--memory", "--library", folder / serial.name, "--", "true",
                   message=f"memory.profile = sampled: libvftrace_allocations.so is not in {folder}")

    def test_address_sanitizer_keeps_its_allocator(self):
        program = with_sanitizer("allocations.c", flags=FLAGS[1:])
        result = command("run", "--memory", "--", program)
        self.assertEqual((result.status, result.stdout), (0, "nothing counted\n"), result.stderr)
        self.assertIn("because a sanitizer watches them", result.stderr)

    def test_address_space_that_is_limited(self):
        program = compile_program("heap_sites.c", FLAGS)
        result = command("run", *ALL, "--", "sh", "-c", 'ulimit -v 400000; exec "$0"', program)
        self.assertEqual((result.status, result.stdout), (0, "done\n"), result.stderr)
        narrow = command("run", *ALL, "--", "sh", "-c", 'ulimit -v 60000; exec "$0"', program)
        self.assertEqual((narrow.status, narrow.stdout), (0, "done\n"), narrow.stderr)


    def test_plugin_with_its_own_cxx_library(self):
        """The program does not use C++, so that the operators are not among the functions that it sees."""
        need("g++")
        program = compile_program("opens_plugin.c", ("-O1",))
        for flags in ((), ("-static-libstdc++", "-static-libgcc")):
            plugin = scratch_folder() / "plugin.so"
            subprocess.run(["g++", "-std=c++17", "-O1", "-shared", "-fPIC", *flags, PROGRAMS / "cxx_in_plugin.cpp",
                            "-o", plugin], check=True)
            for options in (("--option", "section.memory=allocations"), ALL, ("--memory", "--sample")):
                with self.subTest(flags=flags, options=options):
                    result = command("run", *options, "--", program, plugin)
                    self.assertEqual((result.status, result.stdout, result.stderr), (0, "10\n", ""))


class HotPath(unittest.TestCase):
    def code_of(self, name):
        text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", ALLOCATIONS], capture_output=True, text=True,
                              check=True).stdout
        part = re.search(rf"<[^>]*{name}[^>]*>:\n(.*?)\n\n", text + "\n\n", re.S)[1]
        return [line.split("\t")[1].strip() for line in part.splitlines()]

    @unittest.skipUnless(platform.machine() == "x86_64", "written for x86-64 code")
    def test_what_is_not_sampled(self):
        """malloc counts down, free looks at one number; both end with a jump."""
        for function, most in (("watched_mallocEm", 10), ("watched_freeEPv", 12)):
            code = self.code_of(function)
            usual = code[:1 + next(i for i, line in enumerate(code) if line.startswith("jmp"))]
            self.assertLessEqual(len(usual), most, usual)
            self.assertEqual([line for line in usual if line.startswith(("call", "push", "lock"))], [])


if __name__ == "__main__":
    unittest.main()
