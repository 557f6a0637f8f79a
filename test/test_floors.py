"""The floors of the house: no folder includes what src/FLOORS does not let it."""
import pathlib
import re
import unittest

SOURCES = pathlib.Path(__file__).resolve().parent.parent / "src"
INCLUDE = re.compile(r'^\s*#\s*include "([\w/]+)/[^"/]+"', re.MULTILINE)
OTHERS = {"third_party", "cjson"}  # folders that are not ours


def floors():
    """{folder: the folders that it may include}, in the order of the file."""
    rows = (line.split("#")[0].strip() for line in (SOURCES / "FLOORS").read_text().splitlines())
    return {folder.strip(): set(allowed.split())
            for folder, _, allowed in (row.partition(":") for row in rows if row)}


def included_folders(text):
    return {folder for folder in INCLUDE.findall(text) if folder not in OTHERS}


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
