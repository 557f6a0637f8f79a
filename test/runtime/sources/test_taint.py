"""The analysis of parameters: vftrace-taint-cc and the results of its programs about their loops.

The expected result of each program of test/taint was derived by hand from its source. A profile is
written as "loops <- call paths": a loop is its number and the sets of parameters it depends on,
[n,m] for one set of two and [n|m] for two sets; ?0[n] is its branch 0; nested loops follow in
parentheses. Loops are numbered from the last one of a function to the first, those in a loop from
the first to the last."""
import json
import re
import shutil
import subprocess
import unittest

from mpi_support import MPICH, OPEN_MPI
from support import BUILD, HERE, SOURCE, clean_environment, need, need_part, scratch_folder

COMPILERS = BUILD / "taint"
PROGRAMS = HERE / "taint"


def setUpModule():
    need_part("HAVE_TAINT")


def build(command, folder, **variables):
    process = subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True,
                             env=clean_environment(**variables))
    if process.returncode != 0:
        raise AssertionError(" ".join(map(str, command)) + "\n" + process.stdout + process.stderr)
    return process


def compiler(source):
    return [COMPILERS / "vftrace-taint-cc"] if str(source).endswith(".c") else \
        [COMPILERS / "vftrace-taint-c++", "-std=c++20"]


def sets(list_of_sets):
    return "[" + "|".join(",".join(names) for names in list_of_sets) + "]"


def loops_text(loops):
    words = []
    for number in sorted(loops, key=int):
        loop = loops[number]
        text = number + sets(loop.get("params", []))
        for branch in sorted(loop.get("branches", {}), key=int):
            text += f"?{branch}{sets([loop['branches'][branch]])}"
        if "loops" in loop:
            text += f"({loops_text(loop['loops'])})"
        words.append(text)
    return " ".join(words)


def profiles(result, own=None):
    """{function: {profiles}}, with functions of the C++ library left out of call paths where `own` names their owner."""
    names = [re.sub(r"\(lambda at [^)]*\)", "lambda", name) for name in result["functions_names"]]
    found = {}
    for function in result["functions"].values():
        name = names[function["func_idx"]]
        if own and name not in own:
            continue
        for profile in function["loops"]:
            stacks = sorted({">".join(names[index] for index in stack if not own or names[index] in own)
                             for stack in profile["callstacks"]})
            found.setdefault(name, set()).add(f"{loops_text(profile['instance'])} <- {' '.join(stacks)}")
    return found


class TaintTest(unittest.TestCase):
    maxDiff = None

    def analyse(self, program, *arguments, flags=(), status=0, **variables):
        """Builds and runs a program of test/taint: its result, and what it wrote on stderr."""
        folder = scratch_folder()
        source = PROGRAMS / program
        executable = folder / source.stem
        build([*compiler(source), *flags, source, "-o", executable, "-lm"], folder)
        return self.run_analysis(executable, *arguments, status=status, **variables)

    def run_analysis(self, executable, *arguments, status=0, **variables):
        process = subprocess.run([executable, *map(str, arguments)], cwd=executable.parent, capture_output=True,
                                 text=True, env=clean_environment(**variables), timeout=60)
        self.assertEqual(process.returncode, status, process.stderr)
        self.printed = process.stdout
        file = executable.parent / f"{executable.name}.parameters.json"
        return json.loads(file.read_text()), process.stderr

    def expect(self, program, expected, *arguments, **more):
        result, _ = self.analyse(program, *arguments, **more)
        own = set(re.findall(r"\b(\w+)\(", (PROGRAMS / program).read_text())) | {"draw", "operator()"}
        own |= {"repeat<long>", "direct<2, lambda>"}
        self.assertEqual(profiles(result, own), {name: set(texts) for name, texts in expected.items()})
        return result


# The expected results of programs whose names describe what they test: {function: profiles}.
EXPECTED = {
    "constant.c": {},
    "nested.c": {"nest": ["0[n](0[](0[m]) 1[m,k]) <- main"]},
    "inner_only.c": {"triangle": ["0[](0[n]) <- main"]},
    "while_loops.c": {"halve": ["0[n] <- main"], "at_least_once": ["0[m] <- main"], "search": ["0[wanted] <- main"]},
    "two_in_a_bound.c": {"product": ["0[n,m] <- main"], "exits": ["0[n|m] <- main"],
                         "at_two_times": ["0[](0[n|m]) <- main"]},
    "members.cpp": {"of_member": ["0[n] <- main"], "of_array": ["0[m] <- main"], "of_global": ["0[k] <- main"],
                    "of_result": ["0[l] <- main"]},
    "recursion.c": {"even": ["0[n] <- main"], "odd": ["0[n] <- main>even"], "tree": ["0[n] 1[n] <- main"]},
    "virtual_calls.cpp": {"draw": ["0[n] <- main>draw", "0[n](0[n]) <- main>draw"], "twice": ["0[m] <- main>call"]},
    "lambdas.cpp": {"repeat<long>": ["0[n] <- main"], "direct<2, lambda>": ["0[m] <- main"],
                    "operator()": ["0[m] <- main>repeat<long>>operator()"]},
    "containers.cpp": {"over": ["0[n] <- main"], "over_string": ["0[m] <- main"]},
    "container_sizes.cpp": {"over_vector": ["0[n] <- main"], "over_string": ["0[n] <- main"], "over_deque": ["0[n] <- main"],
                            "over_list": ["0[n] <- main"], "over_map": ["0[n] <- main"], "over_unordered": ["0[m] <- main"],
                            "over_row": ["0[m] <- main>rows"], "rows": ["0[n](0[m]) <- main"], "main": ["0[m] 1[n] <- "]},
    "library_work.c": {"clear": ["0[n] <- main"], "copy_rows": ["0[m](0[n]) <- main"], "sort": ["0[n] <- main"]},
    "bounded_recursion.c": {"fib": ["0[n] <- main"], "halve": ["0[n] <- main"]},
    "branches.c": {"choose": ["0[n]?1[m]?2[m] <- main"]},
    "early_exits.c": {"leave": ["0[](0[n|m]) <- main"], "give_up": ["0[limit] <- main"]},
    "two_callers.c": {"kernel": ["0[n] <- main>first main>second", "0[m] <- main>second"]},
    "exceptions.cpp": {"inner": ["0[n] <- main>outer"], "after": ["0[m] <- main"]},
    "jumps.c": {"deep": ["0[n] <- main>middle"], "after": ["0[m] <- main"]},
    "threads.cpp": {"main": ["0[count] 1[count] <- "], "kernel": ["0[n] <- operator()>thread_main", "0[count] <- main"]},
    "globals_at_start.cpp": {"Global": ["0[n] <- "], "of_union": ["0[n] <- main"]},
    "arithmetic.c": {"loop": ["0[n] <- main>bits main>copied main>root main>truncated"]},
    "sorting.c": {"loop": ["0[n] <- main", "0[m] <- main"], "compare": ["0[k] <- main"]},
    "variadic.c": {"of_arguments": ["0[count] <- main"], "of_pair": ["0[m] <- main"], "assembled": ["0[n] <- main"]},
}


class LoopTest(TaintTest):
    """One test per program."""


def add_test(program, expected):
    def test(self):
        self.expect(program, expected)
    setattr(LoopTest, "test_" + program.split(".")[0], test)


for each_program, each_expected in EXPECTED.items():
    add_test(each_program, each_expected)


class ControlFlowTest(TaintTest):
    def test_lengths_that_are_chosen_or_counted(self):
        loop_of_main = {"main": ["0[m] <- "]}
        self.expect("control_flow.c", loop_of_main)
        self.expect("control_flow.c", {"over_chosen": ["0[n] <- main"], "over_counted": ["0[m] <- main"]} | loop_of_main,
                    flags=["--vftrace-control-flow"])


class UnknownTest(TaintTest):
    """What the analysis cannot know is neither "depends" nor "does not depend"."""

    def unknown(self, program, key="unknown_functions"):
        result, _ = self.analyse(program)
        return {result["functions_names"][index] for index in result[key]}

    def test_labels_that_get_lost(self):
        unknown = self.unknown("lost_labels.cpp")
        self.assertLessEqual({"over_matrix", "chosen", "not_called"}, unknown)
        self.assertFalse({"fixed", "without_loop", "main", "work"} & unknown)

    def test_callers_of_unknown_functions(self):
        callers = self.unknown("lost_labels.cpp", "unknown_callers")
        self.assertLessEqual({"main", "calls_chosen"}, callers)
        self.assertFalse({"fixed", "without_loop", "chosen", "work"} & callers)

    def test_library_and_recursion(self):
        self.assertEqual(self.unknown("library_work.c"), {"length"})
        self.assertEqual(self.unknown("bounded_recursion.c"), {"fixed"})
        self.assertEqual(self.unknown("bounded_recursion.c", "unknown_calls"), {"fixed"})

    def test_fixed_loops_are_known(self):
        # The length of the other one is a variable that is not marked.
        self.assertEqual(self.unknown("constant.c"), {"known"})

    def test_kinds_of_loops(self):
        for program, function, kind in (("library_work.c", "clear", "library"),
                                        ("bounded_recursion.c", "fib", "recursion")):
            result, _ = self.analyse(program)
            self.assertEqual(result["functions"][function]["loops"][0]["instance"]["0"]["kind"], kind)
            compatible, _ = self.analyse(program, VFTR_TAINT_COMPATIBLE="yes")
            self.assertNotIn(function, compatible["functions"])
        self.assertEqual(list(compatible["functions"]), [])


class FormatTest(TaintTest):
    def test_the_example_gives_the_json_of_perf_taint(self):
        result, _ = self.analyse("example.cpp", 5, VFTR_TAINT_COMPATIBLE="yes")
        functions = result.pop("functions")
        self.assertEqual(result, {
            "functions_names": ["f", "g", "h", "main", "atoi"],
            "functions_mangled_names": ["_Z1fiii", "_Z1gii", "_Z1hi", "main", "atoi"],
            "functions_demangled_names": ["f(int, int, int)", "g(int, int)", "h(int)", "main", "atoi"],
            "parameters": ["x1", "x2"]})
        self.assertTrue(functions["_Z1fiii"].pop("file").endswith("test/taint/example.cpp"))
        self.assertEqual(functions, {"_Z1fiii": {"func_idx": 0, "line": 19, "loops": [
            {"callstacks": [[3]], "instance": {
                "0": {"level": 0, "params": [["x2"]]}, "1": {"level": 0, "params": [["x1", "x2"]]},
                "2": {"level": 0, "params": [["x1"]]}}},
            {"callstacks": [[3]], "instance": {
                "0": {"level": 0, "params": [["x2"]]},
                "1": {"branches": {"0": ["x1"]}, "level": 0, "params": [["x1", "x2"]]},
                "2": {"level": 0, "params": [["x1"]]}}}]}})

    def test_keys_beyond_those_of_perf_taint(self):
        result, message = self.analyse("example.cpp", 5, VFTR_OUTFILE_BASENAME="example")
        self.assertEqual([result[key] for key in ("format", "version", "application", "complete")],
                         ["vftrace-parameters", 1, "example", True])
        lines = [loop["line"] for loop in result["functions"]["_Z1fiii"]["loops"][0]["instance"].values()]
        self.assertEqual(lines, [29, 23, 21])
        self.assertEqual(result["unimportant_functions"], [1, 2, 3])
        self.assertEqual([result[key] for key in ("unused_parameters", "more_parameters", "opaque_calls")], [[], [], []])
        self.assertRegex(message, r"^vftrace: 1 function with loops .*/example\.parameters\.json\n$")

    def test_calls_lead_to_the_profiles_of_what_is_called(self):
        result, _ = self.analyse("two_callers.c")
        names, functions = result["functions_names"], result["functions"]
        self.assertEqual([len(functions[name]["loops"]) for name in functions], [2])
        nest, _ = self.analyse("virtual_calls.cpp")
        self.assertNotIn('"calls":', json.dumps(nest["functions"]))  # main has no loop that depends on a parameter
        self.assertEqual(sorted(names[index] for index in result["unimportant_functions"]),
                         ["first", "main", "second", "work"])
        lambdas, _ = self.analyse("lambdas.cpp")
        function = next(each for each in lambdas["functions"].values()
                        if lambdas["functions_names"][each["func_idx"]] == "repeat<long>")
        (slot, calls), = function["loops"][0]["instance"]["0"]["calls"].items()
        self.assertTrue(slot.isdigit())
        self.assertEqual([lambdas["functions_names"][call["function_idx"]] for call in calls], ["operator()"])
        self.assertEqual([call["entry_id"] for call in calls], [0])
        compatible, _ = self.analyse("lambdas.cpp", VFTR_TAINT_COMPATIBLE="yes")
        of_loop = compatible["functions"][next(name for name in compatible["functions"] if "repeat" in name)]["loops"][0]["instance"]["0"]
        self.assertEqual(of_loop["calls"], {slot: calls})

    def test_output_directory_and_name(self):
        folder = scratch_folder()
        build([*compiler("constant.c"), PROGRAMS / "constant.c", "-o", folder / "constant"], folder)
        message = build([folder / "constant"], folder, VFTR_OUTPUT_DIRECTORY=str(folder / "new" / "one"),
                        VFTR_OUTFILE_BASENAME="run").stderr
        self.assertEqual(json.loads((folder / "new" / "one" / "run.parameters.json").read_text())["unused_parameters"], ["n"])
        self.assertIn("new/one/run.parameters.json", message)


# Each ends in a loop that runs as often as its text says, which is the parameter.
CONVERSIONS = {
    "atoi": "atoi(text)", "atol": "atol(text)", "atoll": "atoll(text)", "atof": "atof(text)",
    "strtol": "strtol(text, nullptr, 10)", "strtoul": "strtoul(text, nullptr, 10)",
    "strtoll": "strtoll(text, nullptr, 0)", "strtoull": "strtoull(text, nullptr, 0)",
    "strtod": "strtod(text, nullptr)", "strtof": "strtof(text, nullptr)", "strtold": "strtold(text, nullptr)",
    "strtoimax": "strtoimax(text, nullptr, 10)",
    "sscanf": "({ int a = 0; sscanf(text, \"%d\", &a); a; })",
    "sscanf_real": "({ double a = 0; sscanf(text, \"%lf\", &a); a; })",
    "stoi": "std::stoi(text)", "stol": "std::stol(text)", "stoul": "std::stoul(text)", "stoll": "std::stoll(text)",
    "stod": "std::stod(text)", "stof": "std::stof(text)",
    "stream_int": "from_stream<int>(text)", "stream_long": "from_stream<long>(text)",
    "stream_unsigned": "from_stream<unsigned>(text)", "stream_double": "from_stream<double>(text)",
    "stream_written": "({ std::stringstream s; s << text; int a; s >> a; a; })",
    "stream_word": "({ std::istringstream s(std::string(\"a \") + text); std::string w; s >> w >> w; std::stoi(w); })",
    "stream_line": "({ std::istringstream s(std::string(\"a\\n\") + text); std::string w;"
                   " std::getline(s, w); std::getline(s, w); std::stoi(w); })",
    "getenv": "({ setenv(\"OF_TEST\", text, 1); atoi(getenv(\"OF_TEST\")); })",
}


class ConversionTest(TaintTest):
    def test_conversions_keep_labels(self):
        lines = ["#include <cinttypes>", "#include <cstdio>", "#include <cstdlib>", "#include <cstring>",
                 "#include <iostream>", "#include <sstream>", "#include <string>", "#include <parameter.h>",
                 "static void loop(long n) { for (long i = 0; i < n; ++i) work(); }",
                 "template <typename T> static T from_stream(const char* text)"
                 " { std::istringstream stream(text); T value{}; stream >> value; return value; }"]
        lines += [f"static void by_{name}(const char* text) {{ loop((long)({expression})); }}"
                  for name, expression in CONVERSIONS.items()]
        lines += ["static void by_cin() { int value = 0; std::cin >> value; loop(value); }",  # this result has no label
                  "int main(int, char** argv) {", *(f"  by_{name}(argv[1]);" for name in CONVERSIONS), "  by_cin(); }"]
        folder = scratch_folder()
        (folder / "conversions.cpp").write_text("\n".join(lines))
        for standard in ("-std=c++14", "-std=c++20"):
            build([COMPILERS / "vftrace-taint-c++", standard, "-I", PROGRAMS, "conversions.cpp", "-o", "conversions"], folder)
            result, _ = self.run_analysis(folder / "conversions", 12, VFTR_PARAMETERS="n=argv[1],other=1000")
            found = {stack.split(">")[-1] for text in profiles(result)["loop"] for stack in text.split(" <- ")[1].split()}
            self.assertEqual(found, {"by_" + name for name in CONVERSIONS})
            self.assertEqual(result["parameters"], ["n"])
            self.assertEqual(result["opaque_calls"], [])

    def test_missing_arguments_of_main(self):
        _, message = self.analyse("constant.c", VFTR_PARAMETERS="x=argv[7],y=17,z=argv[0]x")
        self.assertIn("parameter x is left out: the program does not have an argument argv[7]", message)
        self.assertNotIn("parameter y", message)


class LibraryTest(TaintTest):
    """Libraries that are built with the wrapper, and code that is built without it."""

    def expect_libraries(self, folder, *libraries):
        build([*compiler("x.cpp"), PROGRAMS / "libraries.cpp", *libraries, "-o", "libraries", "-Wl,-rpath,$ORIGIN"], folder)
        result, _ = self.run_analysis(folder / "libraries")
        self.assertEqual(profiles(result), {"inside": {"0[n] <- main>library_loop"},
                                            "callback": {"0[m] <- main>library_calls_back"}})
        self.assertEqual(result["opaque_calls"], [
            {"function": "opaque_square", "calls": 1, "params": ["n"]},
            {"function": "opaque_calls_back", "calls": 1, "params": ["m"]}])
        # What is called there may do any work.
        self.assertEqual([result["functions_names"][index] for index in result["unknown_functions"]],
                         ["main", "lost"])

    def test_static(self):
        folder = scratch_folder()
        build(["gcc", "-c", PROGRAMS / "opaque.c"], folder)
        build([*compiler("x.c"), "-c", PROGRAMS / "library.c"], folder)
        build(["ar", "rcs", "liblibrary.a", "library.o"], folder)
        self.expect_libraries(folder, "liblibrary.a", "opaque.o")

    def test_shared(self):
        folder = scratch_folder()
        build(["gcc", "-shared", "-fPIC", PROGRAMS / "opaque.c", "-o", "libopaque.so"], folder)
        build([*compiler("x.c"), "-shared", "-fPIC", PROGRAMS / "library.c", "-o", "liblibrary.so"], folder)
        self.expect_libraries(folder, "-L.", "-llibrary", "-lopaque")

    def test_main_program_without_the_wrapper(self):
        folder = scratch_folder()
        (folder / "main.c").write_text("void library_loop(int n); int main(void) { library_loop(3); return 0; }")
        build(["gcc", "-c", "main.c"], folder)
        build([*compiler("x.c"), "main.o", PROGRAMS / "library.c", "-o", "mixed"], folder)
        result, _ = self.run_analysis(folder / "mixed")
        self.assertEqual(result["functions"], {})

    def test_undefined_functions_are_reported_by_name(self):
        folder = scratch_folder()
        (folder / "main.c").write_text("void nowhere(int); int main(void) { nowhere(1); return 0; }")
        process = subprocess.run([COMPILERS / "vftrace-taint-cc", "main.c"], cwd=folder, capture_output=True, text=True)
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("undefined reference to `nowhere'", process.stderr)
        self.assertNotIn("dfsan", process.stderr)

    def test_vftrace_s_own_functions_and_library(self):
        folder = scratch_folder()
        (folder / "main.c").write_text("#include <vftrace.h>\n#include <stdlib.h>\n"
                                       "int main(void) { vftrace_region_begin(\"a\"); free(vftrace_get_stack());"
                                       " vftrace_pause(); vftrace_resume(); vftrace_region_end(\"a\"); return 0; }")
        build([*compiler("x.c"), "-finstrument-functions", "main.c", "-o", "main", f"-L{BUILD / '.libs'}", "-lvftrace"], folder)
        result, _ = self.run_analysis(folder / "main")
        self.assertEqual(result["functions_names"], ["main", "free"])


    def test_plugins(self):
        folder = scratch_folder()
        build([*compiler("x.c"), "-shared", "-fPIC", PROGRAMS / "library.c", "-o", "plugin.so"], folder)
        (folder / "host.c").write_text(
            "#include <dlfcn.h>\n#include <math.h>\n#include <parameter.h>\nint main(void) { int n = 3; PARAMETER(n);"
            " void* plugin = dlopen(\"./plugin.so\", RTLD_NOW); if (!plugin) return 1;"
            " ((void (*)(int))dlsym(plugin, \"library_loop\"))(n); dlclose(plugin);"
            " return ((double (*)(double))dlsym(RTLD_DEFAULT, \"floor\"))(1.5) != 1; }")
        build([*compiler("x.c"), "-I", PROGRAMS, "host.c", "-o", "host", "-Wl,--no-as-needed", "-lm"], folder)
        result, _ = self.run_analysis(folder / "host")
        self.assertEqual(profiles(result), {"inside": {"0[n] <- main>library_loop"}})

    def test_static_functions_of_the_same_name(self):
        folder = scratch_folder()
        code = ('#include "parameter.h"\nstatic void same(int n) {{ for (int i = 0; i < n; ++i) work(); }}\n'
                "void {0}(int n) {{ same(n + {1}); }}\n")
        for number, name in enumerate(("one", "two")):
            (folder / f"{name}.c").write_text(code.format(name, number))
        (folder / "main.c").write_text('#include "parameter.h"\nvoid one(int); void two(int);\n'
                                       "int main(void) { int n = 2, m = 3; PARAMETER(n); PARAMETER(m); one(n); two(m); }")
        build([*compiler("x.c"), "-I", PROGRAMS, "one.c", "two.c", "main.c", "-o", "main"], folder)
        result, _ = self.run_analysis(folder / "main")
        self.assertEqual(profiles(result), {"same": {"0[n] <- main>one", "0[m] <- main>two"}})
        self.assertEqual(sorted(result["functions"]), ["same", f"same@{folder.resolve()}/two.c"])


class EndTest(TaintTest):
    def test_every_end_writes_the_result(self):
        folder = scratch_folder()
        build([*compiler("x.cpp"), PROGRAMS / "ends.cpp", "-o", "ends"], folder)
        for how, status, complete in (("return", 0, True), ("exit", 3, True), ("quick_exit", 3, True), ("_exit", 3, True),
                                      ("abort", -6, False), ("throw", -6, False), ("kill", -15, False), ("fork", 0, True)):
            with self.subTest(how):
                (folder / "ends.parameters.json").unlink(missing_ok=True)
                result, message = self.run_analysis(folder / "ends", how, status=status)
                self.assertEqual(profiles(result), {"finish": {"0[n] <- main"}})
                self.assertEqual(result["complete"], complete)
                self.assertEqual(message.count("vftrace:"), 1)


class ParameterTest(TaintTest):
    def test_more_than_eight(self):
        first = {"both": {"0[a] <- main", "0[b,c] <- main", "0[b] <- main"}, "one": {"0[d] <- main"}}
        rest = {"both": {"0[i] <- main", "0[j] <- main"}, "one": {"0[j] <- main"}}
        both = {"both": {"0[a,i] <- main", "0[b,c] <- main", "0[b,j] <- main"}, "one": {"0[d] <- main", "0[j] <- main"}}
        folder = scratch_folder()
        build([*compiler("x.c"), PROGRAMS / "nine.c", "-o", "nine"], folder)
        result, message = self.run_analysis(folder / "nine")
        self.assertEqual((profiles(result), result["more_parameters"]), (first, ["i", "j"]))
        self.assertEqual(result["unused_parameters"], ["e", "f", "g", "h"])
        self.assertIn("parameter i needs another run: there are 8 labels", message)
        result, _ = self.run_analysis(folder / "nine", VFTR_TAINT_SKIP="8")
        self.assertEqual((profiles(result), result["parameters"], result["more_parameters"]), (rest, ["i", "j"], []))
        result, message = self.run_analysis(folder / "nine", VFTR_TAINT_SKIP="many")
        self.assertIn("VFTR_TAINT_SKIP must be a number below 63: many is ignored", message)
        for expected, more in ((first, ["i", "j"]), (both, [])):
            result, _ = self.run_analysis(folder / "nine", VFTR_TAINT_HISTORY="history")
            self.assertEqual((profiles(result), result["more_parameters"]), (expected, more))
            self.assertTrue(result["history_matches"])
        self.assertEqual(result["parameters"], list("abcdefghij"))

    def test_history_of_another_program(self):
        folder = scratch_folder()
        build([*compiler("x.c"), PROGRAMS / "nine.c", "-o", "nine"], folder)
        build([*compiler("x.c"), PROGRAMS / "nested.c", "-o", "nested"], folder)
        self.run_analysis(folder / "nested", VFTR_TAINT_HISTORY="history")
        result, message = self.run_analysis(folder / "nine", VFTR_TAINT_HISTORY="history")
        self.assertFalse(result["history_matches"])
        self.assertIn("did not do the same as in the previous run", message)
        (folder / "history").write_text("rubbish")
        _, message = self.run_analysis(folder / "nine", VFTR_TAINT_HISTORY="history")
        self.assertIn("is not a history", message)

    def test_what_cannot_be_marked(self):
        result, message = self.analyse("bad.c")
        self.assertEqual(profiles(result), {"loop": {"0[n] <- main>registers_local"}})
        self.assertEqual(result["unused_parameters"], ["unused", "assigned"])
        for name in ("null", "freed", "empty", "wild"):
            self.assertIn(f"parameter {name} is left out: ", message)
        self.assertIn("a parameter without a name is left out", message)

    def test_names_of_perf_taint(self):
        header = SOURCE / "include" / "vftrace" / "perf_taint"
        folder = scratch_folder()
        (folder / "program.cpp").write_text(
            "#include <perf-taint/PerfTaint.hpp>\n#include <cstdlib>\nlong f(int n) { long sum = 0;"
            " for (int i = 0; i < n; ++i) sum ^= sum + i; return sum; }\nint main(int, char** argv) {"
            " int x EXTRAP = std::atoi(argv[1]); perf_taint::register_variable(&x, VARIABLE_NAME(x)); return f(x) == 0; }")
        build([*compiler("x.cpp"), "-I", header, "program.cpp", "-o", "program"], folder)
        result, _ = self.run_analysis(folder / "program", 5)
        self.assertEqual(profiles(result), {"f": {"0[x] <- main"}})
        self.assertEqual(result["functions_names"], ["f", "main", "atoi"])


    def test_more_names_of_perf_taint(self):
        """In C++ and C: several variables, whether they have labels, and to delete these."""
        cpp = """
#include <perf-taint/PerfTaint.hpp>
#include <cstdio>
#include <cstdlib>
long f(int n) { long sum = 0; for (int i = 0; i < n; ++i) sum ^= sum + i; return sum; }
int main(int, char** argv) {
    int x EXTRAP = std::atoi(argv[1]), y EXTRAP = x, z = 4;
    perf_taint::register_variables(&x, VARIABLE_NAME(x), &y, VARIABLE_NAME(y));
    int both = x + y;
    std::printf("%d%d%d%d", perf_taint::has_label(&z), perf_taint::has_label(&both), perf_taint::has_label(&both, "y"),
                perf_taint::has_label(&x, "y"));
    perf_taint::delete_label(&both, "y");
    std::printf("%d%d", perf_taint::has_label(&both, "y"), perf_taint::has_label(&both, "x"));
    perf_taint::delete_labels(&y);
    return f(both) + f(y) == 0;
}
"""
        c = """
#include <perf-taint/PerfTaint.h>
#include <stdio.h>
#include <stdlib.h>
long f(int n) { long sum = 0; for (int i = 0; i < n; ++i) sum ^= sum + i; return sum; }
int main(int argc, char** argv) {
    int x EXTRAP = atoi(argv[1]), y EXTRAP = x, z = 4;
    perf_taint_register_variable(&x, VARIABLE_NAME(x));
    perf_taint_register_variable(&y, VARIABLE_NAME(y));
    int both = x + y;
    printf("%d%d%d%d", perf_taint_has_label(&z, 0), perf_taint_has_label(&both, 0), perf_taint_has_label(&both, "y"),
           perf_taint_has_label(&x, "y"));
    perf_taint_delete_label(&both, "y");
    printf("%d%d", perf_taint_has_label(&both, "y"), perf_taint_has_label(&both, "x"));
    perf_taint_delete_labels(&y);
    return f(both) + f(y) == 0;
}
"""
        for name, text in (("program.cpp", cpp), ("program.c", c)):
            with self.subTest(name=name):
                folder = scratch_folder()
                (folder / name).write_text(text)
                build([*compiler(name), "-I", SOURCE / "include" / "vftrace" / "perf_taint", name, "-o", "program"], folder)
                result, _ = self.run_analysis(folder / "program", 5)
                self.assertEqual(self.printed, "011001")
                self.assertEqual(profiles(result), {"f": {"0[x] <- main"}})


class MpiRanksTest(TaintTest):
    def test_collective_functions(self):
        """Their results depend on what the process contributes."""
        OPEN_MPI.need("mpicc", "mpirun")
        folder = scratch_folder()
        build([COMPILERS / "vftrace-taint-mpicc", PROGRAMS / "collectives.c", "-o", "collectives"], folder,
              VFTRACE_MPICC=OPEN_MPI.command("mpicc"))
        build([*OPEN_MPI.launch(2), "./collectives"], folder, **OPEN_MPI.environment)
        expected = {"over_largest": {"0[n] <- main"}, "over_gathered": {"0[n] <- main"}}
        for rank in (0, 1):
            result = json.loads((folder / f"collectives_{rank}.parameters.json").read_text())
            found = {name: texts for name, texts in profiles(result).items() if name.startswith("over_")}
            self.assertEqual(found, expected | ({"over_sum": {"0[n] <- main"}} if rank == 1 else {}))
            unknown = {result["functions_names"][index] for index in result["unknown_functions"]}
            self.assertIn("over_constant", unknown)

    def expect_ranks(self, mpi):
        mpi.need("mpicc", "mpirun")
        folder = scratch_folder()
        build([COMPILERS / "vftrace-taint-mpicc", PROGRAMS / "ranks.c", "-o", "ranks"], folder,
              VFTRACE_MPICC=mpi.command("mpicc"))
        build([*mpi.launch(2), "./ranks"], folder, **mpi.environment)
        for rank in (0, 1):
            result = json.loads((folder / f"ranks_{rank}.parameters.json").read_text())
            self.assertEqual((result["rank"], result["ranks"], result["parameters"]), (rank, 2, ["n", "p"]))
            self.assertEqual(profiles(result), {
                "main": {"0[n] <- "},  # calloc
                "share": {"0[n,p] <- main"}, "over_ranks": {"0[p] <- main"}, "MPI_Allreduce": {"0[p] <- main"},
                "MPI_Bcast": {"0[n,p] <- main"}, "MPI_Barrier": {"0[p] <- main"}})
            self.assertEqual(result["opaque_calls"], [])

    def test_open_mpi(self):
        self.expect_ranks(OPEN_MPI)

    def test_mpich(self):
        self.expect_ranks(MPICH)


class CompilerTest(TaintTest):
    def test_cmake(self):
        need("cmake")
        folder = scratch_folder()
        (folder / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.18)\nproject(P C CXX)\nset(CMAKE_CXX_STANDARD 20)\ninclude(CheckFunctionExists)\n"
            "check_function_exists(strdup HAVE_STRDUP)\ncheck_function_exists(no_such_function HAVE_NO_SUCH)\n"
            "if(NOT HAVE_STRDUP OR HAVE_NO_SUCH)\nmessage(FATAL_ERROR wrong)\nendif()\nfind_package(Threads REQUIRED)\n"
            f"add_library(l SHARED {PROGRAMS / 'library.c'})\nadd_library(o STATIC {PROGRAMS / 'opaque.c'})\n"
            f"add_executable(libraries {PROGRAMS / 'libraries.cpp'})\ntarget_link_libraries(libraries l o Threads::Threads)\n")
        build(["cmake", "-S", ".", "-B", "b", "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_C_COMPILER={COMPILERS}/vftrace-taint-cc",
               f"-DCMAKE_CXX_COMPILER={COMPILERS}/vftrace-taint-c++"], folder)
        build(["cmake", "--build", "b"], folder)
        result, _ = self.run_analysis(folder / "b" / "libraries")
        self.assertEqual(profiles(result)["inside"], {"0[n] <- main>library_loop"})

    def test_autoconf(self):
        need("autoconf")
        folder = scratch_folder()
        (folder / "configure.ac").write_text(
            "AC_INIT([p], [1])\nAC_PROG_CC\nAC_CHECK_FUNCS([strdup no_such_function])\nAC_CHECK_LIB([m], [cos])\n"
            "AC_CHECK_HEADERS([stdint.h])\nAC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n")
        (folder / "Makefile.in").write_text(f"nested: {PROGRAMS / 'nested.c'}\n\t@CC@ @DEFS@ @CFLAGS@ -o $@ $< @LIBS@\n")
        build(["autoconf"], folder)
        build(["./configure", f"CC={COMPILERS}/vftrace-taint-cc"], folder)
        makefile = (folder / "Makefile").read_text()
        self.assertIn("-DHAVE_STRDUP=1", makefile)
        self.assertNotIn("NO_SUCH", makefile)
        build(["make"], folder)
        result, _ = self.run_analysis(folder / "nested")
        self.assertEqual(profiles(result), {"nest": set(EXPECTED["nested.c"]["nest"])})

    def test_command_lines(self):
        folder = scratch_folder()
        source = PROGRAMS / "nested.c"
        c = COMPILERS / "vftrace-taint-cc"
        self.assertIn("clang version", build([c, "--version"], folder).stdout)
        self.assertIn("nest(", build([c, "-E", source], folder).stdout)
        self.assertIn("parameter.h", build([c, "-MM", source], folder).stdout)
        build([c, "-O3", "-D_FORTIFY_SOURCE=2", "-MMD", "-MF", "n.d", "-c", source, "-o", "n.o"], folder)
        self.assertTrue((folder / "n.d").exists())
        shown = build([c, "--vftrace-verbose", "-O3", "n.o", "-o", "n"], folder).stderr
        self.assertIn("-fsanitize=dataflow", shown)
        self.assertNotIn("-O3", shown)
        for wrong, words in ((["-static", source], "leave out -static"), (["--vftrace-nothing", source], "unknown option")):
            process = subprocess.run([c, *wrong], cwd=folder, capture_output=True, text=True)
            self.assertEqual(process.returncode, 2)
            self.assertIn(words, process.stderr)

    def test_without_clang(self):
        folder = scratch_folder()
        script = (COMPILERS / "vftrace-taint-cc").read_text()
        for directory, words in (("/nowhere", "no clang 19: apt install clang-19 libclang-rt-19-dev llvm-19-dev"),
                                 ("", "built without the analysis of parameters: no clang 19: apt install clang-19")):
            copy = folder / "vftrace-taint-cc"
            copy.write_text(re.sub(r'(?m)^clang_dir=.*$', f'clang_dir="{directory}"', script))
            copy.chmod(0o755)
            for file in ("libvftrace_taint.a", "taint.abilist"):
                shutil.copy(COMPILERS / file, folder)
            (folder.parent / "Makefile").write_text(f"abs_top_srcdir = {SOURCE}\n")
            process = subprocess.run([copy, "x.c"], cwd=folder, capture_output=True, text=True)
            self.assertEqual(process.returncode, 2)
            self.assertIn(words, process.stderr)


class ExampleTest(TaintTest):
    def test_shallow_water(self):
        need("make")
        folder = scratch_folder()
        shutil.copytree(SOURCE / "examples" / "shallow_water", folder / "example")
        build(["make", "-s", "KERNEL=cpp", f"CXX={COMPILERS / 'vftrace-taint-c++'}"], folder / "example")
        result, _ = self.run_analysis(folder / "example" / "shallow_water", "--nx", 20, "--ny", 10, "--steps", 3,
                                      VFTR_PARAMETERS="nx=argv[2],ny=argv[4],steps=argv[6]")
        self.assertIn("mass conserved", self.printed)
        found = profiles(result)
        self.assertEqual(found["simulate"], {"0[steps]?1[steps] <- main"})
        self.assertEqual(found["sw_sweep_x"], {"0[ny](0[nx]) <- main>simulate>step>advance"})
        self.assertEqual(found["sw_sweep_y"], {"0[ny](0[nx]) <- main>simulate>step>advance"})
        self.assertEqual(result["opaque_calls"], [])


if __name__ == "__main__":
    unittest.main()
