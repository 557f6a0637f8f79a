"""What the tests of threads, child processes, jumps and fibers share: a program built in several
ways, profiles of several processes in one folder, and times that must add up."""
import json
import re
import shutil

from support import BUILD, LINK_LIBRARY, PROGRAMS, ProgramTest, Result, compile_program

LINK_ARCHIVE = (BUILD / "libvftrace.a", "-lelf", "-lm")
# Also functions that C headers define inline, and those that the compiler generates for thread-local objects.
STANDARD_LIBRARY = re.compile(r"_Z+(NK?)*(St|S[absiod]|9__gnu_cxx|9once_flag)|_Zn[wa]m|_Zd[la]Pv|"
                              r"_ZT[HW]|__clang|__tls_init|_ZL?[0-9]*__gthread|atoi$")


class SavedProfile(Result):
    """One of the profiles that several processes wrote into a folder."""

    def __init__(self, path):
        self.path = path

    def profile(self):
        return json.loads(self.path.read_text())

    def text(self, suffix="_all.log"):
        base = self.path.name.removesuffix("_all.json")
        return self.path.with_name(base + suffix).read_text()


def saved_profiles(folder):
    """The profiles of a folder by the base of their file names."""
    return {path.name.removesuffix("_all.json"): SavedProfile(path)
            for path in sorted(folder.iterdir()) if path.name.endswith("_all.json")}


def own_calls(result):
    """Call counts without the C++ standard library, because compilers differ in how much of it they instrument.

    The two symbols of a constructor count once: some compilers let one call the other."""
    profile = result.profile()
    functions, nodes = profile["functions"], profile["nodes"]
    paths, calls = [], {}
    for node in nodes:
        function = functions[node["function"]]
        above = "" if node["parent"] is None else paths[node["parent"]]
        foreign = STANDARD_LIBRARY.match(function.get("symbol", "")) is not None
        if "::" in function["display"] and above.split("<")[0] == function["display"]:
            foreign = True
        paths.append(above if foreign else function["display"] + ("<" + above if above else ""))
        if not foreign:
            calls[paths[-1]] = calls.get(paths[-1], 0) + node["calls"]
    return calls


def calls_by_function(calls):
    """Calls of each function, whatever its path."""
    result = {}
    for path, count in calls.items():
        name = path.split("<")[0]
        result[name] = result.get(name, 0) + count
    return result


def caller_pairs(result):
    """All pairs (function, caller) for which a call was counted."""
    profile = result.profile()
    functions, nodes = profile["functions"], profile["nodes"]

    def name(node):
        return functions[node["function"]]["display"]
    return {(name(node), name(nodes[node["parent"]])) for node in nodes[1:] if node["calls"]}


def builds(source, flags=(), compilers=None):
    """The program in all ways of building it: yields (text for subTest, program, how to run it).

    Preloaded with two compilers and two levels of optimisation; linked to the shared library and to
    the archive with the first compiler."""
    suffix = source.rpartition(".")[2]
    if compilers is None:
        compilers = ("gcc", "clang") if suffix == "c" else ("g++", "clang++")
    compilers = [compiler for compiler in compilers if shutil.which(compiler)]
    flags = ("-pthread", *flags)
    for compiler in compilers:
        for level in ("-O0", "-O2"):
            yield f"{compiler} {level}", compile_program(source, (level, *flags), compiler), {}
    linked = {"shared": LINK_LIBRARY}
    if "vftrace.h" not in (PROGRAMS / source).read_text():  # linked to the archive only, not to both
        linked["archive"] = LINK_ARCHIVE
    for kind, libraries in linked.items():
        program = compile_program(source, ("-O1", *flags), compilers[0], link=libraries)
        yield f"{compilers[0]}, {kind} library", program, {"preload": False}


class ThreadTest(ProgramTest):
    def check_calls(self, source, expected, *arguments, flags=(), compilers=None, **options):
        """Builds and runs a program in all ways; its paths and calls must be those expected.

        Returns the results for further checks."""
        results = []
        for text, program, how in builds(source, flags, compilers):
            with self.subTest(build=text, arguments=arguments):
                result = self.profile([program, *arguments], **how, **options)
                self.assertEqual(own_calls(result), expected)
                self.check_times(result)
                results.append(result)
        return results

    def check_times(self, result, fibers=False):
        """No time is negative, none is counted twice, and none is lost.

        fibers: callers are suspended while the code that they switched to runs, so their time may be less."""
        profile = result.profile()
        functions, nodes = profile["functions"], profile["nodes"]
        kinds = [functions[node["function"]]["kind"] for node in nodes]
        below = [0] * len(nodes)
        for node, kind in zip(nodes, kinds):
            self.assertGreaterEqual(node["inclusive_ns"], 0, node)
            self.assertGreaterEqual(node["exclusive_ns"], 0, node)
            if node["parent"] is not None and kind not in ("thread", "pause"):
                below[node["parent"]] += node["inclusive_ns"]
        folded = any("recursion-folded" in node.get("flags", ()) for node in nodes)
        for node, kind, callees in zip(nodes[1:], kinds[1:], below[1:]):
            # Frames with which a child of fork continued in a thread of its parent have no time of their own.
            inherited = node["calls"] == 0 and node["inclusive_ns"] == 0
            if kind == "pause" or folded or fibers or inherited:
                continue
            # In threads that are still running, callees are read a little later than their callers.
            self.assertAlmostEqual(node["inclusive_ns"], node["exclusive_ns"] + callees,
                                   delta=2000 + 0.001 * callees, msg=node)
        threads = profile["run"]["threads"]
        self.assertLessEqual(sum(node["exclusive_ns"] for node, kind in zip(nodes, kinds)
                                 if kind != "pause"),
                             threads * profile["run"]["runtime_ns"] + 2000)
