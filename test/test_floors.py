"""The floors of the sources: each folder includes only what src/FLOORS allows, and is linked into
one library."""
import collections
import pathlib
import re
import unittest

SOURCES = pathlib.Path(__file__).resolve().parent.parent / "src"
INCLUDE = re.compile(r'^\s*#\s*include "([\w/]+)/[^"/]+"', re.MULTILINE)
OTHERS = {"third_party", "cjson"}  # folders that do not contain our own code
PROGRAMS = "programs"  # has main functions, each linked into a separate program


def floors():
    """{folder: the folders that it may include}, in the order of the file."""
    rows = (line.split("#")[0].strip() for line in (SOURCES / "FLOORS").read_text().splitlines())
    return {folder.strip(): set(allowed.split())
            for folder, _, allowed in (row.partition(":") for row in rows if row)}


def included_folders(text):
    return {folder for folder in INCLUDE.findall(text) if folder not in OTHERS}


def linked_files(text):
    """{link unit: its files} of a files.am."""
    units = collections.defaultdict(list)
    for unit, files in re.findall(r"^(\w+)_SOURCES \+?=((?:.*\\\n)*.*)$", text, re.MULTILINE):
        units[unit] += files.replace("\\\n", " ").split()
    return units


def units_of(folder):
    return linked_files((SOURCES / folder / "files.am").read_text())


class Floors(unittest.TestCase):
    def test_an_include_is_seen(self):
        self.assertEqual(included_folders('#include <vector>\n#include "tree/node.hpp"\n'
                                          '  # include "gpu/x.inc"\n#include "config.h"\n'), {"tree", "gpu"})

    def test_every_folder_has_a_floor(self):
        folders = {path.name for path in SOURCES.iterdir() if path.is_dir()}
        self.assertEqual(set(floors()), folders)

    def test_no_folder_names_a_later_one(self):
        seen = set()
        for folder, allowed in floors().items():
            self.assertLessEqual(allowed, seen, f"{folder} comes before what it uses")
            seen.add(folder)

    def test_no_file_includes_upward(self):
        upward = []
        for folder, allowed in floors().items():
            for path in sorted((SOURCES / folder).rglob("*")):
                if path.suffix in (".cpp", ".hpp", ".inc"):
                    upward += [f"{path.relative_to(SOURCES)} includes {other}"
                               for other in included_folders(path.read_text()) - allowed - {folder}]
        self.assertEqual(upward, [])


class LinkUnits(unittest.TestCase):
    def test_a_list_of_files_is_seen(self):
        self.assertEqual(linked_files("# Files\nx_SOURCES += \\\n\ta.cpp a.hpp \\\n\tb.cpp\nif Y\nx_SOURCES += c.cpp\n"
                                      "endif\ny_SOURCES = d.cpp\ny_LDADD = x.la\n"),
                         {"x": ["a.cpp", "a.hpp", "b.cpp", "c.cpp"], "y": ["d.cpp"]})

    def test_every_folder_is_linked_into_one_library(self):
        for folder in floors():
            units = units_of(folder)
            with self.subTest(folder):
                if folder == PROGRAMS:
                    self.assertEqual({unit: len(files) for unit, files in units.items()}, dict.fromkeys(units, 1))
                else:
                    self.assertEqual(len(units), 1, list(units))

    def test_every_file_is_listed_once_by_its_folder(self):
        for folder in floors():
            listed = sorted(file for files in units_of(folder).values() for file in files)
            there = sorted(f"src/{folder}/{path.name}" for path in (SOURCES / folder).rglob("*")
                           if path.suffix in (".cpp", ".hpp", ".inc"))
            with self.subTest(folder):
                self.assertEqual(listed, there)
