"""vftrace annotate and vftrace report --loops: the loops of machine code at the lines of the source."""
import collections
import re
import shutil
import subprocess

from command_support import CommandTest, command
from support import BUILD, PROGRAMS, clean_environment, compile_program, need_part, run, scratch_folder
from waits_support import tables_of_json

COMPILERS = ("gcc", "clang", "clang-19")
SOURCE_OF_LOOPS = "thirty_loops.c"
KINDS = {
    "-O1": ("-O1",), "-O2": ("-O2",), "-O3": ("-O3",),
    "vectors of 256 bits": ("-O3", "-mavx2", "-mfma", "-ffast-math"),
    "unrolled": ("-O2", "-funroll-loops"),
    "OpenMP": ("-O2", "-fopenmp"),
}


def lines_of_loops():
    lines = collections.defaultdict(set)
    text = (PROGRAMS / SOURCE_OF_LOOPS).read_text().splitlines()
    for number, line in enumerate(text, 1):
        if found := re.search(r"// LOOP (\w+)", line):
            lines[found[1]].add(number)
    return lines


class Loops(CommandTest):
    def setUp(self):
        super().setUp()
        need_part("HAVE_ZYDIS")

    def loops_of(self, program, function):
        """Lines of the loops that the function has in the machine code."""
        result = command("annotate", "--program", program, "--no-source", "--format", "json", function)
        if result.status:
            return None
        return [row["line"] for row in tables_of_json(result.stdout).get("loops", [])
                if row["depth"] and row["file"].endswith(SOURCE_OF_LOOPS)]

    def check(self, compiler, flags):
        expected = lines_of_loops()
        self.assertEqual(len(expected), 30)
        program = compile_program(SOURCE_OF_LOOPS, ("-g", *flags), compiler, instrument=False, link=("-lm",))
        wrong = {}
        for function, lines in expected.items():
            found = self.loops_of(program, function)
            if found is None or not set(found) <= lines:
                wrong[function] = found, lines
        self.assertLessEqual(len(wrong), 1, wrong)

    def test_header_lines(self):
        for compiler in COMPILERS:
            for kind, flags in KINDS.items():
                if not shutil.which(compiler) or (compiler != "gcc" and kind == "OpenMP"):
                    continue  # clang's library for OpenMP is another package
                with self.subTest(compiler=compiler, kind=kind):
                    self.check(compiler, flags)

    def test_shares(self):
        """A sampled run: the time is in the loop, and in the lines of the function."""
        program = compile_program("sampled_loops.c", ("-O2", "-g"), instrument=False)
        result = run([BUILD / "vftrace", "run", "--sample", "--", program], preload=False)
        self.assertEqual(result.status, 0, result.stderr)
        profile = next(result.folder.glob("*_all.json"))
        report = command("report", "--loops", profile, "--format", "json")
        self.assertEqual(report.status, 0, report.stderr)
        loops = {row["line"]: row for row in tables_of_json(report.stdout)["loops"]
                 if row["depth"] and row["file"].endswith("sampled_loops.c")}
        lines = (PROGRAMS / "sampled_loops.c").read_text().splitlines()
        outer, inner = (next(i for i, line in enumerate(lines, 1) if word in line)
                        for word in ("// OUTER", "// INNER"))
        self.assertGreater(loops[inner]["share"], 80)
        self.assertGreaterEqual(loops[outer]["time"], loops[inner]["time"])
        self.assertLess(loops[outer]["own_time"], 0.2 * loops[outer]["time"])
        self.assertIn("not vectorised", loops[inner]["instructions"])
        annotated = command("annotate", "slow", profile, "--instructions", "--format", "json")
        self.assertEqual(annotated.status, 0, annotated.stderr)
        tables = tables_of_json(annotated.stdout)
        self.assertAlmostEqual(sum(row["share"] or 0 for row in tables["source"]), 100, delta=1)
        self.assertAlmostEqual(sum(row["share"] or 0 for row in tables["instructions"]), 100, delta=1)

    def test_parameters(self):
        """The loops of an analysis, made by clang, are those of the machine code, made by gcc."""
        need_part("HAVE_TAINT")
        folder = scratch_folder()
        subprocess.run([BUILD / "taint" / "vftrace-taint-cc", PROGRAMS / "hot_branch.c", "-o", folder / "hot"], check=True,
                       env=clean_environment(), capture_output=True)
        subprocess.run([folder / "hot", "10"], check=True, cwd=folder, capture_output=True,
                       env=clean_environment(VFTR_PARAMETERS="rounds=argv[1]"))
        program = compile_program("hot_branch.c", ("-O2", "-g"), instrument=False)
        result = run([BUILD / "vftrace", "run", "--sample", "--", program, "12000000"], preload=False)
        self.assertEqual(result.status, 0, result.stderr)
        profile = next(result.folder.glob("*_all.json"))
        analysis = folder / "hot.parameters.json"
        report = command("report", "--loops", "--parameters", analysis, "--format", "json", profile)
        self.assertEqual(report.status, 0, report.stderr)
        rows = tables_of_json(report.stdout)["loops"]
        of = {row["function"]: row["parameters"] for row in rows if row["depth"]}
        self.assertEqual((of["hot"], of["colder"]), ("rounds", "rounds"))
        # That of main has a fixed number of iterations.
        self.assertIn(of.get("main", "none"), ("none",))
        self.fails("report", "--lines", "--parameters", analysis, profile, message="--parameters needs --loops")
        self.fails("report", "--loops", "--parameters", profile, profile, message="not")

    def test_iterations(self):
        """Hooks count the calls in a loop, and so its iterations, if each one makes that call and nothing else does."""
        source = (PROGRAMS / "counted_loops.c").read_text().splitlines()
        line = {mark: next(i for i, text in enumerate(source, 1) if mark in text) for mark in ("COUNTED", "UNKNOWN")}
        program = compile_program("counted_loops.c", ("-O2", "-g"))
        profile = next(run([program], VFTR_STACK_SAMPLING_BESIDE_HOOKS="on", VFTR_TIMING="auto").folder.glob("*_all.json"))
        report = command("report", "--loops", "--format", "json", profile)
        self.assertEqual(report.status, 0, report.stderr)
        iterations = {row["line"]: row["iterations"] for row in tables_of_json(report.stdout)["loops"] if row["depth"]}
        self.assertEqual(iterations[line["COUNTED"]], 20 * 700)
        self.assertIsNone(iterations[line["UNKNOWN"]])
        self.assertRegex(command("report", "--loops", profile).stdout, r"\| Iterations \|")

    def test_refused(self):
        for arguments, said in ((("f",), "give a profile"),
                                (("--program", "/bin/true", "no_such_function"), "does not have"),
                                (("--program", "/etc/passwd", "main"), "passwd"),
                                (("--program", "/bin/true", "--source-map", "x", "main"), "OLD=NEW")):
            with self.subTest(arguments):
                result = command("annotate", *arguments)
                self.assertEqual(result.status, 2)
                self.assertIn(said, result.stderr)
