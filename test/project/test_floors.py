"""The wings and rooms of the sources: each room includes only what src/FLOORS allows."""
import re
import shutil
import subprocess
import unittest

from support import SOURCE, scratch_folder

SOURCES = SOURCE / "src"
WINGS = ("core", "runtime", "tools")
INCLUDE = re.compile(r'^\s*#\s*include "([\w/]+)/[^"/]+"', re.MULTILINE)
OTHERS = {"third_party", "cjson"}  # folders that do not contain our own code
SUFFIXES = (".cpp", ".hpp", ".inc")


def rows():
    """(path of a room, what its row says) in the order of src/FLOORS."""
    lines = (line.split("#")[0].strip() for line in (SOURCES / "FLOORS").read_text().splitlines())
    return [(path.strip(), allowed.split()) for path, _, allowed in (line.partition(":") for line in lines if line)]


def floors():
    """{path of a room: the names of rooms that it may include}, in the order of the file."""
    found = {}
    for path, allowed in rows():
        found[path] = set()
        for name in allowed:
            found[path] |= {room_of(other) for other in found if wing_of(other) == name} if name in WINGS else {name}
    return found


def room_of(path):
    return path.rsplit("/", 1)[-1]


def wing_of(path):
    return path.split("/", 1)[0]


def included_rooms(text):
    return {room for room in INCLUDE.findall(text) if room not in OTHERS}


def files_below(folder):
    return sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES)


class Floors(unittest.TestCase):
    def test_an_include_is_seen(self):
        self.assertEqual(included_rooms('#include <vector>\n#include "tree/node.hpp"\n'
                                        '  # include "gpu/x.inc"\n#include "config.h"\n'), {"tree", "gpu"})

    def test_there_are_three_wings(self):
        self.assertEqual({path.name for path in SOURCES.iterdir() if path.is_dir()}, set(WINGS))

    def test_every_folder_has_a_row(self):
        folders = {str(path.parent.relative_to(SOURCES)) for path in files_below(SOURCES)}
        self.assertEqual(set(floors()), folders)

    def test_no_two_rooms_have_the_same_name(self):
        names = [room_of(path) for path in floors()]
        self.assertEqual(sorted(names), sorted(set(names)))

    def test_a_room_is_more_than_one_file(self):
        self.assertEqual([path for path in floors() if len(list((SOURCES / path).glob("*.cpp"))) < 2], [])

    def test_no_room_names_a_later_one(self):
        seen = set()
        for path, allowed in floors().items():
            self.assertLessEqual(allowed, seen, f"{path} comes before what it uses")
            seen.add(room_of(path))

    def test_wings_do_not_know_each_other(self):
        wings = {room_of(path): wing_of(path) for path in floors()}
        for path, allowed in floors().items():
            self.assertLessEqual({wings[room] for room in allowed}, {"core", wing_of(path)}, path)

    def test_no_source_includes_another(self):
        sources = {room_of(path) for path in floors() if path.startswith("runtime/sources/")}
        for path, allowed in floors().items():
            if room_of(path) in sources:
                self.assertEqual(allowed & sources, set(), path)

    def test_no_file_includes_upward(self):
        upward = []
        for folder, allowed in floors().items():
            for path in files_below(SOURCES / folder):
                upward += [f"{path.relative_to(SOURCES)} includes {other}"
                           for other in included_rooms(path.read_text()) - allowed - {room_of(folder)}]
        self.assertEqual(upward, [])


class Lists(unittest.TestCase):
    def list_of(self, rows, files):
        """scripts/list-sources in a folder with these rows in src/UNITS, and these files: what it says, its folder."""
        folder = scratch_folder()
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        (folder / "scripts").mkdir()
        (folder / "src" / "UNITS").write_text(rows)
        script = shutil.copy(SOURCE / "scripts" / "list-sources", folder / "scripts")
        return subprocess.run([script, folder / "made"], capture_output=True, text=True), folder / "made"

    def test_configure_knows_the_files_that_are_there(self):
        """A file that was added since then would be left out of the library without a word."""
        folder = scratch_folder()
        subprocess.run([SOURCE / "scripts" / "list-sources", folder], check=True)
        text = (folder / "sources.am").read_text()
        self.assertEqual((SOURCE / "build-aux" / "sources.am").read_text(), text, "call bootstrap again")
        for path in files_below(SOURCES):
            self.assertIn(f"\t{path.relative_to(SOURCE)}", text)

    def test_the_last_row_decides(self):
        done, made = self.list_of("src/ x_a\nsrc/b/ y_a alone\nsrc/b/some_* y_a HAVE_SOME alone\n# end\n",
                                  {"src/a.cpp": "int a;\n", "src/b/other.hpp": "", "src/b/some_part.cpp": "int b;\n",
                                   "src/b/README": ""})
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual((made / "sources.am").read_text().split("\n", 1)[1],
                         "x_a_SOURCES =\ny_a_SOURCES =\ny_a_SOURCES += \\\n\tsrc/b/other.hpp\n"
                         "if HAVE_SOME\ny_a_SOURCES += \\\n\tsrc/b/some_part.cpp\nendif\n"
                         "if UNITY\nx_a_SOURCES += \\\n\tsrc/a.cpp\nelse\nx_a_SOURCES += \\\n\tsrc/a.cpp\nendif\n")

    def test_sources_with_the_same_name_stay_apart(self):
        text = "namespace {{\nint {}() {{\n}}\n}}  // namespace\n"
        done, made = self.list_of("src/ x_a\n", {"src/core/a.cpp": text.format("one"), "src/core/b.cpp": text.format("one"),
                                                "src/core/c.cpp": text.format("two"), "src/tools/d.cpp": text.format("three")})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        groups = {path.name: path.read_text() for path in (made / "unity").iterdir()}
        self.assertEqual(groups, {"core_a.cpp": '#include "../../src/core/a.cpp"\n#include "../../src/core/c.cpp"\n'})

    def test_files_and_rows_must_agree(self):
        without_row, _ = self.list_of("src/a/ x_a\n", {"src/a/a.cpp": "", "src/b.cpp": ""})
        self.assertEqual(without_row.returncode, 1)
        self.assertIn("what src/b.cpp is linked into", without_row.stderr)
        without_file, _ = self.list_of("src/ x_a\nsrc/b/ x_a\n", {"src/a.cpp": ""})
        self.assertEqual(without_file.returncode, 1)
        self.assertIn("there is no file src/b/", without_file.stderr)
