"""The addresses of samples: how they get into profiles, and the lines and inlined functions that commands make of
them."""
import csv
import io
import json
import re
import shutil
import subprocess
import unittest

import pytest

from page_support import Page, drive
from support import (COMMAND, LIBRARY, PROGRAMS, ProgramTest, clean_environment, compile_program, need, need_part,
                     scratch_folder)

SAMPLED = {"VFTR_STACK_SAMPLING_FREQUENCY": "1000"}
FLAGS = ("-O2", "-g1", "-pthread")
SOURCE = "lines.cpp"


def program(*flags, **how):
    return compile_program(SOURCE, flags or FLAGS, instrument=False, **how)


def line_with(words):
    """The number of the line of the source that has these words."""
    lines = (PROGRAMS / SOURCE).read_text().split("\n")
    number, = (i for i, line in enumerate(lines, 1) if words in line)
    return number


def samples_of(profile):
    return sum(sum(row["samples"]) for row in profile.get("addresses", []))


class Lines(ProgramTest):
    def sample(self, *command, **arguments):
        """The profile of a sampled run, and its file."""
        command = command or (program(),)
        result = self.profile(list(map(str, command)), **{**SAMPLED, **arguments})
        return result.profile(), next(result.folder.glob("*_all.json"))

    def command(self, *arguments, status=0):
        need_part("BUILD_TOOLS")
        done = subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True, env=clean_environment())
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout if status == 0 else done.stderr

    def lines(self, file, *options):
        """The rows of the table of lines, by place."""
        text = self.command("report", "--lines", "--format", "csv", *options, file)
        return {(row["place"], row["function"]): row for row in csv.DictReader(io.StringIO(text))}

    def share(self, rows, words, column="share[%]"):
        place = f"{SOURCE}:{line_with(words)}"
        return sum(float(row[column]) for (at, _), row in rows.items() if at == place)


class Recording(Lines):
    def test_each_sample_has_an_address(self):
        profile, _ = self.sample()
        self.assertEqual(samples_of(profile), sum(node.get("samples", 0) for node in profile["nodes"]))
        for row in profile["addresses"]:
            self.assertEqual(row["offsets"], sorted(set(row["offsets"])))
            self.assertEqual(len(row["offsets"]), len(row["samples"]))
            self.assertGreater(row["time_ns"], 0)
        of_program = [row for row in profile["addresses"] if "module" in row and
                      profile["modules"][row["module"]]["path"] == str(program())]
        self.assertGreater(sum(sum(row["samples"]) for row in of_program), 0.8 * samples_of(profile))

    def test_size_of_the_profile(self):
        """A tenth of a profile without configuration; it does not grow with the time."""
        _, file = self.sample()
        text = file.read_text()
        profile = json.loads(text)
        without = json.dumps({key: value for key, value in profile.items() if key != "addresses"})
        bytes_of_addresses = len(json.dumps(profile["addresses"], separators=(",", ":")))
        self.assertLess(bytes_of_addresses, 0.2 * len(without))

    def test_switched_off(self):
        profile, file = self.sample(VFTR_STACK_SAMPLING_LINES="no")
        self.assertNotIn("addresses", profile)
        self.assertIn("does not have addresses of samples", self.command("report", "--lines", file, status=2))

    def test_beside_hooks(self):
        hooked = compile_program(SOURCE, FLAGS)
        result = self.profile([hooked], VFTR_STACK_SAMPLING_BESIDE_HOOKS="on", VFTR_TIMING="auto")
        profile = result.profile()
        self.assertGreater(samples_of(profile), 0)
        rows = self.lines(next(result.folder.glob("*_all.json")))
        self.assertGreater(self.share(rows, "the hot line"), 50)

    def test_killed(self):
        need_part("BUILD_TOOLS")
        trees, folder = scratch_folder(), scratch_folder()
        with subprocess.Popen([program(), "for ever"], cwd=folder, stdout=subprocess.PIPE,
                              env=clean_environment(LD_PRELOAD=LIBRARY, TMPDIR=trees, **SAMPLED)) as process:
            process.stdout.readline()
            process.kill()
        done = subprocess.run([COMMAND, "recover", *trees.iterdir()], cwd=folder, capture_output=True, text=True,
                              env=clean_environment(TMPDIR=trees))
        self.assertEqual(done.returncode, 0, done.stderr)
        file = next(folder.glob("*.json"))
        profile = json.loads(file.read_text())
        # One that was being counted may be missing.
        self.assertAlmostEqual(samples_of(profile), sum(node.get("samples", 0) for node in profile["nodes"]), delta=1)
        self.assertGreater(self.share(self.lines(file), "the hot line"), 50)

    def test_merged(self):
        (first, file), (second, other) = self.sample(), self.sample()
        merged = scratch_folder() / "merged.json"
        self.command("merge", "--runs", "sum", "-o", merged, file, other)
        self.assertEqual(samples_of(json.loads(merged.read_text())), samples_of(first) + samples_of(second))
        self.assertGreater(self.share(self.lines(merged), "the hot line"), 50)


class Reports(Lines):
    @pytest.mark.timing
    def test_shares(self):
        """With a hundred samples and more; the code around the loop takes nothing."""
        for compiler in ("g++", "clang++"):
            if not shutil.which(compiler):
                continue
            rows = self.lines(self.sample(program(compiler=compiler))[1])
            self.assertGreater(self.share(rows, "the hot line"), 60)
            three, one = (self.share(rows, f"called from {word}", "share_with_inlined[%]") for word in ("three", "one"))
            self.assertAlmostEqual(three / (three + one), 0.75, delta=0.15)
            self.assertGreater(three + one, 90)
            # The function of an inlined line is the inlined one.
            self.assertTrue(any(function == "chain" for _, function in rows))

    def test_table(self):
        _, file = self.sample()
        text = self.command("report", "--lines", file)
        self.assertRegex(text, rf"lines\.cpp:{line_with('the hot line')} +\| chain")
        self.assertIn("with inlined[%]", text)
        rows = json.loads(self.command("report", "--lines", "--format", "json", file))
        self.assertIn(str(PROGRAMS / SOURCE), json.dumps(rows))
        self.assertIn("--lines", self.command("report", file))
        self.assertEqual(len(self.lines(file, "--limit", "1")), 1)

    def test_inlined_functions(self):
        _, file = self.sample()
        text = self.command("report", "--inlines", "--callpath", file)
        for caller in ("three_parts", "one_part"):
            self.assertRegex(text, rf"chain \[inlined\]<{caller}<main")
        plain = self.command("report", "--callpath", file)
        self.assertNotIn("[inlined]", plain)

    def test_findings_name_the_line(self):
        _, file = self.sample()
        text = self.command("report", file)
        if re.search("^Findings$", text, re.MULTILINE) and "three_parts" in text.split("Quality of the measurement")[0]:
            self.assertRegex(text, r"Line: lines\.cpp:\d+ \(\d+ % of the own time\)")

    def test_differences(self):
        (_, file), (_, other) = self.sample(), self.sample()
        printed = json.loads(self.command("diff", "--lines", "--json", file, other))
        hot, = (row for row in printed["lines"] if row.get("line_a") == line_with("the hot line"))
        self.assertEqual((hot["function"], hot["line_b"]), ("chain", hot["line_a"]))
        self.assertGreater(min(hot["a_ns"], hot["b_ns"]), 0)
        self.assertIn(f"lines.cpp:{hot['line_a']}", self.command("diff", "--lines", file, other))


class OnThePage(Lines):
    def page(self, *options):
        _, file = self.sample()
        page = scratch_folder() / "page.html"
        self.command("report", "--html", "-o", page, *options, file)
        return page

    def test_lines(self):
        hot = line_with("the hot line")
        results = drive(self.page("--sources", PROGRAMS), [
            ["open", "#view=sources"], ["table", "lines"], ["texts", ".source .sampled bdi"], ["table", "files"]])
        self.assertTrue(any(row[0] == f"lines.cpp:{hot}" for row in results[1]["rows"]), results[1])
        self.assertTrue(any("the hot line" in text for text in results[2]), results[2])
        self.assertEqual(results[3]["rows"][0][0], str(PROGRAMS / SOURCE))

    def test_from_a_call_path_to_its_line(self):
        page = self.page("--sources", PROGRAMS)
        results = drive(page, [["open", "#view=overview"], ["texts", "[data-part=hottest-line]"]])
        results += drive(page, [["open", "#view=flame&path=2"], ["texts", "[data-part=hottest-line]"]])
        self.assertTrue(any(re.match(r"lines\.cpp:\d+$", text) for result in results[1::2] for text in result), results)

    def test_inlined_functions(self):
        results = drive(self.page("--inlines"), [["open", "#view=functions"], ["table", "functions"]])
        self.assertTrue(any("chain [inlined]" in row[0] for row in results[1]["rows"]), results[1])

    def test_anonymous(self):
        block, = Page(self.page("--anonymous").read_text()).of_kind("profile")
        files = {line["file"] for line in block.list("lines")}
        self.assertIn(SOURCE, files)
        self.assertFalse(any("/" in file for file in files), files)


class MissingLines(Lines):
    def copy(self, *flags):
        """A program that may be replaced."""
        copied = scratch_folder() / "lines"
        shutil.copy2(program(*flags), copied)
        return copied

    def test_without_debug_information(self):
        _, file = self.sample(program("-O2"))
        text = self.command("report", "--lines", file)
        self.assertIn("does not have debug information: compile with -g1 (gcc)", text)
        self.assertRegex(text, r"three_parts\+0x[0-9a-f]+ +\| three_parts")

    def test_another_build(self):
        copied = self.copy(*FLAGS)
        _, file = self.sample(copied)
        copied.unlink()
        shutil.copy2(program("-O1", "-g1"), copied)
        self.assertIn(f"{copied} has changed since the run", self.command("report", "--lines", file))

    def test_moved(self):
        copied = self.copy(*FLAGS)
        _, file = self.sample(copied)
        moved = scratch_folder()
        copied.rename(moved / "lines")
        self.assertIn(f"{copied}: ", self.command("report", "--lines", file))
        rows = self.lines(file, "--source-map", f"{copied.parent}={moved}")
        self.assertGreater(self.share(rows, "the hot line"), 50)
        self.assertIn("is not OLD=NEW", self.command("report", "--lines", "--source-map", "x", file, status=2))
        self.assertIn("needs --lines", self.command("report", "--source-map", "a=b", file, status=2))

    def test_stripped_with_a_debug_file(self):
        need("objcopy")
        copied = self.copy(*FLAGS)
        debug = copied.with_name("lines.debug")
        subprocess.run(["objcopy", "--only-keep-debug", copied, debug], check=True)
        subprocess.run(["objcopy", "--strip-all", f"--add-gnu-debuglink={debug}", copied], check=True)
        rows = self.lines(self.sample(copied)[1])
        self.assertGreater(self.share(rows, "the hot line"), 50)

    def test_damaged_profiles(self):
        profile, file = self.sample()
        for change in (lambda row: row["samples"].append(1), lambda row: row["offsets"].reverse() or
                       row["offsets"].append(0), lambda row: row.update(node=10 ** 6), lambda row: row.update(module=99),
                       lambda row: row["samples"].__setitem__(0, 0)):
            damaged = json.loads(json.dumps(profile))
            change(damaged["addresses"][0])
            path = scratch_folder() / "damaged_all.json"
            path.write_text(json.dumps(damaged))
            self.command("report", "--lines", path, status=2)


if __name__ == "__main__":
    unittest.main()
