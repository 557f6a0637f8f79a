"""Adding a source of figures touches at most six files.

test/house/yields.patch adds one: calls of sched_yield, a kind of nodes, figures of paths and of threads, an option, and a
test of its own, test_yields.py. It is applied to a copy of the sources and built there.
"""
import os
import re
import shutil
import subprocess
import sys
import unittest

import pytest

from support import BUILD, SOURCE, need, need_part, scratch_folder

PATCH = SOURCE / "test" / "house" / "yields.patch"
MOST_FILES = 6  # .cpp, its name in Makefile.am, kind of nodes, source with metrics, option, test
LEFT_OUT = shutil.ignore_patterns(".git", "build", "autom4te.cache", "*.o", "*.lo", "*.la", ".libs")


def command(folder, *words):
    # Names of folders and settings of the outer make must not reach the inner one.
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("MAKE", "MFLAGS", "VFTR", "VFTRACE"))}
    result = subprocess.run([str(word) for word in words], cwd=folder, env=environment,
                            capture_output=True, text=True)
    if result.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, words))}: {result.stdout[-3000:]}{result.stderr[-3000:]}")
    return result.stdout


class NewSource(unittest.TestCase):
    def test_touches_few_files(self):
        files = re.findall(r"^\+\+\+ b/(\S+)$", PATCH.read_text(), re.MULTILINE)
        self.assertLessEqual(len(set(files)), MOST_FILES, files)

    @pytest.mark.slow
    @pytest.mark.timeout(2400)
    def test_its_figures_appear_everywhere(self):
        need("automake")
        need("patch")
        need_part("BUILD_TOOLS")
        if BUILD.resolve().parent != SOURCE.resolve() or BUILD.name != "build":
            raise unittest.SkipTest("the build folder is not build/ of the sources")
        house = scratch_folder() / "house"
        shutil.copytree(SOURCE, house, ignore=LEFT_OUT, symlinks=True)
        command(house, "patch", "-p1", "--no-backup-if-mismatch", "-i", PATCH)
        command(house, "./bootstrap")
        build = house / "build"
        build.mkdir()
        # Only the build must be fast; without any optimisation the library would need the C++ library.
        command(build, "../configure", "--disable-fortran", "CFLAGS=-O1", "CXXFLAGS=-O1")
        command(build, "make", "-s", "wrappers/made")
        command(build, "make", "-s", "libvftrace.la")
        command(build, "make", "-s", "CXXFLAGS=-O0", "vftrace")
        said = command(house, sys.executable, "test/run_tests.py", "--build", build, "--as-is", "--match", "test_yields")
        self.assertRegex(said, r"\n[1-9][0-9]* passed, 0 failed\n")
