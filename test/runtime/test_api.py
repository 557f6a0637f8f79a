"""Regions, pause and resume, vftrace_get_stack, from C, C++ and Fortran."""
import platform
import re
import subprocess
import unittest

import pytest

from support import (BUILD, HERE, LINK_LIBRARY, SCRATCH, ProgramTest, compile_program, need,
                     need_part, run)
from test_profiles import variants


class Regions(ProgramTest):
    def test_regions(self):
        for compiler, level in variants():
            with self.subTest(compiler=compiler, level=level):
                result = self.profile(compile_program("regions.c", (level,), compiler))
                calls = result.calls()
                self.assertEqual(calls["first<main<init"], 2)
                self.assertEqual(calls["second<main<init"], 2)
                self.assertEqual(calls["work<first<main<init"], 2)
                self.assertEqual(calls["work<self<self<main<init"], 1)
                self.assertEqual(calls["<main<init"], 1)
                self.assertEqual(calls["x" * 10000 + "<main<init"], 1)
                self.assertEqual(calls["not \ufffd UTF-8<main<init"], 1)
                # However odd the names, every row of the table has the same columns.
                for row in result.rows():
                    self.assertEqual(len(row), 7)

    @pytest.mark.timing
    def test_misuse_is_reported_once_and_loses_nothing(self):
        result = self.profile(compile_program("region_misuse.c", ("-O1",)), expect_stderr=None)
        lines = result.stderr.splitlines()
        self.assertEqual(len(lines), 4, result.stderr)
        self.assertEqual(len(lines), len(set(lines)))
        for part in ("no region is open", "a region that was started later is still open", "no such region is open",
                     "null pointer"):
            self.assertEqual(sum(part in line for line in lines), 1, part)
        calls = result.calls()
        self.assertEqual(calls["outer<main<init"], 1)
        self.assertEqual(calls["inner<outer<main<init"], 1)
        # The part of `inner` that was outside `outer`, and the call made there.
        self.assertEqual(calls["inner<main<init"], 0)
        self.assertEqual(calls["work<inner<main<init"], 1)
        # A region that outlives its function, and one that ends in a callee.
        self.assertEqual(calls["work<begun below<begins_only<main<init"], 1)
        self.assertEqual(calls["work<begun below<main<init"], 1)
        self.assertEqual(calls["work<ends_only<begun above<main<init"], 1)
        self.assertEqual(calls["work<ends_only<main<init"], 1)
        # All calls of work are accounted for, and no time is negative or lost.
        self.assertEqual(sum(count for path, count in calls.items() if path.startswith("work<")), 10)
        paths = result.paths()
        total = sum(node["exclusive_ns"] for node in paths.values())
        self.assertAlmostEqual(total / paths["main<init"]["inclusive_ns"], 1, delta=0.02)

    def test_cxx_regions(self):
        program = compile_program("cxx_regions.cpp", ("-O1",), link=LINK_LIBRARY)
        calls = self.profile(program).calls()
        self.assertEqual(calls["scope<main<init"], 3)
        self.assertEqual(calls["from a string<scope<main<init"], 3)
        self.assertTrue(any("named_after_itself" in path.split("<")[0] and "named_after_itself" in
                            path.split("<")[1] for path in calls), calls)
        self.assertFalse(any("vftrace::region" in path for path in calls))
        self.assertEqual(calls["after throw<main<init"], 1)


class Stack(ProgramTest):
    def test_get_stack(self):
        program = compile_program("get_stack.c", ("-O0",))
        result = run([program], preload=False)
        self.assertEqual(result.stderr.splitlines(), [
            'deep: "show<function3<a region<function2<function1<main<init" 54',
            'paused: "main<init" 10', 'main: "show<main<init" 15', 'late: "show<late<init" 15'])

    def test_get_stack_when_off(self):
        program = compile_program("get_stack.c", ("-O0",))
        result = run([program], preload=False, VFTR_OFF="1")
        self.assertEqual(result.status, 0)
        self.assertEqual({line.split(": ")[1] for line in result.stderr.splitlines()}, {'"" 1'})

    def test_get_stack_when_finished(self):
        program = compile_program("stack_after_end.c", ("-O0",))
        result = run([program], preload=False)
        self.assertEqual((result.status, result.stdout), (0, 'over: ""\n'))


class Pause(ProgramTest):
    def test_paused_time_belongs_to_no_function(self):
        for compiler, level in variants():
            with self.subTest(compiler=compiler, level=level):
                result = self.profile(compile_program("pause.c", (level,), compiler))
                paths = result.paths()
                self.assertFalse(any("unseen" in path or "ignored" in path for path in paths))
                self.assertEqual(paths["seen<main<init"]["calls"], 4)
                pauses = [node for path, node in paths.items() if path.startswith("vftrace_pause<")]
                self.assertEqual([node["calls"] for node in pauses], [1, 1])
                # 4 x 20 ms were seen, 2 x 100 ms were not; a sleep takes that long or longer, and no moment counts twice.
                main, run_info = paths["main<init"]["inclusive_ns"], result.profile()["run"]
                paused = sum(node["inclusive_ns"] for node in pauses)
                self.assertGreater(main, 80e6)
                self.assertGreater(paused, 200e6)
                self.assertAlmostEqual(paused, run_info["paused_ns"], delta=1000)
                self.assertLessEqual(main + paused, run_info["runtime_ns"] + 1000)
                self.assertLessEqual(run_info["application_ns"] + paused, run_info["runtime_ns"] + 1000)
                log = result.text()
                self.assertEqual(re.search(r"Paused time: +([\d.]+) s", log)[1], f"{paused / 1e9:.2f}")
                shares = [float(row["t_excl[%]"]) for row in result.rows()]
                self.assertAlmostEqual(sum(shares), 100, delta=0.5)

    def test_end_while_paused(self):
        program = compile_program("pause_without_end.c", ("-O1", "-pthread"))
        for arguments in ([], ["in a thread"]):
            with self.subTest(arguments=arguments):
                result = self.profile([program, *arguments])
                paths = result.paths()
                pauses = next(node for path, node in paths.items() if path.startswith("pauses<"))
                paused = next(node for path, node in paths.items() if "vftrace_pause<" in path)
                self.assertGreater(paused["inclusive_ns"], 99e6)
                self.assertLessEqual(pauses["inclusive_ns"] + paused["inclusive_ns"],
                                     result.profile()["run"]["runtime_ns"] + 1000)

    def test_row_and_stack_of_one_pause(self):
        program = compile_program("pause_once.c")
        log = self.profile(program).text()
        self.assertEqual(sum(" vftrace_pause" in line for line in log.splitlines()), 2)


class RestoreHooks(ProgramTest):
    @unittest.skipUnless(platform.machine() == "x86_64", "code of other processors is not overwritten")
    def test_hooks_are_restored(self):
        for compiler in ("gcc", "clang"):
            with self.subTest(compiler=compiler):
                program = compile_program("restore_hooks.c", ("-O2",), compiler)
                result = run([program], preload=False, VFTR_OVERHEAD_BUDGET=10)
                self.assertEqual(result.status, 0)
                # Entry and exit, then nothing, then both again: the hooks had come back.
                self.assertEqual(result.stderr, "restored: 2 0 2\n")
                off = run([program], preload=False, VFTR_OFF="yes",
                          VFTR_OVERHEAD_BUDGET=10)
                self.assertEqual((off.stdout, off.stderr), (result.stdout, "restored: 0 0 0\n"))
                never = run([program], preload=False, config={"overhead": {"budget": 0}},
                            VFTR_OVERHEAD_BUDGET="")
                self.assertEqual((never.stdout, never.stderr), (result.stdout, "restored: 0 0 0\n"))


class Fortran(ProgramTest):
    def build(self, name):
        need("gfortran")
        need_part("HAVE_FORTRAN")
        SCRATCH.mkdir(exist_ok=True)
        target = SCRATCH / f"fortran_{name}"
        subprocess.run(["gfortran", "-O1", "-finstrument-functions", f"-I{BUILD / 'fortran'}",
                        HERE / "fortran" / f"{name}.F90", *LINK_LIBRARY, "-o", target], check=True,
                       cwd=SCRATCH)
        return target

    def test_regions(self):
        result = self.profile(self.build("regions"))
        self.assertTrue(any("padded region  <" in path for path in result.paths()), result.calls())

    def test_get_stack(self):
        result = run([self.build("get_stack")], preload=False)
        self.assertEqual(result.status, 0, result.stderr)
        self.assertRegex(result.stdout, r"<MAIN<main<init|<MAIN<init")

    def test_restore_hooks(self):
        self.assertEqual(run([self.build("restore_hooks")], preload=False).stdout, "restored: 0\n")

    def test_pause(self):
        result = self.profile(self.build("pause"))
        self.assertTrue(any(path.startswith("vftrace_pause<") for path in result.paths()))
