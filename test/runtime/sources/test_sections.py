"""Sections: what programs mark, query and see."""
import json
import subprocess

from perfgraph_reader import read_perfgraph
from support import (BUILD, COMMAND, LINK_LIBRARY, PROGRAMS, SOURCE, ProgramTest, compile_program, instructions_of, run,
                     scratch_folder)

ALL_LEVELS = {"VFTR_SECTION_LEVEL": "6"}
SAID = """\
one argument 2
two arguments 2
three arguments 2
four arguments 2
made of 2 2
array of 1 2
zoo::Cat::eat 400
zoo::Dog::eat 400
Tom::eat 400
Jerry::eat 400
Tom::sleep 1
level 1 1
running 1 1 1
self while it runs 1
sum 1
averages 1
percent 1
root 1 1
recursion 5 1
recursion is all its own 1
never run 0
unknown 0
vftrace::section_data: there is no section "unknown"
in C 1 1
bad figure 1
grows while it runs 1
memory 1 1
memory of all 1
threads 1 1 1
done
"""
RULE = "-" * 122
DOG = f"""\
Performance Graph:
{RULE}
|                  Section                 | Calls |   Self(s)  |   Avg(s)   |    %   |  Total(s)  |   Avg(s)   |    %   |
{RULE}
| sections_of_a_dog (main)                 |     1 |      0.000 |      0.000 |   0.00 |      1.800 |      1.800 | 100.00 |
|   Dog::clean                             |     3 |      0.300 |      0.100 |  16.67 |      1.800 |      0.600 | 100.00 |
|     Dog::soap                            |     3 |      0.600 |      0.200 |  33.33 |      0.600 |      0.200 |  33.33 |
|     Dog::rinse                           |     3 |      0.900 |      0.300 |  50.00 |      0.900 |      0.300 |  50.00 |
{RULE}
"""
HEADER_WITH_MEMORY = ("|                  Section                 | Calls |   Self(s)  |   Avg(s)   |    %   | Mem(MB) "
                      "|  Total(s)  |   Avg(s)   |    %   | Mem(MB) |\n")


def dog():
    return compile_program("sections_of_a_dog.cpp", flags=("-O1", "-rdynamic"), instrument=False)


def section_rows(text, title="Performance Graph:"):
    """The rows of a table of sections: {"name": {"Calls": "1", ...}}; of columns with the same header only the last."""
    lines = text.partition(f"\n{title}\n")[2].partition("\n\n")[0].splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return {row[0]: dict(zip(cells[0], row)) for row in cells[1:]}


def report(profile, *options):
    return subprocess.run([COMMAND, "report", profile, *options], capture_output=True, text=True,
                          check=True).stdout


class Interface(ProgramTest):
    def program(self, **options):
        return compile_program("sections_interface.cpp", **{"instrument": False, "link": ["-pthread"], **options})

    def check(self, result):
        self.assertEqual((result.status, result.stdout, result.stderr), (0, SAID, ""))
        sections = {function["name"]: function["level"] for function in result.profile()["functions"]
                    if function["kind"] == "section"}
        self.assertEqual({name: sections[name] for name in ("two arguments", "three arguments", "four arguments",
                                                            "one argument", "zoo::Cat::eat", "level 300")},
                         {"two arguments": 1, "three arguments": 2, "four arguments": 3, "one argument": 4,
                          "zoo::Cat::eat": 1, "level 300": 6})

    def test_figures_preloaded(self):
        self.check(run([self.program()]))

    def test_figures_with_hooks(self):
        self.check(run([self.program(instrument=True)]))

    def test_figures_linked(self):
        self.check(run([self.program(link=["-pthread", *LINK_LIBRARY])], preload=False))

    def test_figures_not_a_position_independent_program(self):
        self.check(run([self.program(flags=("-O2", "-no-pie", "-fno-pie"))]))

    def test_figures_by_clang(self):
        self.check(run([self.program(compiler="clang++")]))

    def test_figures_linked_to_the_archive(self):
        archive = [BUILD / "libvftrace.a", "-lelf", "-lm"]
        program = self.program(link=["-pthread", "-Wl,--undefined=vftrace_section_calls", *archive])
        self.check(run([program], preload=False))

    def test_without_the_library_nothing_happens(self):
        for link in (["-pthread"], ["-pthread", "-static"]):
            with self.subTest(link=link):
                result = run([self.program(link=link)], preload=False)
                self.assertEqual((result.status, result.stderr), (0, ""))
                self.assertEqual(result.stdout.splitlines()[-1], "done")
                self.assertEqual(result.files(), [])

    def test_switched_off(self):
        result = run([self.program()], VFTR_OFF="yes")
        self.assertEqual((result.status, result.files()), (0, []))
        self.assertEqual(result.stderr.count("vftrace: section"), 1)
        self.assertIn("nothing is recorded", result.stderr)

    def test_headers_are_clean(self):
        """For the oldest standards that they promise, with all warnings."""
        folder = scratch_folder()
        warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror", "-fsyntax-only",
                    "-I", SOURCE / "include"]
        for suffix, compilers, standards, header in (("c", ("gcc", "clang"), ("c99", "c11"), "sections.h"),
                                                     ("cpp", ("g++", "clang++"), ("c++11", "c++20"),
                                                      "time_section.hpp")):
            source = folder / f"includes.{suffix}"
            source.write_text(f"#include <vftrace/{header}>\nint main(void) {{ return 0; }}\n")
            for compiler in compilers:
                for standard in standards:
                    with self.subTest(compiler=compiler, standard=standard):
                        subprocess.run([compiler, f"-std={standard}", *warnings, source], check=True)


class Rows(ProgramTest):
    """Rows of the interface that the programs above show too, here each checked against its own description."""

    @classmethod
    def setUpClass(cls):
        program = compile_program("sections_interface.cpp", instrument=False, link=["-pthread"])
        cls.lines = run([program]).stdout.splitlines()

    def check(self, *lines):
        for line in lines:
            self.assertIn(line, self.lines)

    def test_one_to_four_arguments(self):
        self.check("one argument 2", "two arguments 2", "three arguments 2", "four arguments 2")

    def test_one_place_several_names(self):
        self.check("made of 2 2", "array of 1 2")

    def test_P2b_P3_prefixes_are_those_of_the_object(self):
        self.check("zoo::Cat::eat 400", "zoo::Dog::eat 400", "Tom::eat 400", "Jerry::eat 400")

    def test_registered_before(self):
        self.check("one argument 2", "Tom::sleep 1", "never run 0")

    def test_three_hundred_nested_sections(self):
        self.check("level 1 1")

    def test_all_places_of_a_name_and_unknown_ones(self):
        self.check("recursion 5 1", "root 1 1", "unknown 0", "never run 0", "in C 1 1",
                   'vftrace::section_data: there is no section "unknown"')

    def test_running_sections(self):
        self.check("running 1 1 1", "self while it runs 1")

    def test_percentages_are_of_the_program(self):
        self.check("percent 1")

    def test_cost_of_a_section(self):
        """Two clocks and no call that could wait: about 120 instructions, including the loop."""
        program = compile_program("sections_in_a_loop.cpp", ("-O2",), instrument=False)
        counts = [instructions_of(program, times) for times in (1000, 21000)]
        self.assertLess((counts[1] - counts[0]) / 20000, 200)


class Tables(ProgramTest):
    def test_the_worked_example(self):
        result = run([dog()], **ALL_LEVELS, VFTR_SECTION_MEMORY="off")
        self.assertEqual((result.status, result.stdout, result.stderr), (0, "clean\n", ""))
        self.assertIn(DOG, result.text())

    def test_P16_the_program_prints_it(self):
        result = run([dog(), "print"], VFTR_SECTION_MEMORY="off")
        figures, _, table = result.stdout.partition("\n")
        self.assertEqual(figures.split(), ["0.3", "1.5", "1.8", "0.1", "0.5", "0.6", "16.6667", "83.3333", "100",
                                           "nan", "nan", "nan", "3"])
        self.assertEqual(table, DOG + "\nclean\n")

    def test_columns_of_memory(self):
        result = run([dog()], **ALL_LEVELS, VFTR_SECTION_MEMORY_LEVEL="6")
        self.assertIn(HEADER_WITH_MEMORY, result.text())

    def test_P14_P15_levels_and_the_heaviest(self):
        result = run([dog()], VFTR_SECTION_MEMORY="off")
        self.assertNotIn("Dog::clean", result.text().partition("Performance Graph:")[2].partition("\n\n")[0])
        profile = next(result.folder.glob("*_all.json"))
        self.assertEqual(report(profile, "--sections", "--level", "6"), DOG + "\n")
        self.assertNotIn("soap", report(profile, "--sections", "--level", "2"))
        branch = report(profile, "--sections", "--level", "0", "--branch")
        self.assertRegex(branch, r"Heaviest Branch:(.|\n)*Dog::clean(.|\n)*Dog::rinse")
        self.assertNotIn("soap", branch)
        heaviest = report(profile, "--sections", "--heaviest", "2").partition("Heaviest Sections:")[2]
        names = [line.split("|")[1].strip() for line in heaviest.splitlines() if line.startswith("|")]
        self.assertEqual(names, ["Section", "Dog::rinse", "Dog::soap"])
        table = report(profile, "--table", "sections", "--format", "csv").splitlines()
        self.assertEqual(table[0].split(",")[:4], ["section", "level", "depth", "calls"])
        self.assertEqual([line.split(",")[1:4] for line in table[1:]],
                         [["0", "0", "1"], ["2", "1", "3"], ["3", "2", "3"], ["3", "2", "3"]])

    def test_memory_is_read_while_it_is_cheap(self):
        """500,000 sections that do nothing would take a second for it; what was not read is not 0."""
        result = run([compile_program("sections_many.cpp", ("-O2",), instrument=False)], VFTR_SECTION_LEVEL="6")
        self.assertEqual(result.stdout, "short 0\ndetail 1\nnever 0\nRoot 0\n")
        profile = result.profile()
        left_out, = next(notice["arguments"] for notice in profile["run"]["notices"]
                         if notice["code"] == "section-memory-left-out")
        self.assertTrue(0 < left_out < 500000, left_out)
        cost, = [item["time_ns"] for item in profile["run"]["overhead"] if item["code"] == "section-memory"]
        # The limit is looked at before each reading, of which there are two for each section.
        self.assertTrue(0 < cost < 0.01 * profile["run"]["runtime_ns"] + 15e6, cost)
        rows = section_rows(result.text())
        self.assertNotEqual(rows["short"]["Mem(MB)"], "")
        self.assertEqual(rows["detail"]["Mem(MB)"], "")

    def test_code_of_moose(self):
        """Compiles without warnings, and has its prefixes."""
        for flags in (("-std=c++11",), ("-std=c++20", "-O2")):
            with self.subTest(flags=flags):
                program = scratch_folder() / "program"
                subprocess.run(["g++", *flags, "-Wall", "-Wextra", "-Werror", "-I", SOURCE / "include",
                                PROGRAMS / "sections_of_moose.cpp", "-o", program], check=True)
                result = run([program])
                self.assertEqual(result.stdout, "Problem::solve 1\nProblem::output 1\nKernel::compute 1\nMesh::final 1\n"
                                                "Mesh::partition 1\nApp::execute 1\nmissing 0\n1\nunknown\n111\n")

    def test_perfgraph_json(self):
        result = run([dog()])
        profile = next(result.folder.glob("*_all.json"))
        text = subprocess.run([COMMAND, "export", "--format", "perfgraph", profile, "-o", "-"], check=True,
                              capture_output=True, text=True).stdout
        graph = read_perfgraph(text)
        self.assertEqual((graph["max_memory_this_rank"], graph["max_memory_per_rank"]), (0, []))  # was not read
        result = run([dog()], VFTR_SECTION_MEMORY_LEVEL="6")
        text = subprocess.run([COMMAND, "export", "--format", "perfgraph", *result.folder.glob("*_all.json"), "-o", "-"],
                              check=True, capture_output=True, text=True).stdout
        self.assertGreater(read_perfgraph(text)["max_memory_this_rank"], 0)
        root = graph["graph"]["sections_of_a_dog (main)"]
        clean = root["children"]["Dog::clean"]
        self.assertEqual((clean["level"], clean["num_calls"]), (2, 3))
        self.assertAlmostEqual(clean["time"], 0.3, places=6)
        self.assertAlmostEqual(clean["children"]["Dog::rinse"]["time"], 0.9, places=6)
        self.assertNotIn("children", clean["children"]["Dog::soap"])
