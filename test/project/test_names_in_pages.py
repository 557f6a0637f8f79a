"""What the pages for developers put in backquotes exists: files, folders, functions and types."""
import functools
import pathlib
import re
import subprocess
import unittest

from support import SOURCE

PAGES = [SOURCE / "HACKING.md", SOURCE / "CONTRIBUTING.md", *sorted((SOURCE / "doc" / "design").glob("*.md"))]
CODE = ("src", "include", "viewer/src", "taint", "test", "wrappers", "scripts", "fortran", "Makefile.am", "configure.ac")
ROOTS = ("", "src", "src/core", "src/runtime", "src/runtime/sources", "src/tools", "include", "doc", "doc/design", "viewer/src",
         "viewer/src/views", "taint", "test", "scripts", "include/vftrace")
SUFFIXES = ("cpp", "hpp", "c", "h", "inc", "py", "ts", "tsx", "md", "am", "sh", "json", "txt")
# Names with capitals stand for what a run puts there.
FILE = re.compile(rf"[a-z0-9_./*-]+\.({'|'.join(SUFFIXES)}|\*)")
FOLDER = re.compile(r"[a-z_]+/([a-z_]+/?)*")
# A function with its parentheses, a type, or a member of one: names that only code has.
FUNCTION = re.compile(r"((?:\w+::)*\w+)\(\)")
TYPE = re.compile(r"(?:[A-Z][a-z0-9]+){2,}(?:::\w+)*")
# Names of other programs and libraries, and files that runs and builds make.
# Functions of others that comments say why they are not called.
NOT_CALLED = {"gmtime", "localtime", "dwarf_decl_file", "initscr"}
FOREIGN_FILES = {"mpi.h", "omp-tools.h"}
FOREIGN = re.compile(r"(?:MPI|ompt|OMPT|GOMP|CUPTI|cu[A-Z]|cuda|acc_|dl|pthread_|std::|llvm|LLVM|__|perf_|dfs|taint_|DWARF)")


@functools.cache
def tracked():
    listed = subprocess.run(["git", "-c", f"safe.directory={SOURCE}", "ls-files", "--cached", "--others",
                             "--exclude-standard"], cwd=SOURCE, capture_output=True, text=True)
    if listed.returncode != 0:
        raise unittest.SkipTest("the source tree is not a git repository")
    return [path for path in listed.stdout.splitlines() if (SOURCE / path).exists()]


@functools.cache
def words_of_code():
    """All words outside comments."""
    words = set()
    for path in tracked():
        if path.startswith(CODE) and pathlib.Path(path).suffix[1:] in (*SUFFIXES, "F90", ""):
            text = (SOURCE / path).read_text(errors="replace")
            if path.endswith((".cpp", ".hpp", ".inc", ".ts", ".tsx")):
                text = re.sub(r"//.*", "", text)
            words.update(re.findall(r"\w+", text))
    return words


def is_file(name):
    if name in FOREIGN_FILES or name.startswith("build/"):
        return True
    found = any(list((SOURCE / root).glob(pattern)) for root in ROOTS for pattern in (name, f"{name}.*"))
    return found or ("/" not in name and any(pathlib.Path(path).match(name) for path in tracked()))


def is_name(text):
    return FOREIGN.match(text) or text in NOT_CALLED or all(part in words_of_code() for part in text.split("::"))


def unknown(quoted):
    """What is wrong with a text in backquotes, or None."""
    if FILE.fullmatch(quoted) or FOLDER.fullmatch(quoted):
        return None if is_file(quoted) else "no such file or folder"
    function = FUNCTION.fullmatch(quoted)
    if function or TYPE.fullmatch(quoted):
        return None if is_name(function[1] if function else quoted) else "no such name in the code"
    return None


class Pages(unittest.TestCase):
    def test_what_is_not_there_is_seen(self):
        self.assertIsNone(unknown("tree/frames.cpp"))
        self.assertIsNone(unknown("frames.cpp"))
        self.assertIsNone(unknown("run_guarded()"))
        self.assertIsNone(unknown("MPI_Isend()"))
        self.assertEqual(unknown("tree/no_frames.cpp"), "no such file or folder")
        self.assertEqual(unknown("no_" + "frames.cpp"), "no such file or folder")
        self.assertEqual(unknown("no_room/"), "no such file or folder")
        self.assertEqual(unknown("not_" + "guarded()"), "no such name in the code")
        self.assertEqual(unknown("NotAny" + "Class"), "no such name in the code")

    def test_names_in_backquotes_exist(self):
        wrong = []
        for page in PAGES:
            text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
            for quoted in re.findall(r"`([^`\n]+)`", text):
                if said := unknown(quoted):
                    wrong.append(f"{page.relative_to(SOURCE)}: {quoted}: {said}")
        self.assertEqual(sorted(set(wrong)), [])

    def test_comments_name_what_is_there(self):
        """Files such as "(mpi/requests.cpp)", and functions with parentheses."""
        wrong = []
        for path in tracked():
            if not path.startswith("src/") or not path.endswith((".cpp", ".hpp", ".inc")):
                continue
            for comment in re.findall(r"//(.*)", (SOURCE / path).read_text()):
                names = re.findall(r"\b[a-z_0-9]+/[\w/]+\.(?:cpp|hpp|inc|py|md)\b", comment)
                names += re.findall(r"\b\w+\(\)", comment)
                wrong += [f"{path}: {name}: {said}" for name in names if (said := unknown(name))]
        self.assertEqual(sorted(set(wrong)), [])
