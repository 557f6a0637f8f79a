"""A release tarball is built without what only developers need. `make packages` builds all of it, and packages; this takes seconds."""
import functools
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from support import BUILD, SOURCE, clean_environment, need, scratch_folder
from test_install import configured, make

# What a build from a tarball must not call: packaging/try-tarball.
DEVELOPERS = re.compile(r"(autoconf|autoheader|autom4te|autoreconf|automake|aclocal|libtoolize|m4|perl|python|node|nodejs|npm)[0-9.-]*")
MADE = ("wrappers/mpi_functions.inc", "wrappers/mpi_wrappers_1.cpp", "wrappers/mpi-functions.md", "page/page_template.inc",
        "taint/communication_functions.inc")


@functools.lru_cache(maxsize=None)
def tree():
    """What the tarball holds."""
    need("make")
    folder = scratch_folder() / f"vftrace-{configured('VERSION')}"
    make("distdir", f"distdir={folder}")
    return folder


@functools.lru_cache(maxsize=None)
def tools():
    """A folder of links to all programs but those of developers."""
    folder = scratch_folder() / "tools"
    folder.mkdir()
    for place in ("/usr/bin", "/bin", "/usr/sbin", "/sbin"):
        for program in pathlib.Path(place).iterdir():
            if not DEVELOPERS.fullmatch(program.name) and not (folder / program.name).is_symlink():
                (folder / program.name).symlink_to(program)
    return folder


def call(*command, folder):
    environment = {name: value for name, value in clean_environment(PATH=str(tools())).items()
                   if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "PYTHON")}
    result = subprocess.run([str(word) for word in command], cwd=folder, env=environment, capture_output=True, text=True)
    if result.returncode:
        raise AssertionError(" ".join(map(str, command)) + "\n" + result.stdout[-3000:] + result.stderr[-3000:])
    return result.stdout


class Tarball(unittest.TestCase):
    maxDiff = None

    def test_holds_what_is_in_the_repository(self):
        need("git")
        listed = subprocess.run(["git", "-C", SOURCE, "ls-files"], capture_output=True, text=True)
        if listed.returncode:
            self.skipTest("not a git repository")
        missing = [name for name in listed.stdout.splitlines() if not (tree() / name).exists()]
        self.assertEqual([name for name in missing if (SOURCE / name).exists() and name != ".gitignore"], [])

    def test_holds_nothing_that_was_built(self):
        built = [str(path.relative_to(tree())) for path in tree().rglob("*") if path.suffix in (".o", ".lo", ".la", ".a", ".pyc")
                 or path.name in ("config.h", "config.status", "Makefile") and path.parent == tree()
                 or path.parent.name == "packaging" and path.suffix in (".pc", ".cmake")]
        self.assertEqual(built, [])

    def test_sources_are_made_without_python_and_objects_do_not_name_the_folder(self):
        folder = scratch_folder() / "build"
        folder.mkdir()
        call(tree() / "configure", "--quiet", "--without-llvm", "--disable-fortran", folder=folder)
        self.assertRegex((folder / "Makefile").read_text(), r"(?m)^PYTHON = :$")
        call("make", "--silent", *MADE, "completions/_vftrace", "libvftrace_allocations.la", folder=folder)
        library = (folder / ".libs" / "libvftrace_allocations.so").read_bytes()
        for place in (folder, tree()):
            self.assertNotIn(str(place).encode(), library)
        for name in MADE:
            self.assertEqual((folder / name).read_bytes(), (BUILD / name).read_bytes(), name)
        # What is older than its source is not taken.
        changed = scratch_folder() / "changed"
        shutil.copytree(tree() / "prepared" / "taint", changed / "taint")
        (changed / "source").write_text("")
        os.utime(changed / "taint" / "communication_functions.inc", (1, 1))
        result = subprocess.run([SOURCE / "scripts" / "take-prepared", changed, changed / "source", "taint/communication_functions.inc"],
                                cwd=folder)
        self.assertEqual(result.returncode, 1)


if __name__ == "__main__":
    unittest.main()
