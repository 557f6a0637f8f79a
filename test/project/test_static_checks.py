"""Static checks of the sources: form, shell scripts, spelling.

The files are those of the folders below, because a source tree need not be a git repository."""
import re
import subprocess
import unittest

from support import HERE, SOURCE, need

# All files except those that others wrote (third_party, node_modules) and generated ones (build folders, configure, m4, MADE).
FOLDERS = (".ci", ".github", "completions", "doc", "examples", "fortran", "include", "packaging", "python", "scripts",
           "share", "src", "test", "viewer", "wrappers")
MADE = ("share/report.html", "viewer/package-lock.json")
C_SUFFIXES = (".c", ".h", ".cpp", ".hpp")
SHELL_SCRIPTS_WITHOUT_FIRST_LINE = ("completions/vftrace",)
# Versions disagree; this is the one of Debian 12.
CLANG_FORMAT = "clang-format-14"


def texts():
    """All of our text files, by their path in the source tree."""
    paths = [path for path in SOURCE.iterdir() if path.suffix == ".md" or path.name in
             ("INSTALL", "Makefile.am", "bootstrap", "configure.ac", "CITATION.cff", ".editorconfig", ".pre-commit-config.yaml")]
    for folder in FOLDERS:
        paths += (SOURCE / folder).rglob("*")
    for path in sorted(paths):
        name = str(path.relative_to(SOURCE))
        if name in MADE or name.startswith("doc/pictures/") or {"__pycache__", "node_modules"} & set(path.parts):
            continue
        if path.is_file() and not name.startswith("test/fuzz/corpus") \
                and b"\0" not in path.read_bytes()[:1000]:
            yield name


def is_shell_script(name):
    if name in SHELL_SCRIPTS_WITHOUT_FIRST_LINE:
        return True
    with open(SOURCE / name, "rb") as file:
        return re.match(rb"#!.*\b(ba|da)?sh\b", file.readline()) is not None


def output_of(*command, folder=SOURCE):
    """(status, output including errors)."""
    result = subprocess.run([str(word) for word in command], cwd=folder, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return result.returncode, result.stdout


class Form(unittest.TestCase):
    def test_clang_format(self):
        need(CLANG_FORMAT)
        sources = [name for name in texts() if name.endswith(C_SUFFIXES)]
        self.assertGreater(len(sources), 500)
        _, output = output_of(CLANG_FORMAT, "--dry-run", *sources)
        wrong = sorted(set(re.findall(r"^([^\s:]+):\d+:\d+: warning", output, re.M)))
        self.assertEqual((wrong, output), ([], ""),
                         f"not as .clang-format says; run: {CLANG_FORMAT} -i {' '.join(wrong)}")


class Shell(unittest.TestCase):
    def test_shellcheck(self):
        need("shellcheck")
        scripts = [name for name in texts() if is_shell_script(name)]
        self.assertGreater(len(scripts), 8)
        status, output = output_of("shellcheck", "--format=gcc", *scripts)
        self.assertEqual((status, output), (0, ""), "mend these, or disable a line and say why")


class Spelling(unittest.TestCase):
    def test_codespell(self):
        need("codespell")
        status, output = output_of("codespell", "--ignore-words", HERE / "codespell_words.txt", *texts())
        self.assertEqual((status, output), (0, ""),
                         "mend these; words that are right go into test/codespell_words.txt")
