"""vftrace annotate and vftrace report --loops: the loops of machine code at the lines of the source."""
import collections
import re
import shutil

from command_support import CommandTest, command
from support import PROGRAMS, compile_program, need_part
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
