"""Compares our own declarations of OMPT with omp-tools.h, if a compiler provides it."""
import glob
import pathlib
import re
import subprocess
import unittest

from support import INCLUDE_RUNTIME, RUNTIME_SOURCES, need, scratch_folder

# Names in src/runtime/sources/openmp/ompt.hpp by the enumeration that they are in, and the prefix of the specification's names.
EVENTS = "ompt_callback_"
PREFIXES = {"Event": EVENTS, "Endpoint": "ompt_", "ParallelFlag": "ompt_", "TaskFlag": "ompt_",
            "TaskStatus": "ompt_", "Work": "ompt_", "SyncRegion": "ompt_sync_region_",
            "Mutex": "ompt_", "Target": "ompt_", "TargetDataOperation": "ompt_"}
OTHER_NAMES = {"scope_begin_and_end": "ompt_scope_beginend", "target_region": "ompt_target",
               "target_without_waiting": "ompt_target_nowait - ompt_target",
               "target_data_without_waiting":
                   "ompt_target_data_alloc_async - ompt_target_data_alloc"}
CALLBACKS = {"ThreadEnd": "thread_end", "ParallelBegin": "parallel_begin",
             "ParallelEnd": "parallel_end", "ImplicitTask": "implicit_task",
             "TaskCreate": "task_create", "TaskSchedule": "task_schedule", "WorkShare": "work",
             "Masked": "masked", "Synchronise": "sync_region", "MutexAcquire": "mutex_acquire",
             "MutexChange": "mutex", "NestLock": "nest_lock", "TargetRegion": "target",
             "TargetRegionEmi": "target_emi", "TargetDataOp": "target_data_op",
             "TargetDataOpEmi": "target_data_op_emi", "TargetSubmitEmi": "target_submit_emi",
             "DeviceInitialize": "device_initialize"}


def headers():
    return sorted(glob.glob("/usr/lib/llvm-*/lib/clang/*/include/omp-tools.h") +
                  glob.glob("/usr/lib/gcc/*/*/include/omp-tools.h"))


class Header(unittest.TestCase):
    def check(self, header, lines):
        source = scratch_folder() / "check.cpp"
        source.write_text("#include <cstddef>\n#include <type_traits>\n"
                          f'#include "{header}"\n#include "openmp/ompt.hpp"\n'
                          "namespace ours = vftrace::ompt;\n" + "\n".join(lines) + "\n")
        result = subprocess.run(["g++", "-std=c++20", "-fsyntax-only", "-w", *INCLUDE_RUNTIME,
                                 str(source)], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)

    def setUp(self):
        need("g++")
        if not headers():
            self.skipTest("no omp-tools.h")
        self.text = (RUNTIME_SOURCES / "openmp" / "ompt.hpp").read_text()

    def test_values(self):
        lines = []
        for name, body in re.findall(r"enum (\w+)[^{;]*\{([^}]*)\}", self.text):
            for ours in re.findall(r"(\w+) = ", body):
                theirs = OTHER_NAMES.get(ours) or PREFIXES[name] + (
                    ours.removeprefix("sync_") if name == "SyncRegion" else ours)
                lines.append(f'static_assert((long)ours::{ours} == (long)({theirs}), "{ours}");')
        lines.append("static_assert(ours::set_sometimes == ompt_set_sometimes);")
        self.assertGreater(len(lines), 50)
        for header in headers():
            with self.subTest(header):
                # A name that is not in this version of the header cannot be compared.
                known = pathlib.Path(header).read_text()
                self.check(header, [line for line in lines
                                    if all(word in known for word in
                                           re.findall(r"\bompt_\w+", line))])

    def test_callbacks(self):
        names = re.findall(r"using (\w+) = void \(\*\)\(", self.text)
        self.assertEqual(set(names) - {"Callback"}, set(CALLBACKS))
        # The same number of arguments, each passed in the same way: a word, or a 32-bit integer.
        lines = ["""
template <class A, class B> constexpr bool same = sizeof(A) == sizeof(B) &&
    std::is_floating_point_v<A> == std::is_floating_point_v<B>;
template <class A, class B> struct Alike : std::false_type {};
template <class... A, class... B> struct Alike<void (*)(A...), void (*)(B...)> {
    static constexpr bool value = [] {
        if constexpr (sizeof...(A) == sizeof...(B))
            return (same<A, B> && ...);
        return false;
    }();
};"""]
        lines += [f'static_assert(Alike<ours::{ours}, ompt_callback_{theirs}_t>::value, "{ours}");'
                  for ours, theirs in CALLBACKS.items()]
        for header in headers():
            with self.subTest(header):
                known = pathlib.Path(header).read_text()
                self.check(header, [line for line in lines
                                    if all(word in known for word in
                                           re.findall(r"\bompt_callback_\w+", line))])

    def test_result_of_the_start(self):
        for header in headers():
            with self.subTest(header):
                self.check(header, [
                    "using Theirs = ompt_start_tool_result_t;",
                    "static_assert(sizeof(ours::StartToolResult) == sizeof(Theirs));",
                    "static_assert(offsetof(ours::StartToolResult, finalize) == "
                    "offsetof(Theirs, finalize));",
                    "static_assert(offsetof(ours::StartToolResult, tool) == "
                    "offsetof(Theirs, tool_data));",
                    "static_assert(sizeof(ours::Data) == sizeof(ompt_data_t));"])


if __name__ == "__main__":
    unittest.main()
