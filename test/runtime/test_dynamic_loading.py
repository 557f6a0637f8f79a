"""Libraries that are loaded and unloaded while a program runs, and others that are preloaded with ours."""
import shutil
import subprocess
import unittest

from support import (LIBRARY, LINK_LIBRARY, PROGRAMS, compile_program, installed_libraries, need, run,
                     scratch_folder)
from thread_support import ThreadTest, builds, calls_by_function, own_calls


def shared_library(source, *flags, name=None):
    need("gcc")
    target = scratch_folder() / f"{name or source.partition('.')[0]}.so"
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-pthread", "-finstrument-functions",
                    PROGRAMS / source, *flags, "-o", target], check=True)
    return target


class Plugins(ThreadTest):
    def test_constructors_and_destructors(self):
        plugin = shared_library("dl_life_plugin.c")
        self.check_calls("dl_life.c", {
            "init": 0, "main<init": 1, "opens<main<init": 3, "uses<main<init": 3,
            "closes<main<init": 3,
            "plugin_begins<opens<main<init": 3, "plugin_work<plugin_begins<opens<main<init": 3,
            "use_plugin<uses<main<init": 3, "plugin_work<use_plugin<uses<main<init": 6,
            "plugin_ends<closes<main<init": 3,
            "plugin_work<plugin_ends<closes<main<init": 3}, "3", plugin)

    def test_opened_by_one_thread_closed_by_another(self):
        plugin = shared_library("dl_life_plugin.c")
        opener = "opener<[thread]<main<init"
        uses = "plugin_work<use_plugin<uses<"
        self.check_calls("dl_life.c", {
            "init": 0, "main<init": 1, "[thread]<main<init": 3, opener: 3,
            "opens<" + opener: 3, "plugin_begins<opens<" + opener: 3,
            "plugin_work<plugin_begins<opens<" + opener: 3, "uses<" + opener: 3,
            "use_plugin<uses<" + opener: 3, uses + opener: 6, "uses<main<init": 3,
            "use_plugin<uses<main<init": 3, uses + "main<init": 6, "closes<main<init": 3,
            "plugin_ends<closes<main<init": 3,
            "plugin_work<plugin_ends<closes<main<init": 3}, "3", plugin, "thread")

    def test_used_by_threads_that_outlive_them(self):
        # Both have the same size, so the second one is loaded where the first one was.
        plugins = [shared_library("plugin.c", f"-DNAME={name}", name=name)
                   for name in ("plugin_one", "plugin_two")]
        use, calls = "use<worker<[thread]<main<init", 3 * 20 * 5
        self.check_calls("dl_threads.c", {
            "init": 0, "main<init": 1, "open_plugin<main<init": 10, "[thread]<main<init": 3,
            "worker<[thread]<main<init": 3, use: 30, "call<" + use: 2 * calls,
            "plugin_one<call<" + use: calls, "plugin_two<call<" + use: calls},
            "5", *plugins)

    def test_threads_that_start_in_a_plugin(self):
        plugins = [shared_library("dl_thread_in_plugin.c", f"-DNAME={name}", name=name)
                   for name in ("start_one", "start_two")]
        for result in self.check_calls("dlopen_plugins.c", {
                "init": 0, "main<init": 1, "use<main<init": 40, "call<use<main<init": 40,
                "[thread]<call<use<main<init": 40,
                "start_one<[thread]<call<use<main<init": 20,
                "start_two<[thread]<call<use<main<init": 20}, "20", *plugins):
            self.assertEqual(result.profile()["run"]["threads"], 41)

    def test_opening_and_closing_with_threads_takes_no_memory(self):
        plugins = [shared_library("dl_thread_in_plugin.c", f"-DNAME={name}", name=name)
                   for name in ("start_one", "start_two")]
        program = compile_program("dlopen_plugins.c", ("-O1", "-pthread"))
        few = run([program, "10", *plugins]).profile()["run"]["memory_bytes"]
        many = run([program, "1000", *plugins]).profile()["run"]["memory_bytes"]
        self.assertLess(many, 2 * few)


class Namespaces(ThreadTest):
    def test_library_in_a_namespace_of_its_own(self):
        linked = shared_library("plugin.c", *LINK_LIBRARY, name="linked")
        unlinked = shared_library("plugin.c", name="unlinked")
        for plugin in (linked, unlinked):
            for text, program, how in builds("dl_namespace.c"):
                with self.subTest(plugin=plugin.name, build=text):
                    result = self.profile([program, plugin], **how)
                    self.assertEqual(result.files(),
                                     ["dl_namespace_all.json", "dl_namespace_all.log"])
                    calls = result.calls()
                    self.assertEqual({path: calls[path] for path in (
                        "main<init", "leaf<main<init", "use<main<init", "leaf<use<main<init")},
                        {"main<init": 1, "leaf<main<init": 2, "use<main<init": 3,
                         "leaf<use<main<init": 3})


class Preloaded(ThreadTest):
    CALLS = {"init": 0, "main<init": 1, "[thread]<main<init": 3, "worker<[thread]<main<init": 3,
             "allocate<worker<[thread]<main<init": 6000, "release<worker<[thread]<main<init": 6000}

    def with_libraries(self, *libraries, program=None):
        program = program or compile_program("dl_allocates.c", ("-O1", "-pthread"))
        return self.profile(program, preload=False, LD_PRELOAD=" ".join(map(str, libraries)))

    def test_jemalloc(self):
        found = installed_libraries(r"libjemalloc\.so\.2")
        if not found:
            self.skipTest("libjemalloc is not installed")
        jemalloc = found[0]
        self.assertEqual(self.with_libraries(jemalloc, LIBRARY).calls(), self.CALLS)
        self.assertEqual(self.with_libraries(LIBRARY, jemalloc).calls(), self.CALLS)

    def test_instrumented_wrapper_of_malloc(self):
        wrapper = shared_library("dl_malloc_wrapper.c", "-ldl")
        for libraries in ((wrapper, LIBRARY), (LIBRARY, wrapper)):
            with self.subTest(first=libraries[0].name):
                calls = self.with_libraries(*libraries).calls()
                self.assertEqual({path: calls[path] for path in self.CALLS}, self.CALLS)
                worker = "worker<[thread]<main<init"
                for path in (f"malloc<allocate<{worker}", f"count_block<malloc<allocate<{worker}",
                             f"free<release<{worker}", f"count_block<free<release<{worker}"):
                    self.assertEqual(calls[path], 6000, path)

    def test_address_sanitizer_first(self):
        need("gcc")
        asan = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True,
                              text=True, check=True).stdout.strip()
        if "/" not in asan:
            self.skipTest("libasan is not installed")
        flags = ("-O1", "-pthread", "-fsanitize=address")
        program = compile_program("dl_allocates.c", flags)
        self.assertEqual(self.with_libraries(asan, LIBRARY, program=program).calls(), self.CALLS)
        linked = compile_program("dl_allocates.c", flags, link=LINK_LIBRARY)
        self.assertEqual(self.profile(linked, preload=False).calls(), self.CALLS)
        # A program that is built without the sanitizer.
        self.assertEqual(self.with_libraries(asan, LIBRARY).calls(), self.CALLS)

    @unittest.skipUnless(shutil.which("clang"), "clang is not installed")
    def test_address_sanitizer_in_the_program(self):
        try:
            program = compile_program("dl_allocates.c", ("-O1", "-pthread", "-fsanitize=address"),
                                      "clang")
        except AssertionError:
            self.skipTest("clang has no AddressSanitizer")
        self.assertEqual(self.profile(program).calls(), self.CALLS)

    def test_preloaded_and_linked(self):
        program = compile_program("dl_allocates.c", ("-O1", "-pthread"), link=LINK_LIBRARY)
        self.assertEqual(self.profile(program).calls(), self.CALLS)


class Order(ThreadTest):
    def test_leaks_found_by_address_sanitizer_are_the_programs(self):
        program = compile_program("thread_many.c", ("-O1", "-pthread", "-fsanitize=address"),
                                  link=LINK_LIBRARY)
        result = self.profile([program, "40", "joined"], preload=False,
                              ASAN_OPTIONS="detect_leaks=1")
        self.assertEqual(calls_by_function(own_calls(result))["worker"], 40)
