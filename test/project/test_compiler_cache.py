"""What the compiler wrappers cache about a compiler: it is queried once, and again when it has
changed."""
import os
import pathlib
import subprocess
import unittest

from support import BUILD, clean_environment, need, scratch_folder

# Answers what the wrappers ask, and notes each call; it cannot compile. It has to be a program, because what a
# script of that name does may depend on anything.
COMPILER = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int count, char **arguments) {
    int asked = 0;
    for (int i = 1; i < count; i++)
        asked |= !strcmp(arguments[i], "-dM") || !strcmp(arguments[i], "--version");
    FILE *log = fopen(getenv("COMPILER_LOG"), "a");
    fprintf(log, "%s\n", asked ? "asked" : "compiles");
    fclose(log);
    if (asked)
        puts("#define __GNUC__ " VERSION "\n#define __x86_64__ 1\n#include <...> search starts here:\n"
             " /opt/standard library\nEnd of search list.");
    return 0;
}
"""


class CompilerCache(unittest.TestCase):
    def setUp(self):
        need("gcc")
        self.folder = scratch_folder()
        self.log = self.folder / "log"
        self.home = self.folder / "home"
        self.home.mkdir()
        self.compiler = self.folder / "bin" / "gcc"
        self.compiler.parent.mkdir()
        self.make_compiler("12")

    def make_compiler(self, version):
        """Replaces the compiler by that of another version."""
        new = self.compiler.with_suffix(".new")
        subprocess.run(["gcc", "-x", "c", "-", f'-DVERSION="{version}"', "-o", new],
                       input=COMPILER, text=True, check=True)
        new.rename(self.compiler)

    def start(self, *words, wrapper="vftrace-cc", **variables):
        variables.setdefault("HOME", self.home)
        variables.setdefault("XDG_CACHE_HOME", None)
        variables.setdefault("VFTRACE_CC", self.compiler)
        environment = clean_environment(COMPILER_LOG=self.log, **variables)
        for name in [name for name, value in variables.items() if value is None]:
            environment.pop(name, None)
        return subprocess.Popen([BUILD / "scripts" / wrapper, "--vftrace-verbose", *words],
                                cwd=self.folder, env=environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def compile(self, *words, **variables):
        """The command that the wrapper runs."""
        process = self.start(*(words or ("-O2", "-c", "a.c")), **variables)
        output = process.communicate(timeout=60)[0]
        self.assertEqual(process.returncode, 0, output)
        return output

    def times_asked(self):
        """How often the compiler was queried since the last call, not counting compilations."""
        calls = self.log.read_text().split()
        self.log.unlink()
        self.assertIn("compiles", calls)
        return calls.count("asked")

    def files(self):
        return sorted((self.home / ".cache" / "vftrace").iterdir())

    def test_a_compiler_is_queried_once(self):
        first = self.compile()
        self.assertIn("-specs=", first)
        self.assertEqual(self.times_asked(), 1)
        self.assertEqual(self.compile(), first)
        self.assertEqual(self.compile("-O2", "-c", "b.c"), first.replace("a.c", "b.c"))
        self.assertIn("'-finstrument-functions-exclude-file-list=/usr/include,/usr/lib/gcc,nvtx3/,"
                      "/opt/standard library'", self.compile("-O0", "-c", "a.c"))
        self.assertEqual(self.times_asked(), 0)

    def test_languages_and_standards_are_queried_separately(self):
        self.compile()
        self.compile("-O2", "-c", "a.cpp")
        self.compile("-O2", "-std=c11", "-c", "a.c")
        self.assertEqual(self.times_asked(), 3)
        self.compile("-O2", "-std=c11", "-c", "b.c")
        self.compile("-O2", "-c", "b.cpp")
        self.assertEqual(self.times_asked(), 0)

    def test_another_version_is_queried_again(self):
        self.compile()
        self.make_compiler("8")
        self.assertIn("gcc -finstrument-functions", self.compile())
        self.assertEqual(self.times_asked(), 2)
        self.compile()
        self.assertEqual(self.times_asked(), 0)

    def test_the_compiler_behind_ccache_counts(self):
        """A folder at the beginning of PATH has links to ccache with the names of compilers."""
        need("ccache")
        masks = self.folder / "masks"
        masks.mkdir()
        ccache = subprocess.run(["sh", "-c", "command -v ccache"], capture_output=True, text=True,
                                check=True).stdout.strip()
        (masks / "gcc").symlink_to(ccache)
        variables = {"VFTRACE_CC": "gcc", "CCACHE_DIR": self.folder / "ccache",
                     "PATH": f"{masks}:{self.compiler.parent}:{os.environ['PATH']}"}
        self.assertIn("-specs=", self.compile(**variables))
        self.log.unlink()
        self.compile(**variables)
        self.make_compiler("8")
        self.assertIn("gcc -finstrument-functions", self.compile(**variables))

    def test_scripts_are_queried_each_time(self):
        script = self.folder / "my-gcc"
        script.write_text(f'#!/bin/sh\nexec {self.compiler} "$@"\n')
        script.chmod(0o755)
        for _ in range(2):
            self.compile(VFTRACE_CC=script)
            self.assertEqual(self.times_asked(), 1)

    def test_broken_files_are_ignored_and_replaced(self):
        expected = self.compile()
        self.assertEqual(len(self.files()), 1)
        whole = self.files()[0].read_text()
        for broken in ("", "\n", whole[:-5], whole.replace("\n12\n", "\n1;2\n"),
                       whole.replace("\ngnu\n", "\nGNU\n"), "\0\xff" * 1000, whole + "x" * 10000):
            with self.subTest(broken=broken[:100]):
                self.files()[0].write_text(broken, encoding="latin-1")
                self.assertEqual(self.compile(), expected)
                self.assertEqual(self.compile(), expected)
                self.times_asked()
                self.assertEqual(self.compile(), expected)
                self.assertEqual(self.times_asked(), 0)

    def test_files_of_other_users_are_not_trusted(self):
        if os.geteuid() != 0:
            self.skipTest("only root can give files away")
        self.compile()
        file = self.files()[0]
        lie = file.read_text().replace("\ngnu\n", "\nclang\n")
        for change in (lambda: os.chown(file, 65534, 65534),
                       lambda: os.chown(file.parent, 65534, 65534)):
            file.write_text(lie)
            change()
            self.times_asked()
            self.assertIn("-specs=", self.compile())
            self.assertEqual(self.times_asked(), 1)
            os.chown(file.parent, 0, 0)
            self.compile()
            file.unlink()
            self.compile()
        # As under sudo: no files owned by root appear in a user's home.
        theirs = self.folder / "theirs"
        theirs.mkdir()
        os.chown(theirs, 65534, 65534)
        self.compile(HOME=theirs)
        self.assertEqual(list(theirs.iterdir()), [])

    def test_links_are_not_followed(self):
        self.compile()
        file = self.files()[0]
        other = file.with_name("other")
        other.write_text(file.read_text().replace("\ngnu\n", "\nclang\n"))
        file.unlink()
        file.symlink_to(other)
        self.assertIn("-specs=", self.compile())
        self.assertFalse(file.is_symlink())
        self.assertIn("\nclang\n", other.read_text())

    def test_without_a_cache_directory(self):
        readonly = self.folder / "file"
        readonly.write_text("")
        for variables in ({"HOME": None}, {"HOME": ""}, {"HOME": "relative"},
                          {"HOME": "/nonexistent"}, {"HOME": readonly}, {"HOME": "/proc/self"},
                          {"HOME": None, "XDG_CACHE_HOME": "relative"}):
            with self.subTest(variables=variables):
                self.assertIn("-specs=", self.compile(**variables))
        self.assertFalse((self.folder / "relative").exists())
        self.assertFalse(pathlib.Path("/nonexistent").exists())

    def test_xdg_cache_home(self):
        place = self.folder / "xdg" / "deep"
        self.compile(XDG_CACHE_HOME=place)
        self.compile(XDG_CACHE_HOME=place)
        self.assertEqual(self.times_asked(), 1)
        self.assertEqual(len(list((place / "vftrace").iterdir())), 1)
        self.assertEqual((place / "vftrace").stat().st_mode & 0o777, 0o700)
        self.assertEqual(list(self.home.iterdir()), [])

    def test_many_processes_at_once(self):
        processes = [self.start("-O2", "-c", "a.c") for _ in range(8)]
        outputs = {process.communicate(timeout=60)[0] for process in processes}
        self.assertEqual({process.returncode for process in processes}, {0})
        self.assertEqual(outputs, {self.compile()})
        self.assertEqual(len(self.files()), 1, "files for the time of writing stay")
        self.times_asked()
        self.compile()
        self.assertEqual(self.times_asked(), 0)


if __name__ == "__main__":
    unittest.main()
