"""clang-tidy over a few of the sources that were changed last, and over all of them."""
import os
import re
import subprocess
import unittest

import pytest

from support import BUILD, SOURCE, need, scratch_folder

# Each takes about four seconds of processor time.
MOST_FILES = 5
# Versions disagree; this is the one of Debian 12.
CLANG_TIDY = "clang-tidy-14"
SOURCES = re.compile(r"src/[\w/]+\.[ch]pp")
WING = re.compile(r"^src/(core/|tools/|runtime/(sources/)?)")


def git(*arguments):
    """Its output by line; empty without a repository."""
    done = subprocess.run(["git", "-c", f"safe.directory={SOURCE}", *arguments], cwd=SOURCE, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.stdout.splitlines() if done.returncode == 0 else []


def changed_files():
    """Paths of existing sources, uncommitted ones first, then those of the newest commits."""
    names = git("diff", "--name-only", "HEAD") + git("ls-files", "--others", "--exclude-standard", "src")
    names += git("log", "--name-only", "--format=", "-n", "300")
    return [name for name in dict.fromkeys(names) if SOURCES.fullmatch(name) and (SOURCE / name).exists()]


def compiled_with(header, sources):
    """The source with which a header is checked: its own, or the first that includes it."""
    own = header.removesuffix(".hpp") + ".cpp"
    line = f'#include "{WING.sub("", header)}"'
    if own in sources:
        return own
    return next((name for name, text in sources.items() if line in text), None)


def files_to_check():
    sources = {str(path.relative_to(SOURCE)): path.read_text() for path in sorted(SOURCE.glob("src/**/*.cpp"))}
    chosen = (name if name.endswith(".cpp") else compiled_with(name, sources) for name in changed_files())
    return [name for name in dict.fromkeys(chosen) if name][:MOST_FILES]


def tidy(*files):
    """(whether the files are fine, the remarks about them)"""
    done = subprocess.run(["make", "-s", "-C", str(BUILD), "tidy", "TIDY_FILES=" + " ".join(map(str, files))],
                          env={**os.environ, "MAKEFLAGS": ""}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode == 0, done.stdout


class Tidy(unittest.TestCase):
    def setUp(self):
        need(CLANG_TIDY)

    def test_a_fault_is_found(self):
        folder = scratch_folder()
        (folder / "good.cpp").write_text("double half(int number) { return number / 2.0; }\n")
        (folder / "bad.cpp").write_text("double half(int number) { return number / 2; }\n")
        self.assertEqual(tidy(folder / "good.cpp"), (True, ""))
        well, remarks = tidy(folder / "good.cpp", folder / "bad.cpp")
        self.assertFalse(well)
        self.assertIn("[bugprone-integer-division", remarks)

    @pytest.mark.full
    @pytest.mark.timeout(3600)
    def test_everything(self):
        self.check(sorted(SOURCE.glob("src/**/*.cpp")))

    def test_what_changed_last(self):
        """Takes 4 s for each of the files."""
        need("git")
        files = files_to_check()
        if not files:
            self.skipTest("the source tree is not a git repository: nothing says what was changed last")
        self.check([SOURCE / name for name in files])

    def check(self, files):
        well, remarks = tidy(*files)
        self.assertTrue(well and not remarks, f"of {len(files)} files:\n{remarks}")
