"""filter.include, filter.exclude and vftrace filter: what is left out, and the lists for other
tools."""
import json
import platform
import re
import shutil
import sys
import unittest

from command_support import CommandTest, command
from support import HERE, ProgramTest, compile_program, instructions_of, run, scratch_folder

sys.path.append(str(HERE / "bench"))
from many_functions import build_program  # noqa: E402

FLAGS = ("-O1", "-g", "-std=c++20", "-pthread", "-fno-inline")
EVERY_CALL = {"VFTR_TIMING": "exact", "VFTR_OVERHEAD_BUDGET": "0"}


def program(*flags, output=None):
    return compile_program("filtered_functions.cpp", (*FLAGS, *flags), output=output)


class Cost(unittest.TestCase):
    def setUp(self):
        if platform.machine() != "x86_64":
            self.skipTest("hooks are overwritten on x86-64 only")

    def test_removal_costs_the_same_for_each_of_many_functions(self):
        """Each removal once searched the list of all earlier ones."""
        counts = [instructions_of(build_program(scratch_folder(), functions), 1,
                                  VFTR_FILTER_EXCLUDE=".") for functions in (20, 3000, 6000)]
        self.assertLess(counts[2] - counts[1], 1.2 * (counts[1] - counts[0]))

    def test_all_are_removed_at_once_at_start(self):
        """Removal at run time once took about 20 us per call of a hook: system calls, and passes over the body."""
        program = build_program(scratch_folder(), 3000)
        counts = [instructions_of(program, calls, VFTR_FILTER_EXCLUDE=".") for calls in (1, 3000)]
        self.assertLess(counts[1] - counts[0], 3000 * 500)  # the program's own
        many, few = (instructions_of(program, 1, VFTR_FILTER_EXCLUDE=pattern)
                     for pattern in (".", "^main$"))
        self.assertLess(many - few, 6000 * 5000)  # for all calls of hooks; one by one took 10 times that


class Filters(ProgramTest):
    def recorded(self, count="1000", **options):
        """({functions with paths}, {filtered functions}) of the program's own, by short name."""
        result = self.profile([program(), count], **EVERY_CALL, **options)
        if not result.files():
            self.check_records(program())
            return set(), set()  # nothing was recorded
        profile = result.profile()
        names = [function["display"] for function in profile["functions"]]
        known = ("main", "solve", "mesh::sweep", "mesh::Field::at", "mesh::Field::at_edge",
                 "mesh::mixed<int,long>")
        return ({names[node["function"]] for node in profile["nodes"]} & set(known),
                {names[row["function"]] for row in profile.get("filtered", [])} & set(known))

    def check_records(self, hooked):
        """Without a filter the program's functions are recorded: that nothing else is recorded is due to the filter."""
        shown = {path.partition("<")[0] for path in self.profile([hooked, "1000"], **EVERY_CALL).calls()}
        self.assertLessEqual({"main", "solve"}, shown)

    ALL = {"main", "solve", "mesh::sweep", "mesh::Field::at", "mesh::Field::at_edge",
           "mesh::mixed<int,long>"}

    def test_without_filter_all_is_recorded(self):
        self.assertEqual(self.recorded(), (self.ALL, set()))

    def test_exclude(self):
        small = {"mesh::Field::at", "mesh::Field::at_edge"}
        self.assertEqual(self.recorded(VFTR_FILTER_EXCLUDE="Field::at"), (self.ALL - small, small))
        self.assertEqual(self.recorded(VFTR_FILTER_EXCLUDE="^_ZNK4mesh5Field2atEl$"),
                         (self.ALL - {"mesh::Field::at"}, {"mesh::Field::at"}))
        self.assertEqual(self.recorded(VFTR_FILTER_EXCLUDE="^solve$"),
                         (self.ALL - {"solve"}, {"solve"}))

    def test_include(self):
        kept = {"main", "mesh::sweep"}
        self.assertEqual(self.recorded(VFTR_FILTER_INCLUDE="^main$|sweep"), (kept, self.ALL - kept))
        # exclude takes precedence over include.
        self.assertEqual(self.recorded(VFTR_FILTER_INCLUDE="^main$|sweep", VFTR_FILTER_EXCLUDE="sweep"),
                         ({"main"}, self.ALL - {"main"}))

    def test_all_can_be_excluded(self):
        self.assertEqual(self.recorded(VFTR_FILTER_EXCLUDE=".")[0], set())

    def test_every_kind_of_hook_is_removed_at_start(self):
        """Removed before the program runs, when calls through linkage tables are not bound yet."""
        kinds = {"g++": ((), ("-O0",), ("-O3", "-fno-plt"), ("-no-pie",), ("-fcf-protection=full",),
                         ("-Wl,-z,now",), ("-Wl,-z,lazy",)),
                 "clang++": ((), ("-O0",), ("-O3", "-fno-plt"))}
        for compiler, flags in ((compiler, flags) for compiler in kinds for flags in kinds[compiler]
                                if shutil.which(compiler)):
            with self.subTest(compiler=compiler, flags=flags):
                hooked = compile_program("filtered_functions.cpp", (*FLAGS, *flags), compiler=compiler)
                # It prints and returns the same as alone.
                result = self.profile([hooked, "1000"], VFTR_FILTER_EXCLUDE=f"/{hooked.name}$",
                                      **EVERY_CALL)
                # Calls that the compiler has merged are removed when they are made.
                recorded = set(result.calls()) if result.files() else set()
                self.assertEqual({path for path in recorded if "main" in path}, set())
                self.check_records(hooked)

    def test_source_file_and_module(self):
        self.assertEqual(self.recorded(VFTR_FILTER_EXCLUDE=r"programs/filtered_functions\.cpp$")[0], set())
        self.assertEqual(self.recorded(VFTR_FILTER_EXCLUDE=f"/{re.escape(program().name)}$")[0], set())

    def test_calls_of_other_functions_are_the_same(self):
        alone = self.profile([program()], **EVERY_CALL).calls()
        filtered = self.profile([program()], VFTR_FILTER_EXCLUDE="::sweep", **EVERY_CALL).calls()
        at = [path for path in alone if path.startswith("mesh::Field::at<")]
        self.assertEqual(sum(filtered[path.replace("mesh::sweep<", "")] for path in at),
                         sum(alone[path] for path in at))

    def test_hooks_are_removed(self):
        """The second call of a function is made without hooks, so no call is counted."""
        result = self.profile([program(), "1000000"], VFTR_FILTER_EXCLUDE="Field::at", **EVERY_CALL)
        for row in result.profile()["filtered"]:
            self.assertEqual(row["reason"], "excluded")
            self.assertLess(row["calls"], 1000)

    def test_pattern_that_matches_nothing_is_reported(self):
        for option in ("filter.exclude", "filter.include"):
            variable = "VFTR_" + option.upper().replace(".", "_")
            result = run([program(), "1000"], **{variable: "^slove$"})
            self.assertEqual((result.status, result.stderr), (
                0, f'vftrace: {option}: "^slove$" does not match any function of {program().name} or its '
                "libraries\n"))
            # Only the first rank of a job prints the message, and shells do not print it.
            self.assertEqual(run([program(), "1000"], PMI_RANK=1, **{variable: "^slove$"}).stderr, "")
            self.assertEqual(run(["true"], **{variable: "^slove$"}).stderr, "")
            self.assertEqual(run([program(), "1000"], **{variable: "^solve$"}).stderr, "")
        result = run([program(), "1000"], VFTR_SAMPLING_ACTIVE="yes",
                     VFTR_SAMPLING_PRECISE_FUNCTIONS="^slove$")
        self.assertIn('sampling.precise_functions: "^slove$" does not match any function', result.stderr)

    def test_wrong_expression_is_reported(self):
        result = run([program()], VFTR_FILTER_EXCLUDE="(")
        self.assertEqual(result.status, 0)
        self.assertIn('Invalid Regular Expression "("', result.stderr)


class FilterCommand(CommandTest):
    """`mesh::Field::at` and similar functions are worthless in this run."""

    def setUp(self):
        super().setUp()
        self.result = run([program(), "300000"], **EVERY_CALL)
        self.json = next(path for path in self.result.folder.iterdir() if path.name.endswith(".json"))
        self.folder = scratch_folder()

    def filter(self, *options):
        # On a busy machine short functions look long, so the cost of their hooks seems a small share.
        result = command("filter", self.json, "--share", "0.005", *options)
        self.assertEqual(result.status, 0, result.stderr)
        return result

    def test_table(self):
        printed = self.filter()
        self.assertEqual(printed.stderr, "")
        self.assertRegex(printed.stdout, r"\| +600000 \|.*mesh::Field::at\b")
        self.assertNotRegex(printed.stdout, r"\bmain\b|\[thread\]")

    def test_all_functions_are_worth_measuring(self):
        printed = self.filter("--min-calls", "1000000")
        self.assertEqual(printed.stdout, "")
        self.assertIn("all functions are worth measuring", printed.stderr)

    def test_own_filter(self):
        pattern = self.filter("--format", "vftrace").stdout
        self.assertRegex(pattern, r"\A\^\(.*_ZNK4mesh5Field2atEl.*\)\$\n\Z")
        again = run([program(), "300000"], VFTR_FILTER_EXCLUDE=pattern.strip(), **EVERY_CALL)
        shown = {path.partition("<")[0] for path in again.calls()}
        self.assertIn("main", shown)
        self.assertNotIn("mesh::Field::at", shown)
        config = json.loads(self.filter("--format", "json").stdout)
        self.assertEqual(config["filter"]["exclude"], pattern.strip())

    def test_gcc(self):
        options = self.folder / "small.filter"
        reported = self.filter("--format", "gcc", "-o", options)
        self.assertEqual(reported.stdout, "")
        built = program(f"@{options}", output=self.folder / "filtered")
        before, paths = self.result.calls(), run([built, "1000"], **EVERY_CALL).calls()
        self.assertIn("main", {path.partition("<")[0] for path in paths})
        for name in ("mesh::Field::at<", "mesh::mixed<int,long>", "mesh::element<std::vector<long>>"):
            self.assertTrue(any(path.startswith(name) for path in before), name)
            self.assertFalse([path for path in paths if path.startswith(name)])

    def test_scorep(self):
        lines = self.filter("--format", "scorep").stdout.splitlines()
        self.assertEqual((lines[0], lines[-1]), ("SCOREP_REGION_NAMES_BEGIN", "SCOREP_REGION_NAMES_END"))
        self.assertIn("    _ZNK4mesh5Field2atEl", lines)

    def test_errors(self):
        self.fails("filter", self.folder / "none.json", message="none.json")
        self.fails("filter", self.json, "--format", "clang", message="clang")
        self.fails("filter", self.json, "-o", self.folder / "no" / "where", message="No such file")
        self.fails("filter", self.json, "--share", "-1", message="share")
        damaged = self.folder / "damaged.json"
        damaged.write_text(self.json.read_text()[:1000])
        self.fails("filter", damaged, message="damaged.json")
