"""vftrace export to formats that compilers and linkers read, judged by clang, llvm-profdata and the GNU tools."""
import re
import shutil
import subprocess

from command_support import CommandTest, command
from support import BUILD, PROGRAMS, compile_program, need, need_part, run

CLANG = "clang-19"
SOURCE = PROGRAMS / "hot_branch.c"
LINES = ("-O2", "-gline-tables-only", "-fdebug-info-for-profiling")
ENOUGH = "3000000"  # rounds; a run has about 1,000 samples


def sampled(program, *options):
    result = run([BUILD / "vftrace", "run", "--sample=1000", *options, "--", program, ENOUGH], preload=False)
    assert result.status == 0, result.stderr
    return next(result.folder.glob("*_all.json"))


def line_of(text):
    return next(number for number, line in enumerate(SOURCE.read_text().splitlines(), 1) if text in line)


def counts_of(text):
    """{name of a function: (total, head, {distance or distance.discriminator: count}, {name of an inlined one})}"""
    functions, name = {}, None
    for line in text.splitlines():
        if found := re.fullmatch(r"(\S+):(\d+):(\d+)", line):
            name = found[1]
            functions[name] = int(found[2]), int(found[3]), {}, set()
        elif found := re.fullmatch(r" ([\d.]+): (\d+)", line):
            functions[name][2][found[1]] = int(found[2])
        elif found := re.fullmatch(r" ([\d.]+): (\w+):(\d+)", line):
            functions[name][3].add(found[2])
        else:
            assert re.fullmatch(r"  +[\d.]+: (\w+:)?\d+", line), line
    return functions


class Autofdo(CommandTest):
    def setUp(self):
        super().setUp()
        need_part("HAVE_ZYDIS")
        need(CLANG)

    def exported(self, profile, *more):
        result = command("export", "--format", "autofdo", "-o", "-", profile, *more)
        self.assertEqual(result.status, 0, result.stderr)
        return result.stdout

    def test_clang_takes_it(self):
        profile = sampled(compile_program(SOURCE.name, LINES, CLANG, instrument=False))
        text = self.exported(profile)
        counts = counts_of(text)
        self.assertEqual(next(iter(counts)), "hot")  # most counts first
        _, _, lines, inlined = counts["hot"]
        self.assertIn("next", inlined)
        # The line that almost every round passes has more than the call of one in 1,024 rounds.
        def count_at(mark):
            distance = str(line_of(mark) - line_of("unsigned hot("))
            return max((count for place, count in lines.items() if place.split(".")[0] == distance), default=0)
        self.assertLess(2 * count_at("// SELDOM"), count_at("// OFTEN"))
        file = profile.parent / "hot.prof"
        file.write_text(text)
        code = subprocess.run([CLANG, "-O2", *LINES[1:], f"-fprofile-sample-use={file}", "-S", "-emit-llvm", "-o", "-", SOURCE],
                              capture_output=True, text=True, check=True)
        self.assertEqual(code.stderr, "")
        self.assertRegex(code.stdout, r'!"function_entry_count", i64 \d+')
        weights = [sorted(map(int, pair)) for pair in
                   re.findall(r'!"branch_weights", i32 (\d+), i32 (\d+)', code.stdout)]
        self.assertTrue(any(high > 2 * max(low, 1) for low, high in weights), weights)

    def test_llvm_reads_it(self):
        need("llvm-profdata-19")
        profile = sampled(compile_program(SOURCE.name, LINES, CLANG, instrument=False))
        file = profile.parent / "hot.prof"
        file.write_text(self.exported(profile, profile))  # of two runs
        once, twice = (counts_of(text)["hot"][0] for text in (self.exported(profile), file.read_text()))
        self.assertAlmostEqual(twice / once, 2, delta=0.01)
        shown = subprocess.run(["llvm-profdata-19", "show", "--sample", file], capture_output=True, text=True, check=True).stdout
        self.assertRegex(shown, rf"Function: hot: {twice}, \d+, \d+ sampled lines")
        self.assertIn("Samples collected in inlined callsites {", shown)

    def test_calls_that_hooks_counted(self):
        program = compile_program(SOURCE.name, (*LINES, "-finstrument-functions-after-inlining"), CLANG, instrument=False)
        result = run([program, ENOUGH])
        profile = next(result.folder.glob("*_all.json"))
        counts = counts_of(self.exported(profile))
        self.assertEqual(counts["hot"][1], 100)

    def test_what_is_missing(self):
        for flags, message in ((("-O2",), "compile with -g1 (gcc)"),
                               (("-O2", "-gline-tables-only"), "-fdebug-info-for-profiling")):
            profile = sampled(compile_program(SOURCE.name, flags, CLANG, instrument=False))
            self.fails("export", "--format", "autofdo", profile, message=message)
        program = compile_program(SOURCE.name, LINES, CLANG, instrument=False)
        profile = sampled(program)
        moved = profile.parent / "elsewhere"
        moved.mkdir()
        shutil.copy(program, moved)
        text = profile.read_text().replace(str(program.parent), "/not/here")
        profile.write_text(text)
        # Samples in another file, such as a library, may have lines all the same.
        missing = command("export", "--format", "autofdo", "-o", "-", profile)
        self.assertIn("/not/here", missing.stderr)
        self.assertNotRegex(missing.stdout, r"(?m)^hot:")
        self.assertIn("hot", counts_of(self.exported(profile, "--source-map", f"/not/here={moved}")))


class Order(CommandTest):
    def symbols(self, profile, *options, kind="function-order"):
        result = command("export", "--format", kind, "-o", "-", *options, profile)
        self.assertEqual(result.status, 0, result.stderr)
        return result.stdout.splitlines()

    def test_order(self):
        profile = sampled(compile_program(SOURCE.name, ("-O2", "-fno-inline"), "gcc", instrument=False))
        order = self.symbols(profile)
        self.assertNotIn("never_called", order)
        # The most time is in `hot`, or in `next` that it calls; a function comes after the one that calls it most.
        self.assertLess(order.index("hot"), order.index("next"))
        self.assertLess(order.index("main"), order.index("hot"))

    def test_a_linker_takes_it(self):
        need("ld.gold")
        flags = ("-O2", "-fno-inline", "-fno-reorder-functions", "-ffunction-sections")
        profile = sampled(compile_program(SOURCE.name, flags, "gcc", instrument=False))
        order = [symbol for symbol in self.symbols(profile) if symbol in ("hot", "colder", "next")]
        self.assertEqual(len(order), 3)
        for sections in (order, order[::-1]):
            file = profile.parent / f"sections_{sections[0]}"
            file.write_text("".join(f".text.{symbol}\n" for symbol in sections))
            program = compile_program(SOURCE.name, flags, "gcc", instrument=False,
                                      link=("-fuse-ld=gold", f"-Wl,--section-ordering-file={file}"),
                                      output=profile.parent / f"ordered_{sections[0]}")
            names = subprocess.run(["nm", "-n", program], capture_output=True, text=True, check=True).stdout
            placed = [line.split()[2] for line in names.splitlines() if line.split()[-1] in order]
            self.assertEqual(placed, sections)
        self.assertEqual(self.symbols(profile, kind="section-order"), [f".text.{symbol}" for symbol in self.symbols(profile)])

    def test_modules(self):
        profile = sampled(compile_program(SOURCE.name, ("-O2",), "gcc", instrument=False))
        self.fails("export", "--format", "function-order", "--module", "libnothing.so", profile,
                   message="libnothing.so is not one of")
        self.fails("export", "--format", "csv", "--module", "x", profile, message="--module cannot be used with csv")
