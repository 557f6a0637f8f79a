"""vftrace parameters: the results of an analysis of parameters, and their use by vftrace filter and
vftrace model."""
import csv
import io
import json
import subprocess

from command_support import CommandTest, command
from model_runs import write_runs
from support import BUILD, HERE, clean_environment, need_part, scratch_folder

SAMPLES = HERE / "profiles" / "parameters"
STENCIL = SAMPLES / "stencil_0.parameters.json"
EXAMPLE = SAMPLES / "example.parameters.json"


def build(program, folder):
    need_part("HAVE_TAINT")
    subprocess.run([BUILD / "taint" / "vftrace-taint-cc", HERE / "taint" / program, "-o", folder / "program", "-lm"],
                   check=True, env=clean_environment())
    return folder / "program"


class Parameters(CommandTest):
    def setUp(self):
        super().setUp()
        self.folder = scratch_folder()

    def parameters(self, *arguments, stderr="", **options):
        result = command("parameters", *arguments, **options)
        self.assertEqual((result.status, result.stderr), (0, stderr), result.stdout)
        return result.stdout

    def table(self, table, *files):
        printed = self.parameters("--table", table, "--format", "csv", *files)
        return list(csv.DictReader(io.StringIO(printed)))

    def test_as_sentences(self):
        printed = self.parameters(EXAMPLE)
        self.assertIn("example: 2 parameters: x1 and x2.\n", printed)
        self.assertIn("x1 and x2 act together, so their effects may multiply: for example in f.\n", printed)
        self.assertIn("2 functions, including their callees, do not depend on any parameter.\n", printed)
        printed = self.parameters(STENCIL)
        self.assertIn("Act together, so their effects may multiply: nx * ny * steps * order * p.", printed)
        self.assertIn("| dgemm_   |    12 | nx, ny              |", printed)
        self.assertTrue(all(len(line) < 160 for line in printed.splitlines()))

    def test_tables(self):
        rows = {row["parameter"]: row for row in self.table("parameters", STENCIL)}
        self.assertEqual(rows["order"], {"parameter": "order", "loops": "0", "branches": "1", "functions": "1",
                                         "acts_with": "nx, ny, steps, p"})
        self.assertEqual(rows["nx"]["loops"], "3")
        rows = {row["function"]: row for row in self.table("parameter_functions", STENCIL)}
        self.assertEqual(rows["Grid::sweep"]["own"], "nx * ny * order * p")
        self.assertEqual(rows["run"]["own"], "nx * ny; steps")
        self.assertEqual(rows["run"]["with_callees"], "nx * ny * steps * order * p")
        self.assertEqual(rows["run"]["symbol"], "_Z3runiii")
        loops = self.table("parameter_loops", STENCIL)
        self.assertEqual([(row["place"], row["depends_on"], row["branches"]) for row in loops
                          if row["function"] == "Grid::sweep"],
                         [("stencil.cpp:13", "ny * p", ""), ("stencil.cpp:14", "nx", "order")])
        document = json.loads(self.parameters("--format", "json", STENCIL))
        self.assertEqual([table["id"] for table in document["tables"]],
                         ["parameters", "parameter_functions", "parameter_loops", "parameter_opaque"])

    def test_ranks_are_combined(self):
        other = json.loads(STENCIL.read_text())
        other["rank"] = 1
        other["functions"]["_ZN4Grid5sweepEv"]["loops"][0]["instance"]["0"]["params"] = [["ny"]]
        second = self.folder / "stencil_1.parameters.json"
        second.write_text(json.dumps(other))
        merged = self.folder / "merged.json"
        self.parameters(STENCIL, second, "-o", merged)
        result = json.loads(merged.read_text())
        sweep = result["functions"]["_ZN4Grid5sweepEv"]["loops"]
        self.assertEqual([profile["instance"]["0"]["params"] for profile in sweep], [[["ny", "p"]], [["ny"]]])
        self.assertEqual(len(result["functions"]["MPI_Allreduce"]["loops"]), 1)
        self.assertEqual(result["opaque_calls"], [{"function": "dgemm_", "calls": 24, "params": ["nx", "ny"]}])
        self.assertEqual((result["ranks"], "rank" in result), (2, False))

    def test_compatible(self):
        output = self.folder / "compatible.json"
        self.parameters("--compatible", "-o", output, EXAMPLE)
        written, read = json.loads(output.read_text()), json.loads(EXAMPLE.read_text())
        self.assertEqual(set(written), {"functions_names", "functions_mangled_names", "functions_demangled_names",
                                        "parameters", "functions"})
        loops = read["functions"]["_Z1fiii"]["loops"]
        for profile in loops:
            for loop in profile["instance"].values():
                loop.pop("line")
        self.assertEqual(written["functions"], read["functions"])

    def test_usage_errors(self):
        self.fails("parameters", message="no file given")
        self.fails("parameters", "--run", message="no program given")
        self.fails("parameters", STENCIL, "--", "true", message='a program after "--" needs --run')
        self.fails("parameters", "--run", STENCIL, "--", "true", message="files cannot be used with --run")
        self.fails("parameters", STENCIL, EXAMPLE, message="is an analysis of stencil")
        self.fails("parameters", "--table", "loops", STENCIL, message='does not have a table "loops"; it has parameters, ')
        self.fails("parameters", "--compatible", STENCIL, message="--compatible needs --output")
        self.fails("parameters", "--run", "--", "true", message="true did not write an analysis")
        self.fails("parameters", "--run", "--", "/does/not/exist", message="/does/not/exist: No such file")
        damaged = self.folder / "damaged.json"
        damaged.write_text(STENCIL.read_text()[:900])
        self.fails("parameters", damaged, message=f"{damaged}: ")
        damaged.write_text("{}")
        self.fails("parameters", damaged, message="is not a parameter analysis")
        self.fails("parameters", self.folder, message="Is a directory")

    def test_run_for_more_than_eight(self):
        program = build("nine.c", self.folder)
        result = command("parameters", "--run", "-o", self.folder / "nine.json", "--", program)
        self.assertEqual(result.status, 0, result.stderr)
        self.assertIn(f"vftrace: running {program} again for the parameters i, j\n", result.stderr)
        found = json.loads((self.folder / "nine.json").read_text())
        self.assertEqual((found["parameters"], found["more_parameters"]), (list("abcdefghij"), []))
        self.assertIn("Act together, so their effects may multiply: ", result.stdout)
        self.assertIn("Loops do not depend on e, f, g and h.\n", result.stdout)

    def test_run_ends_as_the_program_does(self):
        need_part("HAVE_TAINT")
        source = self.folder / "seven.c"
        source.write_text("#include <stdio.h>\nint main(void) { puts(\"hello\"); return 7; }\n")
        subprocess.run([BUILD / "taint" / "vftrace-taint-cc", source, "-o", self.folder / "seven"], check=True,
                       env=clean_environment())
        result = command("parameters", "--run", "-o", self.folder / "seven.json", "--", self.folder / "seven")
        self.assertEqual(result.status, 7, result.stderr)
        self.assertTrue(result.stdout.startswith("hello\nseven: 0 parameters.\n"), result.stdout)


class ByParameters(CommandTest):
    """The use of the analysis by other commands."""

    def setUp(self):
        super().setUp()
        self.folder = scratch_folder()

    def test_filter(self):
        result = command("filter", "--parameters", STENCIL)
        self.assertEqual((result.status, result.stderr), (0, ""))
        self.assertIn("| report   |", result.stdout)
        self.assertNotIn("sweep", result.stdout)
        result = command("filter", "--parameters", STENCIL, "-f", "vftrace")
        self.assertEqual(result.stdout, "^(_ZL6reportd)$\n")
        result = command("filter", "--parameters", EXAMPLE, "-f", "scorep")
        self.assertIn("    _Z1gii\n    _Z1hi\n", result.stdout)
        self.assertIn("-finstrument-functions-exclude-function-list=",
                      command("filter", "--parameters", EXAMPLE, "-f", "gcc").stdout)
        self.fails("filter", message="no profile given")
        self.fails("filter", "--parameters", STENCIL, "--share", "0.1", message="--share")

    def test_filter_of_a_profile(self):
        profile = json.loads((HERE / "profiles" / "halo_4_ranks.json").read_text())
        names = [function["name"] for function in profile["functions"] if function["kind"] == "function"]
        symbols = [function.get("symbol", function["name"]) for function in profile["functions"]]
        analysis = {"functions_names": symbols, "functions_mangled_names": symbols,
                    "functions_demangled_names": symbols, "parameters": ["n"], "functions": {},
                    "unimportant_functions": list(range(len(symbols)))}
        path = self.folder / "halo.parameters.json"
        path.write_text(json.dumps(analysis))
        result = command("filter", "--parameters", path, HERE / "profiles" / "halo_4_ranks.json")
        self.assertEqual(result.status, 0, result.stderr)
        self.assertIn("main", names)
        self.assertNotIn("| main", result.stdout)  # has a path to MPI

    def test_unknown_functions_are_kept(self):
        """Neither filter nor model excludes what may depend on more than the analysis has found."""
        names = ["main", "solve", "setup", "report"]
        analysis = {"application": "heat", "functions_names": names, "functions_mangled_names": names,
                    "functions_demangled_names": names, "parameters": ["n"], "functions": {},
                    "unimportant_functions": [0, 1, 2, 3], "unknown_functions": [2], "unknown_calls": []}
        path = self.folder / "heat.parameters.json"
        path.write_text(json.dumps(analysis))
        filtered = command("filter", "--parameters", path, "-f", "vftrace").stdout
        self.assertIn("report", filtered)
        self.assertNotIn("setup", filtered)
        printed = command("parameters", path).stdout
        self.assertIn("1 function is unknown", printed)
        self.assertRegex(printed, r"Functions that may depend on more parameters\n[^\n]*\n(.*\n){3}\| setup ")
        merged = command("parameters", path, path, "-o", self.folder / "merged.json")
        self.assertEqual(merged.status, 0, merged.stderr)
        self.assertEqual(json.loads((self.folder / "merged.json").read_text())["unknown_functions"], [2])

        need_part("HAVE_EIGEN")
        runs = write_runs(self.folder, [{"n": n} for n in (100, 400, 1600, 6400, 25600)],
                          lambda n: {"main": 0.5, "solve<main": 1e-2 * n, "setup<main": 1e-3 * n,
                                     "report<setup<main": 1e-4 * n}, noise=0)

        def models(metric):
            result = command("model", "--format", "json", "--metric", metric, "--parameters", path, *runs)
            self.assertEqual((result.status, result.stderr), (0, ""))
            return {row["function"]: (row["order"], row["analysis"])
                    for row in json.loads(result.stdout)["metrics"][0]["paths"]}
        exclusive = models("time_excl")
        self.assertEqual(exclusive["setup"], ("n", "unknown"))
        self.assertEqual(exclusive["solve"][1], "none")
        self.assertEqual(exclusive["report"][1], "none")
        self.assertEqual(models("time_incl")["main"], ("n", "unknown"))
        # A loop of unknown length around a call: so is the number of calls.
        path.write_text(json.dumps({**analysis, "unknown_calls": [2]}))
        self.assertEqual(models("time_excl")["report"], ("n", "unknown"))
        for wrong in ([9], ["setup"]):
            path.write_text(json.dumps({**analysis, "unknown_functions": wrong}))
            self.fails("parameters", path, message="unknown_functions")

    def test_models_are_restricted(self):
        need_part("HAVE_EIGEN")
        # Whatever the times of setup look like, none of its loops depends on n.
        sizes = (100, 400, 1600, 6400, 25600)
        runs = write_runs(self.folder, [{"n": n} for n in sizes],
                          lambda n: {"main": 0.5, "solve<main": 1e-6 * n**1.5, "setup<main": 1e-3 * n},
                          noise=0)
        analysis = {"application": "heat", "functions_names": ["main", "solve", "setup"],
                    "functions_mangled_names": ["main", "solve", "setup"],
                    "functions_demangled_names": ["main", "solve", "setup"], "parameters": ["n"],
                    "functions": {"solve": {"file": "heat.c", "line": 3, "func_idx": 1, "loops": [
                        {"callstacks": [[0]], "instance": {"0": {"level": 0, "params": [["n"]]}}}]}},
                    "unimportant_functions": [0, 2]}
        path = self.folder / "heat.parameters.json"

        def orders():
            path.write_text(json.dumps(analysis))
            result = command("model", "--format", "json", "--metric", "time_excl", "--parameters", path, *runs)
            self.assertEqual((result.status, result.stderr), (0, ""))
            document = json.loads(result.stdout)
            return {row["path"]: row["order"] for row in document["metrics"][0]["paths"]}, document["notes"]

        self.assertEqual(orders(), ({"main<init": "1", "solve<main<init": "n^(3/2)", "setup<main<init": "1"}, []))
        analysis["functions"]["setup"] = dict(analysis["functions"]["solve"], func_idx=2)
        self.assertEqual(orders()[0]["setup<main<init"], "n")
        analysis["parameters"] = ["m"]
        analysis["functions"] = {}
        path.write_text(json.dumps(analysis))
        self.fails("model", "--parameters", path, *runs, message="does not cover any of the parameters n")
