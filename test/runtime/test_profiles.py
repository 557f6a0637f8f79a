"""The profile of programs whose calls are known."""
import re
import shutil
import subprocess
import unittest

from support import (LINK_LIBRARY, PROLOGUES, ProgramTest, clean_environment, compile_program,
                     need_fast_clock, need_part, run, scratch_folder)
from thread_support import saved_profiles

VARIANTS = [("gcc", "-O0"), ("gcc", "-O2"), ("clang", "-O0"), ("clang", "-O2")]


def variants(language="c"):
    """The installed compilers, each with and without optimisation."""
    for compiler, level in VARIANTS:
        name = compiler if language == "c" else {"gcc": "g++", "clang": "clang++"}[compiler]
        if shutil.which(name):
            yield name, level


class CallCounts(ProgramTest):
    def test_calls_and_times(self):
        for compiler, level in variants():
            with self.subTest(compiler=compiler, level=level):
                result = self.profile(compile_program("call_counts.c", (level,), compiler))
                self.assertEqual(result.calls(), {
                    "init": 0, "main<init": 1, "mid<main<init": 3, "leaf<mid<main<init": 6,
                    "factorial<main<init": 10})
                paths = result.paths()
                leaf, mid = paths["leaf<mid<main<init"], paths["mid<main<init"]
                main = paths["main<init"]
                self.assertGreaterEqual(main["inclusive_ns"], mid["inclusive_ns"])
                self.assertGreaterEqual(mid["inclusive_ns"], leaf["inclusive_ns"])
                # All of the work is in leaf.
                self.assertGreater(leaf["exclusive_ns"], 0.5 * main["inclusive_ns"])

    def test_linked_like_preloaded(self):
        from support import BUILD
        library = compile_program("call_counts.c", link=LINK_LIBRARY)
        archive = compile_program("call_counts.c", link=[BUILD / "libvftrace.a", "-lelf", "-lm"],
                                  output="call_counts_static_library")
        preloaded = self.profile(compile_program("call_counts.c")).calls()
        self.assertEqual(run([library], preload=False).calls(), preloaded)
        self.assertEqual(run([archive], preload=False).calls(), preloaded)

    def test_threads_are_merged(self):
        program = compile_program("threads.cpp", ("-O1", "-pthread"))
        result = self.profile(program)
        calls = result.calls()
        self.assertEqual(calls["worker<[thread]<main<init"], 4)
        self.assertEqual(calls["leaf<worker<[thread]<main<init"], 400000)
        self.assertEqual(calls["leaf<worker<main<init"], 5)

    def test_ten_thousand_threads_reuse_memory(self):
        result = self.profile([compile_program("threads.cpp", ("-O1", "-pthread")), "many"])
        self.assertEqual(result.calls()["worker<[thread]<main<init"], 10004)
        self.assertLess(result.profile()["run"]["memory_bytes"], 4 << 20)

    def test_mutual_recursion_is_folded_and_timed_once(self):
        for compiler, level in variants():
            with self.subTest(compiler=compiler, level=level):
                program = compile_program("mutual_recursion.c", (level,), compiler)
                result = self.profile(program)
                paths = result.paths()
                by_name = {}
                for path, node in paths.items():
                    name = path.split("<")[0]
                    by_name[name] = by_name.get(name, 0) + node["calls"]
                self.assertEqual(by_name["even"], 25001 + 2)
                self.assertEqual(by_name["odd"], 25000 + 2)
                self.assertEqual(by_name["spin"], 25001 + 2 + 1)
                self.assertLess(len(paths), 60)
                main = paths["main<init"]["inclusive_ns"]
                exclusive = sum(node["exclusive_ns"] for node in paths.values())
                self.assertAlmostEqual(exclusive / main, 1, delta=0.02)
                for path, node in paths.items():
                    self.assertLessEqual(node["inclusive_ns"], main, path)
                self.assertTrue(any("recursion-folded" in node.get("flags", [])
                                    for node in paths.values()))

    def test_folded_recursion_of_two_functions(self):
        """The exclusive times once added up to 128 % of the run; see also support.check_sums()."""
        for flags in ((), PROLOGUES):
            program = compile_program("folded_recursion.c", ("-O1", *flags), instrument=not flags,
                                      link=LINK_LIBRARY)
            for options in ({}, {"VFTR_TIMING": "exact"}):
                with self.subTest(flags=flags, options=options):
                    result = self.profile([program, "12", "4"], **options)
                    calls = {}
                    for path, number in result.calls().items():
                        name = path.split("<")[0]
                        calls[name] = calls.get(name, 0) + number
                    inner = 4 * (2 ** 11 - 1)
                    self.assertEqual(calls, {
                        "init": 0, "main": 1, "node": inner + 4 * 2 ** 11, "children": inner,
                        "leaves": inner, "leaf": 10 * inner + 4 * 2 ** 11})
                    paths = result.paths()
                    self.assertLess(len(paths), 60)
                    main = paths["main<init"]["inclusive_ns"]
                    exclusive = sum(node["exclusive_ns"] for node in paths.values())
                    self.assertAlmostEqual(exclusive, main, delta=2000 + len(paths))

    def test_recursion_limit_is_an_option(self):
        program = compile_program("mutual_recursion.c")
        short = run([program], VFTR_MAX_RECURSION=1).paths()
        self.assertEqual(sorted(short), sorted([
            "init", "main<init", "even<main<init", "spin<main<init", "spin<even<main<init",
            "odd<even<main<init"]))

    def test_one_million_levels_deep(self):
        program = compile_program("deep_recursion.c")
        import resource

        def unlimited():
            resource.setrlimit(resource.RLIMIT_STACK, (1 << 30, resource.RLIM_INFINITY))
        try:
            alone = subprocess.run([program], preexec_fn=unlimited, capture_output=True, text=True)
        except (ValueError, subprocess.SubprocessError):
            self.skipTest("the stack limit cannot be raised here")
        from support import LIBRARY, Result
        folder = scratch_folder()
        process = subprocess.run([program], preexec_fn=unlimited, capture_output=True, text=True,
                                 cwd=folder, env=clean_environment(LD_PRELOAD=LIBRARY))
        self.assertEqual((process.returncode, process.stdout), (0, alone.stdout))
        self.assertEqual(process.stderr, "")
        self.assertEqual(Result(process, folder).calls()["down<main<init"], 1000001)

    def test_one_million_paths(self):
        program = compile_program("many_paths.cpp", ("-O1",))
        result = self.profile(program, VFTR_STACKLIST_SHOW_STACKLIST="no",
                              VFTR_SOURCE_LINES="no", VFTR_JSON="no", timeout=300)
        rows = sum(1 for line in result.text().splitlines() if line.startswith("|"))
        self.assertGreater(rows, 1111110)
        shutil.rmtree(result.folder)


class Frames(ProgramTest):
    def test_siblings_after_longjmp(self):
        for compiler, level in variants():
            with self.subTest(compiler=compiler, level=level):
                result = self.profile(compile_program("longjmp_siblings.c", (level,), compiler))
                self.assertEqual(result.calls(), {
                    "init": 0, "main<init": 1, "small<main<init": 5,
                    "deepest<small<main<init": 5, "big<main<init": 5})
                flags = result.paths()["deepest<small<main<init"]["flags"]
                self.assertIn("closed-without-exit", flags)

    def test_exceptions(self):
        for compiler, level in variants("c++"):
            with self.subTest(compiler=compiler, level=level):
                result = self.profile(compile_program("exceptions.cpp", (level,), compiler))
                calls = {path: count for path, count in result.calls().items() if "std" not in path}
                self.assertEqual(calls, {
                    "init": 0, "main<init": 1, "catcher<main<init": 4,
                    "passes<catcher<main<init": 4, "thrower<passes<catcher<main<init": 4,
                    "handled<catcher<main<init": 4, "after<catcher<main<init": 4,
                    "after<main<init": 1})

    def test_exceptions_of_a_static_runtime_library(self):
        # In this build __cxa_begin_catch cannot be wrapped: the call site identifies the caller.
        program = compile_program("exceptions.cpp", ("-O1", "-static-libstdc++", "-static-libgcc"),
                                  "clang++")
        calls = self.profile(program).calls()
        self.assertEqual(calls["handled<catcher<main<init"], 4)
        self.assertEqual(calls["after<catcher<main<init"], 4)
        self.assertEqual(calls["after<main<init"], 1)

    def test_inlined_functions_and_alloca(self):
        for compiler, level in variants():
            with self.subTest(compiler=compiler, level=level):
                result = self.profile(compile_program("inlined_functions.c", (level,), compiler))
                self.assertEqual(result.calls(), {
                    "init": 0, "main<init": 1, "outer<main<init": 10,
                    "leaf<outer<main<init": 10, "middle<outer<main<init": 20,
                    "leaf<middle<outer<main<init": 20, "inner<middle<outer<main<init": 20,
                    "leaf<inner<middle<outer<main<init": 20})

    def test_instrumented_signal_handlers(self):
        need_fast_clock()  # otherwise nearly every signal arrives in the slow path, where it is dropped
        for stack in ([], ["own stack"]):
            with self.subTest(stack=stack):
                program = compile_program("signal_handler.c", ("-O2",))
                result = self.profile([program, *stack])
                paths = result.paths()
                handlers = sum(node["calls"] for path, node in paths.items()
                               if path.startswith("handler<"))
                dropped = re.search(r"(\d+) calls could not", result.text())
                dropped = int(dropped[1]) if dropped else 0
                self.assertGreaterEqual(handlers + dropped, 2000)
                self.assertLess(dropped, 50)
                # A handler never becomes the caller of what it interrupted.
                for path in paths:
                    self.assertNotRegex(path, "(^|<)(tree|leaf)<handler")
                self.assertIn("leaf<main<init", paths)
                self.assertLess(len(paths), 20)

    def test_signals_in_the_slow_path(self):
        program = compile_program("signals_in_slow_path.c", ("-O1",))
        for arguments in ([], ["jump"]):
            with self.subTest(arguments=arguments):
                result = self.profile([program, *arguments])
                paths = result.paths()
                calls = result.calls()
                self.assertEqual(calls["region<main<init"], 1000000)
                self.assertEqual(calls["work<region<main<init"], 1000000)
                self.assertEqual(calls["work<main<init"], 1)
                for path, node in paths.items():
                    self.assertNotRegex(path, "(^|<)(f[0-3]|work|region)<handler")
                    self.assertLessEqual(node["inclusive_ns"], paths["main<init"]["inclusive_ns"])

    def test_a_region_left_open_in_a_handler_ends_with_it(self):
        result = self.profile(compile_program("region_in_handler.c", ("-O1",)))
        self.assertEqual(result.calls()["inner<handler<second<main<init"], 1)
        self.assertFalse(any("left open" in path and "second" in path for path in result.paths()))

    def test_no_memory_for_a_while(self):
        for paths in (5, 40, 300, 2000):
            with self.subTest(paths=paths):
                result = self.profile([compile_program("memory_runs_out.c", ("-O1",)), paths])
                calls = result.calls()
                self.assertEqual(calls["late<main<init"], 1)
                self.assertEqual(calls["leaf<late<main<init"], 2)
                self.assertFalse([path for path in calls if path.startswith("leaf<")
                                  and path != "leaf<late<main<init"])

    def test_exit_in_a_nested_function(self):
        result = self.profile(compile_program("exit_nested.c", ("-O0",)))
        paths = result.paths()
        self.assertGreater(paths["ends<middle<main<init"]["inclusive_ns"], 30e6)
        self.assertGreater(paths["main<init"]["inclusive_ns"], 30e6)
        self.assertEqual(result.status, 5)

    def test_children_by_fork_and_vfork(self):
        program = compile_program("fork_children.c", ("-O0",))
        result = self.profile(program)
        self.assertEqual(saved_profiles(result.folder)[program.name].calls(),
                         {"init": 0, "main<init": 1, "in_parent<main<init": 2})
        # The vfork child does not count as a separate process.
        self.assertEqual(len([name for name in result.files() if name.endswith(".log")]), 4)

    def test_errno_is_kept(self):
        result = self.profile(compile_program("errno_kept.c", ("-O1",)),
                              expect_stderr="no region is open")
        self.assertEqual(result.stdout, "1\n")


class MainAndBefore(ProgramTest):
    def test_main_without_hooks(self):
        result = self.profile(compile_program("main_without_hooks.c"))
        self.assertEqual(result.calls(), {"init": 0, "work<init": 2})

    def test_prelude_is_an_option(self):
        for compiler, level in variants("c++"):
            with self.subTest(compiler=compiler, level=level):
                program = compile_program("static_constructor.cpp", (level,), compiler)
                default = self.profile(program).calls()
                self.assertFalse(any("prelude_work" in path for path in default))
                self.assertIn("main_work<main<init", default)
                whole = self.profile(program, VFTR_INCLUDE_CXX_PRELUDE="yes").calls()
                self.assertTrue(any(path.startswith("prelude_work<Global::Global<")
                                    for path in whole), whole)

    def test_stripped_and_not_position_independent(self):
        for flags in (("-O1", "-no-pie", "-fno-pie"), ("-O1", "-s"), ("-O1", "-no-pie", "-s"),
                      ("-O1", "-s", "-rdynamic")):
            with self.subTest(flags=flags):
                result = self.profile(compile_program("call_counts.c", flags))
                calls = sorted(result.calls().values())
                self.assertEqual(calls, [0, 1, 3, 6, 10])
                names = " ".join(result.calls())
                if "-s" in flags and "-rdynamic" in flags:
                    self.assertIn("main<init", names)  # from .dynsym
                elif "-s" in flags:
                    self.assertRegex(names, r"call_counts\+0x[0-9a-f]+<init")
                else:
                    self.assertIn("leaf<mid<main<init", names)


class Names(ProgramTest):
    def test_cxx_names(self):
        names = {path.split("<init")[0].removesuffix("<main")
                 for path in self.profile(compile_program("overloads.cpp", ("-O0",))).calls()}
        for name in ("quicksort<int>", "quicksort<long>", "scaled(int)", "scaled(double)",
                     "space::Thing::operator()", "space::Thing::operator<"):
            self.assertIn(name, names)

    def test_cxx_names_raw(self):
        calls = run([compile_program("overloads.cpp", ("-O0",))], VFTR_DEMANGLE_CXX="no").calls()
        self.assertTrue(any(path.startswith("_Z") for path in calls))

    def test_stids_do_not_depend_on_display(self):
        program = compile_program("overloads.cpp", ("-O0",))
        raw = run([program], VFTR_DEMANGLE_CXX="no").profile()["nodes"]
        shown = run([program]).profile()["nodes"]
        self.assertEqual([(node["stid"], node["hash"]) for node in raw],
                         [(node["stid"], node["hash"]) for node in shown])

    def test_source_lines(self):
        need_part("HAVE_LIBDW")
        profile = self.profile(compile_program("call_counts.c", ("-O1", "-g"))).profile()
        functions = {function["name"]: function for function in profile["functions"]}
        self.assertTrue(functions["leaf"]["file"].endswith("programs/call_counts.c"))
        source = open(functions["leaf"]["file"]).read().splitlines()
        self.assertIn("leaf(", source[functions["leaf"]["line"] - 1])

    def test_no_source_lines_if_not_wanted(self):
        profile = run([compile_program("call_counts.c", ("-O1", "-g"))],
                      VFTR_SOURCE_LINES="no").profile()
        self.assertFalse(any(function.get("file") for function in profile["functions"]))
