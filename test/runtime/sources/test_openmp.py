"""OpenMP in the call tree: programs of gcc on its own library and on LLVM's, and of clang. Their
output and exit status are compared with those without vftrace; calls by call path are known
exactly."""
import unittest

import pytest

from openmp_support import ALL, GNU, GNU_ON_LLVM, LLVM, NATIVE, OpenmpTest, plain
from support import COMMAND, LINK_LIBRARY, LIBRARY, BUILD, compile_program, run


class Worksharing(OpenmpTest):
    def test_loops_sections_and_singles(self):
        for variant in NATIVE:
            with self.subTest(str(variant)):
                result = self.profile_openmp(variant, "omp_worksharing.c")
                static = "omp for<omp parallel" if variant.llvm else "omp parallel"
                self.assert_calls(result, {
                    f"iteration<{static}<static_loop<main<init": 12,
                    "omp parallel<dynamic_loop<main<init": 1,
                    "omp for<omp parallel<dynamic_loop<main<init": 2,
                    "iteration<omp for<omp parallel<dynamic_loop<main<init": 12,
                    "omp implicit barrier<omp parallel<dynamic_loop<main<init": 2,
                    "omp for<omp parallel<guided_loop<main<init": 2,
                    "iteration<omp for<omp parallel<guided_loop<main<init": 12,
                    "omp for<omp parallel<runtime_loop<main<init": 2,
                    "iteration<omp for<omp parallel<runtime_loop<main<init": 12,
                    "omp implicit barrier<omp parallel<runtime_loop<main<init": 2,  # nowait
                    "iteration<omp for<omp parallel<unsigned_loop<main<init": 12,
                    "omp ordered wait<omp for<omp parallel<ordered_loop<main<init": 12,
                    "omp ordered<omp for<omp parallel<ordered_loop<main<init": 12,
                    "in_ordered<omp ordered<omp for<omp parallel<ordered_loop<main<init": 12,
                    "omp sections<omp parallel<some_sections<main<init": 2,
                    "in_section<omp sections<omp parallel<some_sections<main<init": 3,
                    "omp sections<omp parallel<combined_sections<main<init": 2,
                    "in_section<omp sections<omp parallel<combined_sections<main<init": 2,
                    "omp single<omp parallel<singles<main<init": 5,
                    "omp single<omp parallel<copied_single<main<init": 1,
                    "in_single<omp single<omp parallel<copied_single<main<init": 1,
                })

    def test_constructs_that_the_compiler_does_not_report(self):
        # gcc reports neither the end of a single construct nor master regions.
        where = {GNU: ("", ""), LLVM: ("omp single<", "omp masked<")}
        for variant, (single, master) in where.items():
            with self.subTest(str(variant)):
                result = self.profile_openmp(variant, "omp_worksharing.c")
                self.assert_calls(result, {
                    f"in_single<{single}omp parallel<singles<main<init": 5,
                    f"in_master<{master}omp parallel<singles<main<init": 1,
                })
                barrier = "omp implicit barrier" if variant.llvm else "omp barrier"
                extra = 2 if variant.llvm else 0  # the barrier of the region has the same name
                self.assert_calls(
                    result, {f"{barrier}<omp parallel<singles<main<init": 10 + extra})

    def test_gcc_on_llvm(self):
        result = self.profile_openmp(GNU_ON_LLVM, "omp_worksharing.c")
        self.assert_calls(result, {
            "iteration<omp parallel<static_loop<main<init": 12,
            "omp for<omp parallel<dynamic_loop<main<init": 2,
            "iteration<omp for<omp parallel<dynamic_loop<main<init": 12,
            "omp parallel<singles<main<init": 1,
            "omp single<omp parallel<singles<main<init": 5,
            "in_single<omp parallel<singles<main<init": 5,
        })

    def test_optimised_and_not(self):
        for variant in NATIVE:
            for flag in ("-O0", "-O3"):
                with self.subTest(f"{variant} {flag}"):
                    result = self.profile_openmp(variant, "omp_worksharing.c", (flag,))
                    self.assert_calls(result, {
                        "omp for<omp parallel<dynamic_loop<main<init": 2,
                        "iteration<omp for<omp parallel<dynamic_loop<main<init": 12,
                    })

    def test_places_in_the_source(self):
        for variant in ALL:
            with self.subTest(str(variant)):
                result = self.profile_openmp(variant, "omp_worksharing.c")
                regions = [path.split("<")[0] for path in result.paths()
                           if path.startswith("omp parallel") and "singles" in path]
                self.assertEqual(len(regions), 1, regions)
                self.assertRegex(regions[0], r"^omp parallel @omp_worksharing\.c:\d+$")


class Synchronisation(OpenmpTest):
    @pytest.mark.timing
    def test_waiting_is_shown_separately_from_work(self):
        for variant in NATIVE:
            with self.subTest(str(variant)):
                result = self.profile_openmp(variant, "omp_synchronisation.c")
                region = "omp parallel<criticals<main<init"
                self.assert_calls(result, {
                    f"omp critical wait<{region}": 8,
                    f"omp critical<{region}": 8,
                    f"in_critical<omp critical<{region}": 2,
                    f"in_named<omp critical<{region}": 6,
                    "omp barrier<omp parallel<barriers<main<init": 4,
                    "omp implicit barrier<omp parallel<unbalanced<main<init": 2,
                    "in_lock<omp parallel<locks<main<init": 10,
                })
                seconds = self.seconds(result)
                # One of two threads waits while the other is inside for 60 ms.
                self.assertGreater(seconds[f"omp critical wait<{region}"], 0.05)
                self.assertLess(seconds[f"omp critical<{region}"],
                                seconds[f"omp critical wait<{region}"])
                self.assertGreater(seconds["omp barrier<omp parallel<barriers<main<init"], 0.05)

    @pytest.mark.timing
    def test_end_of_a_region(self):
        # The thread without work waits as long as the other thread works, not until the program ends.
        for variant in ALL:
            with self.subTest(str(variant)):
                result = self.profile_openmp(variant, "omp_synchronisation.c")
                seconds = self.seconds(result)
                waited = seconds["omp implicit barrier<omp parallel<unbalanced<main<init"]
                self.assertGreater(waited, 0.055)
                slow_part = self.seconds(result, "inclusive_ns")["slow_part<main<init"]
                self.assertGreater(slow_part, 0.175)
                self.assertLess(waited, 0.055 + slow_part)

    def test_locks(self):
        for variant in NATIVE:
            with self.subTest(str(variant)):
                calls = self.calls(self.profile_openmp(variant, "omp_synchronisation.c"))
                waits = calls["omp lock wait<omp parallel<locks<main<init"]
                # Earlier versions of LLVM's library do not distinguish omp_test_lock() from omp_set_lock().
                self.assertIn(waits, (12, 13, 14) if variant.llvm else (12,))


class Tasks(OpenmpTest):
    def test_tasks(self):
        for variant in NATIVE:
            with self.subTest(str(variant)):
                result = self.profile_openmp(variant, "omp_tasks.c")
                single = "omp single<" if variant.llvm else ""
                master = "omp masked<" if variant.llvm else ""
                group = "omp taskgroup<" if variant.llvm else ""
                plain_tasks = f"{single}omp parallel<plain_tasks<main<init"
                grouped = f"omp taskgroup<{master}omp parallel<grouped_tasks<main<init"
                region = "omp parallel<loop_of_tasks<main<init"
                calls = self.calls(result)
                self.assert_calls(result, {
                    f"omp task<{plain_tasks}": 20,
                    f"body<omp task<{plain_tasks}": 20,
                    f"omp taskwait<{plain_tasks}": 1,
                    f"body<{plain_tasks}": 1,
                    f"omp task<{single}omp parallel<dependent_tasks<main<init": 3,
                    f"body<omp task<{single}omp parallel<dependent_tasks<main<init": 1,
                    grouped: 1,
                    f"omp taskgroup wait<{grouped}": 1,
                    f"body<omp task<{grouped}": 4,
                    f"body<{master}omp parallel<grouped_tasks<main<init": 1,
                    f"body<omp task<{single}omp parallel<immediate_tasks<main<init": 2,
                    "body<omp task<tasks_without_team<main<init": 1,
                })
                self.assertEqual(40, sum(number for path, number in calls.items() if
                                         path.startswith("body<omp task<omp taskloop<")
                                         and path.endswith(region)), group)

    def test_recursive_tasks_make_few_paths(self):
        for variant in ALL:
            with self.subTest(str(variant)):
                result = self.profile_openmp(variant, "omp_recursive_tasks.c")
                profile = result.profile()
                self.assertLess(len(profile["nodes"]), 60)
                calls = self.calls(result)
                self.assertEqual(sum(number for path, number in calls.items()
                                     if path.startswith("fibonacci<")), 5167)

    def test_what_the_library_reads_and_writes_in_arguments(self):
        # Reductions over tasks, events. (LLVM's library crashes on gcc's code for these.)
        for variant in NATIVE:
            with self.subTest(str(variant)):
                result = self.profile_openmp(variant, "omp_reductions.c")
                calls = self.calls(result)
                self.assertEqual(sum(number for path, number in calls.items()
                                     if path.startswith("term<")), 32)

    def test_objects_and_exceptions(self):
        for variant in ALL:
            with self.subTest(str(variant)):
                result = self.profile_openmp(variant, "omp_objects.cpp")
                single = "omp single<" if variant is LLVM else ""
                self.assert_calls(result, {
                    "throwing<omp for<omp parallel<exceptions<main<init": 10,
                    "throwing<omp critical<omp parallel<exceptions<main<init": 2,
                    "add<omp critical<omp parallel<exceptions<main<init": 4,
                    f"use<omp task<{single}omp parallel<objects<main<init": 6,
                })


class Teams(OpenmpTest):
    def test_nested_regions_and_orphaned_constructs(self):
        for variant in ALL:
            with self.subTest(str(variant)):
                result = self.profile_openmp(variant, "omp_nested.c")
                inner = "omp parallel<inner<omp parallel<outer<main<init"
                team = "orphaned<omp parallel<team_of<main<init"
                self.assert_calls(result, {
                    "omp parallel<outer<main<init": 3,
                    inner: 6,
                    f"leaf<{inner}": 12,
                    "omp parallel<team_of<main<init": 5,
                    team: 12,
                    f"leaf<omp for<{team}": 50,
                    f"omp critical<{team}": 12,
                    f"leaf<omp critical<{team}": 12,
                    "leaf<omp for<orphaned<main<init": 10,
                    "leaf<omp critical<orphaned<main<init": 1,
                })

    def test_regions_of_several_threads(self):
        for variant in ALL:
            with self.subTest(str(variant)):
                result = self.profile_openmp(variant, "omp_in_threads.c")
                region = "region<run<[thread]<main<init"
                self.assert_calls(result, {
                    "[thread]<main<init": 3,
                    region: 30,
                    f"omp parallel<{region}": 30,
                    f"leaf<omp parallel<{region}": 60,
                    "omp parallel<region<main<init": 1,
                    "leaf<omp parallel<region<main<init": 2,
                })

    def test_interface_of_old_compilers(self):
        result = self.profile_openmp(GNU, "omp_old_interface.c")
        self.assert_calls(result, {
            "omp parallel<region<main<init": 2,
            "leaf<omp parallel<region<main<init": 4,
            "omp implicit barrier<omp parallel<region<main<init": 4,
            "omp for<omp parallel<loop<main<init": 2,
            "leaf<omp for<omp parallel<loop<main<init": 10,
        })

    def test_fortran(self):
        for variant in (GNU, GNU_ON_LLVM):
            with self.subTest(str(variant)):
                result = self.profile_openmp(variant, "omp_constructs.F90")
                calls = {path: number for path, number in self.calls(result).items()
                         if path.startswith("__parts_MOD_leaf<")}
                self.assertEqual(sum(calls.values()), 29, calls)
                for construct in ("omp for<omp parallel<__parts_MOD_dynamic_loop",
                                  "omp critical<omp parallel<__parts_MOD_synchronised",
                                  "omp task<omp parallel<__parts_MOD_tasks"):
                    self.assertTrue(any(f"leaf<{construct}" in path for path in calls), calls)


class Library(OpenmpTest):
    """How vftrace gets between a program and its OpenMP library."""

    def expect_team(self, result):
        self.assert_calls(result, {"omp parallel<region<main<init": 1,
                                   "leaf<omp parallel<region<main<init": 2})

    def build(self, *link):
        return compile_program("../openmp/programs/omp_in_threads.c",
                               ("-O1", "-g", "-fopenmp", "-pthread"), "gcc", link=link)

    def test_linked(self):
        for extra in ((), ("-Wl,--as-needed",)):
            with self.subTest(str(extra)):
                program = self.build(*extra, *LINK_LIBRARY)
                self.expect_team(self.profile(program, preload=False, OMP_NUM_THREADS=2))

    def test_linked_in_the_wrong_order(self):
        program = self.build("-lgomp", *LINK_LIBRARY)
        result = self.profile(program, preload=False, OMP_NUM_THREADS=2,
                              expect_stderr=r"libgomp\S* comes before libvftrace")
        self.assertIn("region<main<init", self.calls(result))

    def test_static_library(self):
        whole = ("-Wl,--whole-archive", BUILD / "libvftrace.a", "-Wl,--no-whole-archive")
        for extra in ((), ("-Wl,--as-needed",)):
            with self.subTest(str(extra)):
                # With --as-needed the linker drops libgomp, because it finds libgomp's functions in our library.
                program = self.build(*extra, *whole, "-lelf", "-lm")
                self.expect_team(self.profile(program, preload=False, OMP_NUM_THREADS=2))

    def test_both_libraries_static(self):
        whole = ("-Wl,--whole-archive", BUILD / "libvftrace.a", "-Wl,--no-whole-archive")
        program = self.build(*whole, "-lelf", "-lm", "-Wl,-Bstatic,-lgomp,-Bdynamic")
        result = self.profile(program, preload=False, OMP_NUM_THREADS=2)
        self.assertIn("region<main<init", self.calls(result))

    def test_serial_library(self):
        serial = LIBRARY.with_name("libvftrace_serial.so")
        program = self.build()
        self.expect_team(self.profile(program, preload=False, LD_PRELOAD=serial))

    def test_switched_off(self):
        program = GNU.compile("omp_in_threads.c")
        for result in (self.profile(program, config={"openmp": {"active": False}}),
                       self.profile([COMMAND, "run", "--openmp=no", "--", program],
                                    preload=False)):
            self.assertFalse([path for path in result.calls() if "omp " in path])
        result = self.profile(program, VFTR_OFF="yes")
        self.assertEqual(result.files(), [])

    def test_without_the_tool_interface(self):
        # A program compiled by gcc with LLVM's library, in which tools are disabled: our own wrappers record it.
        result = self.profile_openmp(GNU_ON_LLVM, "omp_in_threads.c", OMP_TOOL="disabled")
        self.expect_team(result)

    def test_meaningless_requests(self):
        program = GNU.compile("omp_in_threads.c")
        for request, said in (("gnu", "must be auto, llvm, llvm:FILE or no"),
                              ("llvm:/no/such/library", "no such library"),
                              (f"llvm:{LIBRARY.with_name('libvftrace.so')}x", "no such library"),
                              (f"llvm:{program}", "does not have the functions")):
            result = run([COMMAND, "run", f"--openmp={request}", "--", program], preload=False)
            self.assertEqual(result.status, 2, result.stderr)
            self.assertIn(said, result.stderr)

    def test_names_without_places(self):
        self.assertEqual(plain("leaf<omp for @a.c:1<.omp_outlined.<omp parallel @b+0x1f<main"),
                         "leaf<omp for<omp parallel<main")


if __name__ == "__main__":
    unittest.main()
