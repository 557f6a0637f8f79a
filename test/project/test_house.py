"""Adding a source of figures touches at most five files.

test/house/yields.patch adds one: calls of sched_yield, a kind of nodes, figures of paths and of threads, an option, and a
test of its own, test_yields.py. It is applied to a copy of the sources and of the build folder, so that only what
it changes is compiled again.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import pytest

from support import BUILD, SOURCE, need, need_part, scratch_folder

PATCH = SOURCE / "test" / "house" / "yields.patch"
MOST_FILES = 5  # .cpp, kind of nodes, source with metrics, option, test
NOT_SOURCES = {".git", "autom4te.cache", "__pycache__", "node_modules"}
# Of the build folder only what make needs in order to rebuild the rest.
NOT_BUILT_ON = {"test-scratch", "sanitized", "sanitized-threads", "bench", "unit_tests", "libomptarget", "packages", "demo"}


def left_out(folder, names):
    return NOT_SOURCES & set(names) | (NOT_BUILT_ON & set(names) if pathlib.Path(folder).resolve() == BUILD.resolve() else set())


def command(folder, *words):
    # Names of folders and settings of the outer make must not reach the inner one.
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("MAKE", "MFLAGS", "VFTR", "VFTRACE"))}
    result = subprocess.run([str(word) for word in words], cwd=folder, env=environment,
                            capture_output=True, text=True)
    if result.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, words))}: {result.stdout[-3000:]}{result.stderr[-3000:]}")
    return result.stdout


def relocate(build, before, after):
    """Makes a copied build folder build the copied sources: makefiles and lists of dependencies name the original ones."""
    name = re.compile(re.escape(os.fsencode(before)) + rb"(?![\w.-])")
    for file in [build / "config.status", build / "libtool", *(file for pattern in ("Makefile", "*.Po", "*.Plo") for file in build.rglob(pattern))]:
        time = file.stat()
        file.write_bytes(name.sub(os.fsencode(after), file.read_bytes()))
        os.utime(file, ns=(time.st_atime_ns, time.st_mtime_ns))


class NewSource(unittest.TestCase):
    def test_touches_few_files(self):
        files = re.findall(r"^\+\+\+ b/(\S+)$", PATCH.read_text(), re.MULTILINE)
        self.assertLessEqual(len(set(files)), MOST_FILES, files)

    @pytest.mark.full
    @pytest.mark.timeout(2400)
    def test_its_figures_appear_everywhere(self):
        need("automake")
        need("patch")
        need_part("BUILD_TOOLS")
        if BUILD.resolve().parent != SOURCE.resolve() or BUILD.name != "build":
            raise unittest.SkipTest("the build folder is not build/ of the sources")
        house = scratch_folder() / "house"
        shutil.copytree(SOURCE, house, ignore=left_out, symlinks=True)
        command(house, "patch", "-p1", "--no-backup-if-mismatch", "-i", PATCH)
        command(house, "scripts/list-sources", "build-aux")
        build = house / "build"
        relocate(build, SOURCE.resolve(), house.resolve())
        command(build, "make", "-s", f"-j{os.cpu_count()}", "libvftrace.la", "vftrace")
        said = command(house, sys.executable, "test/run_tests.py", "--build", build, "--match", "test_yields")
        self.assertRegex(said, r"\n[1-9][0-9]* passed, 0 failed\n")
