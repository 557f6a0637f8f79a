"""OpenMP constructs for devices, reported through OMPT: by a program that plays the role of the
library, in known orders; and by LLVM's library, whose device is the processor itself."""
import functools
import os
import pathlib
import platform
import re
import shutil
import subprocess
import unittest

from openmp_support import PROGRAMS, OpenmpTest, plain
from support import COMMAND, HERE, LINK_LIBRARY, compile_program, run, scratch_folder

MAIN = "<main<init"


def device_paths(calls, function):
    """{path below a function of the program: calls}"""
    end = f"<{function}{MAIN}"
    return {path.removesuffix(end): number for path, number in calls.items()
            if path.endswith(end)}


def moved(result):
    """{plain path: {"host_to_device": bytes, ...}}"""
    profile = result.profile()
    names = []
    for node in profile["nodes"]:
        name = profile["functions"][node["function"]]["display"]
        names.append(name if node["parent"] is None else f"{name}<{names[node['parent']]}")
    bytes_of = {}
    for row in profile["offload"]["nodes"]:
        sums = bytes_of.setdefault(plain(names[row["node"]]), {})
        for which in ("host_to_device", "device_to_host", "on_device"):
            if which in row:
                sums[which] = sums.get(which, 0) + row[which]["bytes"]
    return bytes_of


def totals(bytes_of):
    return tuple(sum(sums.get(which, 0) for sums in bytes_of.values())
                 for which in ("host_to_device", "device_to_host", "on_device"))


def devices(result):
    return [(device["number"], device["host"]) for device in result.profile()["offload"]["devices"]
            if device["model"] == "openmp"]


class Player(OpenmpTest):
    """The player's functions by name, with its work in each."""

    def play(self, *arguments, **options):
        program = compile_program(PROGRAMS + "ompt_device_player.c", ("-O1", "-g", "-pthread"),
                                  "gcc")
        options.setdefault("preload", False)
        return self.profile([program, *arguments], **options)

    def check(self, result, function, expected):
        found = device_paths(self.calls(result), function)
        self.assertEqual(found, expected, function)

    def operations(self, construct, calls):
        return {construct: calls, f"leaf<{construct}": calls,
                **{f"omp target {name}<{construct}": calls
                   for name in ("alloc", "to device", "launch", "from device", "free")}}

    def test_beginnings_and_ends(self):
        result = self.play()
        self.assertEqual(result.stdout, "done\n")
        data, update = "omp target data", "omp target update"
        self.check(result, "constructs", {
            **self.operations("omp target", 3), "leaf": 1,
            data: 2, f"omp target alloc<{data}": 1, f"omp target to device<{data}": 1,
            f"omp target free<{data}": 1, update: 1, f"omp target from device<{update}": 1})
        self.check(result, "outside", {
            "omp target alloc": 1, "omp target to device": 2, "omp target from device": 1,
            "omp target free": 1, "leaf": 1})
        self.check(result, "without_waiting", {
            **self.operations("omp target", 1), data: 2, update: 1})

    def test_inconsistent_events(self):
        result = self.play()
        self.check(result, "ends_missing", {
            "omp target to device": 5, "omp target alloc": 5, "omp target": 6,
            "omp target launch<omp target": 5, "omp target from device<omp target": 5,
            "omp target free<omp target": 1, "leaf": 1})
        self.check(result, "begins_missing", {"leaf": 1})
        self.check(result, "oddities", {
            "omp target to device": 1, "omp target update": 1, "omp target alloc": 1,
            "omp target launch": 1, "leaf": 1})
        self.check(result, "other_threads", {
            "omp target": 1, "omp target to device<omp target": 1,
            "leaf<omp target to device<omp target": 1})

    def test_pauses(self):
        result = self.play()
        self.check(result, "pauses", {
            "omp target launch": 1, "omp target update": 1,
            "omp target from device<omp target update": 1,
            "leaf<omp target from device<omp target update": 1,
            "vftrace_pause": 1, "vftrace_pause<omp target from device<omp target update": 1})

    def test_threads(self):
        found = {}
        for path, number in self.calls(self.play()).items():
            path = path.split("<team<")[0]
            found[path] = found.get(path, 0) + number
        for path, number in self.operations("omp target", 4000).items():
            self.assertEqual(found[path], number, path)

    def test_library_that_reports_no_ends(self):
        result = self.play("once")
        self.assertEqual(result.stdout, "done\n")
        self.check(result, "constructs", {
            "omp target": 3, "leaf<omp target": 3, "leaf": 1, "omp target data": 2,
            "omp target update": 1})
        self.check(result, "outside", {
            "omp target alloc": 1, "omp target to device": 2, "omp target from device": 1,
            "omp target free": 1, "leaf": 1})
        self.check(result, "begins_missing", {"leaf": 1})

    # To the devices, from them, allocated there: in constructs(), outside(), without_waiting(),
    # ends_missing(), oddities(), other_threads(), pauses(), and by the threads.
    MOVED = (24400 + 100 + 64 + 50 + 10 + 10 + 0 + 40000, 12300 + 50 + 32 + 50 + 0 + 0 + 7 + 20000,
             24500 + 100 + 64 + 50 + 10 + 0 + 0 + 40000)

    def test_bytes(self):
        result = self.play()
        bytes_of = moved(result)
        self.assertEqual(totals(bytes_of), self.MOVED)
        target = "omp target<constructs<main<init"
        self.assertEqual(bytes_of[f"omp target to device<{target}"], {"host_to_device": 24000})
        self.assertEqual(bytes_of[f"omp target from device<{target}"], {"device_to_host": 12000})
        self.assertEqual(bytes_of[f"omp target alloc<{target}"], {"on_device": 24000})
        self.assertEqual(bytes_of["omp target to device<outside<main<init"],
                         {"host_to_device": 100})
        self.assertEqual(devices(result), [(0, False), (1, False), (2, False), (3, True)])

    def test_bytes_that_are_reported_once(self):
        bytes_of = moved(self.play("once"))
        self.assertEqual(totals(bytes_of), self.MOVED)
        self.assertEqual(bytes_of["omp target<constructs<main<init"],
                         {"host_to_device": 24000, "device_to_host": 12000, "on_device": 24000})
        self.assertEqual(bytes_of["omp target to device<outside<main<init"],
                         {"host_to_device": 100})

    def test_table(self):
        for arguments in ((), ("once",)):
            result = self.play(*arguments)
            self.assertIn("--OpenMP Target Summary--\nRegistered GPUs: 3\n", result.text())
            rows = result.rows("Registered GPUs: 3")
            regions = [row for row in rows if row["Function"] == "constructs"]
            self.assertEqual(sorted((row["Host -> Device [B]"], row["Device -> Host [B]"],
                                     row["On Device [B]"]) for row in regions),
                             [("0", "0", "0"), ("0", "300", "0"), ("24000", "12000", "24000"),
                              ("400", "0", "500")])
            for row in regions:
                self.assertRegex(row["Position"], r"^ompt_device_player.c - \d+$")
            self.assertEqual(totals({i: {"host_to_device": int(row["Host -> Device [B]"]),
                                         "device_to_host": int(row["Device -> Host [B]"]),
                                         "on_device": int(row["On Device [B]"])}
                                     for i, row in enumerate(rows)}), self.MOVED)

    def test_places(self):
        lines = (HERE / "openmp/programs/ompt_device_player.c").read_text().splitlines()
        line = 1 + lines.index("        region(REGION, 0, 0, 8000, code());")
        place = f"@ompt_device_player.c:{line}"
        paths = self.play().calls()
        # The library does not say where a launch belongs.
        for operation in ("alloc", "to device", "launch", "from device", "free"):
            self.assertEqual(3, paths[f"omp target {operation} {place}<omp target {place}"
                                      f"<constructs{MAIN}"], operation)
        self.assertEqual(1, sum(re.fullmatch(r"omp target launch @ompt_device_player.c:\d+<pauses.*",
                                             path) is not None for path in paths))
        self.assertEqual(1, paths[f"omp target launch<oddities{MAIN}"])

    def test_switched_off(self):
        result = self.play(config={"openmp": {"active": False}})
        self.assertFalse([path for path in result.calls() if "omp " in path])


def library_folder():
    return os.environ.get("VFTRACE_TEST_OMPTARGET")


def library_variables():
    return {"LD_LIBRARY_PATH": library_folder()} if library_folder() else {}


def build_for_device(compiler, link=()):
    """The program, and the compiler's errors."""
    folder = library_folder()
    flags = ["-g", "-O1", "-finstrument-functions", "-fopenmp",
             f"-fopenmp-targets={platform.machine()}-pc-linux-gnu"]
    if folder:
        flags += [f"-L{folder}", f"-Wl,-rpath,{folder}",
                  *(f"-I{path}" for path in pathlib.Path(folder).glob("clang/*/include"))]
    program = scratch_folder() / "omp_target"
    built = subprocess.run([*map(str, (compiler, *flags, HERE / "openmp/programs/omp_target.c",
                                       *link, "-o", program))], capture_output=True, text=True)
    return (program, "") if built.returncode == 0 else (None, built.stderr.strip())


@functools.lru_cache(maxsize=None)
def offloading():
    """(compiler for devices, a program that it has built); or why there is none, as text."""
    said = "no clang 17 or newer"
    for compiler in ("clang", *(f"clang-{version}" for version in range(30, 16, -1))):
        if not shutil.which(compiler):
            continue
        version = subprocess.run([compiler, "-dumpversion"], capture_output=True, text=True)
        if int(version.stdout.split(".")[0]) < 17:
            continue  # this version does not report devices to tools
        program, errors = build_for_device(compiler)
        if program:
            alone = run([program], preload=False, VFTR_OFF="yes", **library_variables())
            if alone.stdout.startswith("1 device(s)"):
                return compiler, program
            errors = alone.stderr or "no device"
        said = f"{compiler}: {errors.splitlines()[0]}"
    return said


class RealLibrary(OpenmpTest):
    def setUp(self):
        found = offloading()
        if isinstance(found, str):
            self.skipTest("no OpenMP library for devices (VFTRACE_TEST_OMPTARGET names the folder of "
                          f"one): {found}")
        self.compiler, self.program = found

    def run_on_device(self, command, **options):
        variables = library_variables()
        alone = run(command[-1:], preload=False, VFTR_OFF="yes", **variables)
        result = run(command, **{**variables, **options})
        self.assertEqual((result.status, result.stdout), (alone.status, alone.stdout),
                         result.stderr)
        self.assertEqual(result.stderr, alone.stderr)
        return result

    def calls_on_host(self, result):
        """Without kernels, which this device runs in the program itself."""
        return {path: number for path, number in self.calls(result).items()
                if "<omp target launch<" not in path}

    def check(self, result):
        calls = self.calls_on_host(result)
        data, update, target = "omp target data", "omp target update", "omp target"
        self.assertEqual(device_paths(calls, "structured"), {
            "leaf": 1, data: 2, f"omp target alloc<{data}": 2, f"omp target to device<{data}": 1,
            f"omp target from device<{data}": 1, f"omp target free<{data}": 2, target: 3,
            f"omp target launch<{target}": 3, update: 1, f"omp target from device<{update}": 1})
        self.assertEqual(device_paths(calls, "unstructured"), {
            data: 2, f"omp target alloc<{data}": 1, f"omp target to device<{data}": 1,
            f"omp target from device<{data}": 1, f"omp target free<{data}": 1})
        self.assertEqual(device_paths(calls, "by_hand"), {
            "omp target alloc": 1, "omp target to device": 1, "omp target from device": 1,
            "omp target free": 1})
        region = {f"omp target {name}<{target}": 2
                  for name in ("alloc", "to device", "launch", "from device", "free")}
        tasks = {path.removesuffix("<omp task"): number
                 for path, number in device_paths(calls, "as_tasks").items()}
        self.assertEqual(tasks, {"omp task": 2, target: 2, **region, "omp taskwait": 1})
        team = {path.removesuffix("<omp parallel"): number
                for path, number in device_paths(calls, "in_team").items()}
        self.assertEqual({path: team.get(path) for path in (target, *region)},
                         {target: 2, **region})
        # Nothing is recorded of the library's own team, which executes the tasks.
        self.assertFalse([path for path in calls if path.endswith(("omp parallel<init",
                                                                   "omp implicit barrier<init"))])
        self.assertEqual({host for _, host in devices(result)}, {True})
        self.assertIn("Registered GPUs: 0 (constructs ran on the host)\n", result.text())
        self.assertEqual(totals(moved(result)), (
            8000 + 4000 + 800 + 2 * 4 + 2 * 4, 8000 + 800 + 4000 + 400 + 2 * 4 + 2 * 4,
            16000 + 4000 + 800 + 2 * 4 + 2 * 4))

    def test_preloaded(self):
        self.check(self.run_on_device([self.program]))

    def test_linked(self):
        program, errors = build_for_device(self.compiler, LINK_LIBRARY)
        self.assertTrue(program, errors)
        self.check(self.run_on_device([program], preload=False))

    def test_started_by_the_command(self):
        self.check(self.run_on_device([COMMAND, "run", "--", self.program], preload=False))

    def test_functions_that_contain_the_constructs(self):
        rows = self.run_on_device([self.program]).rows(
            "Registered GPUs: 0 (constructs ran on the host)")
        self.assertEqual({row["Function"] for row in rows},
                         {"structured", "unstructured", "by_hand", "as_tasks", "in_team"})

    def test_library_that_cannot_report_events(self):
        if not library_folder():
            self.skipTest("the library is where the loader looks anyway")
        result = run([self.program])
        self.assertRegex(result.stderr, r"does not find libomp\.so: .*LD_LIBRARY_PATH")
        self.assertFalse([path for path in result.calls() if path.startswith("omp target data")])


if __name__ == "__main__":
    unittest.main()
