"""A release tarball is built without the tools that only developers need. `make packages` builds it
completely, with packages; these tests take seconds."""
import functools
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import tarfile
import unittest

import pytest

from support import BUILD, SOURCE, clean_environment, need, scratch_folder
from test_install import configured, make

# What a build from a tarball must not call: packaging/try-tarball.
DEVELOPERS = re.compile(r"(autoconf|autoheader|autom4te|autoreconf|automake|aclocal|libtoolize|m4|perl|python|node|nodejs|npm)[0-9.-]*")
MADE = ("wrappers/mpi_functions.inc", "wrappers/mpi_wrappers_1.cpp", "wrappers/mpi-functions.md",
        "taint/communication_functions.inc")

pytestmark = pytest.mark.full


@functools.lru_cache(maxsize=None)
def tree():
    """The contents of the tarball."""
    need("make")
    folder = scratch_folder() / f"vftrace-{configured('VERSION')}"
    make("distdir", f"distdir={folder}")
    return folder


@functools.lru_cache(maxsize=None)
def tools():
    """A folder of links to all programs except those of developers."""
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

    def pack(self, folder, environment):
        """The tarball of a folder, before compression, as `make dist` packs it."""
        self.assertIn("scripts/pack-sources", configured("am__tar"))
        date = subprocess.run([SOURCE / "scripts" / "source-date", SOURCE], env=environment, capture_output=True, text=True, check=True)
        return subprocess.run([SOURCE / "scripts" / "pack-sources", folder.name, date.stdout.strip()], cwd=folder.parent,
                              env=environment, capture_output=True, check=True).stdout

    def test_bytes_depend_on_sources_only(self):
        """They do not depend on times, the umask, the locale, or the order in which files were created."""
        names = sorted(path.relative_to(tree()) for path in tree().rglob("*") if path.is_file())
        other = scratch_folder() / tree().name
        for name in reversed(names):
            copy = other / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(tree() / name, copy)
            copy.chmod(0o775 if (tree() / name).stat().st_mode & 0o100 else 0o664)
        packed = self.pack(tree(), {**os.environ, "LC_ALL": "C"})
        self.assertGreater(len(packed), 10_000_000)
        self.assertEqual(hashlib.sha256(packed).hexdigest(),
                         hashlib.sha256(self.pack(other, {**os.environ, "LC_ALL": "C.UTF-8", "TZ": "Asia/Tokyo"})).hexdigest())
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            members = archive.getmembers()
            self.assertEqual(len({member.mtime for member in members}), 1)
            self.assertEqual({(member.uid, member.gid, member.uname, member.gname) for member in members}, {(0, 0, "", "")})
        dated = self.pack(other, {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"})
        self.assertEqual(tarfile.open(fileobj=io.BytesIO(dated)).next().mtime, 1700000000)

    def test_date_of_a_tarball_is_that_of_its_files(self):
        environment = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
        folder = scratch_folder()
        (folder / "configure.ac").touch()
        os.utime(folder / "configure.ac", (1600000000, 1600000000))
        printed = subprocess.run([SOURCE / "scripts" / "source-date", folder], env=environment, capture_output=True, text=True)
        self.assertEqual((printed.stdout, printed.stderr), ("1600000000\n", ""))

    def test_holds_only_sources_and_what_is_made_of_them(self):
        need("git")
        listed = subprocess.run(["git", "-C", SOURCE, "ls-files", "--cached", "--others", "--exclude-standard"], capture_output=True, text=True)
        if listed.returncode:
            self.skipTest("not a git repository")
        made = re.compile(r"prepared/.*|build-aux/.*|m4/.*|aclocal\.m4|configure|config\.h\.in|Makefile\.in")
        present = {str(path.relative_to(tree())) for path in tree().rglob("*") if path.is_file()}
        self.assertEqual(sorted(name for name in present - set(listed.stdout.splitlines()) if not made.fullmatch(name)), [])

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
        # A prepared file that is older than its source is not used.
        changed = scratch_folder() / "changed"
        shutil.copytree(tree() / "prepared" / "taint", changed / "taint")
        (changed / "source").write_text("")
        os.utime(changed / "taint" / "communication_functions.inc", (1, 1))
        result = subprocess.run([SOURCE / "scripts" / "take-prepared", changed, changed / "source", "taint/communication_functions.inc"],
                                cwd=folder)
        self.assertEqual(result.returncode, 1)


class Packages(unittest.TestCase):
    def make_packages(self, *parts, without=()):
        """The last lines of make-packages if some programs are missing."""
        folder, programs = scratch_folder(), scratch_folder()
        for program in tools().iterdir():
            if program.name not in without:
                (programs / program.name).symlink_to(os.readlink(program))
        done = subprocess.run(["sh", SOURCE / "packaging" / "make-packages", "vftrace-0.tar.xz", folder, *parts],
                              env=clean_environment(PATH=str(programs)), capture_output=True, text=True)
        said = done.stdout.split("packages of vftrace-0.tar.xz:\n")[1]
        self.assertEqual((folder / "summary").read_text(), said)
        return done.returncode, said

    def test_says_why_a_part_was_skipped(self):
        status, said = self.make_packages("deb", "rpm", "container", without=("dpkg-buildpackage", "rpmbuild", "buildah"))
        self.assertEqual(status, 0)
        self.assertRegex(said, r"^deb: skipped: dpkg-buildpackage is missing \(apt-get install dpkg-dev\)\n"
                               r"rpm: skipped: rpmbuild is missing \(apt-get install rpm\)\n"
                               r"container: skipped: (buildah is missing \(apt-get install buildah\)|only root .*|this system .*)\n$")

    def test_part_that_fails(self):
        # There is no such tarball.
        status, said = self.make_packages("tarball", "nothing")
        self.assertEqual(status, 1)
        self.assertRegex(said, r"^tarball: FAILED: .*try-tarball .*\nnothing: FAILED: no such part\n$")


class TryTarball(unittest.TestCase):
    """packaging/try-tarball finds what it is meant to find: these tarballs install one file and have one fault each."""
    MAKEFILE = """all:
\t{make}
install:
\tmkdir -p $(DESTDIR)/opt/vftrace/share/vftrace
\tcp product $(DESTDIR)/opt/vftrace/share/vftrace
uninstall:
\t{uninstall}
"""
    REMOVES = "rm -r $(DESTDIR)/opt/vftrace/share/vftrace"

    def outcome(self, make="echo made >product", uninstall=REMOVES):
        folder = scratch_folder()
        sources = folder / "vftrace-0"
        sources.mkdir()
        (sources / "Makefile.in").write_text(self.MAKEFILE.format(make=make, uninstall=uninstall))
        (sources / "configure").write_text("#!/bin/sh\ncp \"$(dirname \"$0\")/Makefile.in\" Makefile\n")
        (sources / "configure").chmod(0o755)
        with tarfile.open(folder / "vftrace-0.tar", "w") as archive:
            archive.add(sources, sources.name)
        result = subprocess.run(["sh", SOURCE / "packaging" / "try-tarball", folder / "vftrace-0.tar", folder / "tried"],
                                env=clean_environment(), capture_output=True, text=True)
        self.assertEqual(result.returncode, 1 if result.stderr else 0, result.stderr)
        return result.stdout, result.stderr

    def test_good_one(self):
        said, failed = self.outcome()
        self.assertEqual(failed, "")
        self.assertRegex(said, r"equal bytes: 1 files\nmake uninstall leaves nothing\n$")

    def test_builds_that_differ(self):
        self.assertIn("the two builds differ", self.outcome(make="basename $$PWD >product")[1])

    def test_folder_of_the_build_in_a_file(self):
        said, failed = self.outcome(make="echo $$PWD | sed 's,/tried/.*,/tried,' >product")
        self.assertIn("equal bytes", said)
        self.assertIn("installed files name folders of the build", failed)

    def test_what_uninstall_leaves(self):
        self.assertIn("make uninstall leaves files", self.outcome(uninstall="true")[1])
        self.assertIn("make uninstall leaves folders", self.outcome(uninstall="rm $(DESTDIR)/opt/vftrace/share/vftrace/product")[1])

    def test_build_that_needs_python(self):
        self.assertIn("make failed", self.outcome(make="python3 -c 'print(1)' >product")[1])


if __name__ == "__main__":
    unittest.main()
