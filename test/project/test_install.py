"""`make install`: what is installed, and that programs can be built with it, wherever it is
installed.

The build folder, which must be up to date, is installed into a scratch folder (DESTDIR), and used
there: a different place from the one that it was configured for."""
import functools
import os
import re
import shutil
import subprocess
import unittest

from support import (BUILD, PROGRAMS, SOURCE, clean_environment, need, need_part, run,
                     scratch_folder)


def make(*arguments):
    need("make")
    # This make is independent of a make that runs the tests and must not inherit its options and jobs.
    environment = {name: value for name, value in clean_environment().items()
                   if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "DESTDIR")}
    result = subprocess.run(["make", "-C", BUILD, *map(str, arguments)], env=environment,
                            capture_output=True, text=True)
    if result.returncode != 0:
        raise AssertionError(result.stdout[-3000:] + result.stderr[-3000:])


def configured(name):
    """The value of a variable of the Makefile, with the variables that it refers to expanded."""
    text = (BUILD / "Makefile").read_text()
    value = re.search(rf"(?m)^{name} = (.*)$", text)[1]
    return re.sub(r"\$[{(](\w+)[})]", lambda inner: configured(inner[1]), value)


def files_below(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*")
                  if not path.is_dir() or path.is_symlink())


def under(folder, path):
    return folder / str(path).lstrip("/")


@functools.lru_cache(maxsize=None)
def stage_of_installation():
    """The folder that represents the root, into which everything is installed once for all tests."""
    stage = scratch_folder()
    make("install", f"DESTDIR={stage}")
    return stage


def installation():
    """The folder that represents the prefix."""
    return under(stage_of_installation(), configured("prefix"))


def libraries():
    """The folder that the libraries are installed in."""
    return under(stage_of_installation(), configured("libdir"))


def build(*command, folder=None, **variables):
    folder = folder or scratch_folder()
    result = subprocess.run([str(word) for word in command], cwd=folder, capture_output=True,
                            text=True, env=clean_environment(**variables))
    if result.returncode != 0:
        raise AssertionError(" ".join(map(str, command)) + "\n" + result.stdout + result.stderr)
    return result.stdout


class InstallTest(unittest.TestCase):
    maxDiff = None

    def runs(self, program, *arguments, path, status=0, **variables):
        """The program is profiled unchanged: nothing is preloaded."""
        result = run([program, *arguments], preload=False, **variables)
        self.assertEqual((result.status, result.stderr), (status, ""))
        self.assertIn(path, result.calls())
        return result


class Files(InstallTest):
    def test_everything_is_there(self):
        root = installation()
        files = files_below(root)
        wanted = ["include/vftrace.h", "include/vftrace.hpp", "include/vftrace/sections.h",
                  "include/vftrace/sections.hpp", "include/vftrace/time_section.hpp", "include/vftrace/library_calls.h",
                  "include/vftrace/tasks.h", "include/vftrace/tasks.hpp", "bin/vftrace-cc", "bin/vftrace-c++",
                  "bin/vftrace-fc", "bin/vftrace-mpicc", "bin/vftrace-mpic++",
                  "bin/vftrace-mpifort", "share/man/man1/vftrace.1", "share/man/man1/vftrace-cc.1",
                  "share/man/man1/vftrace_check_config.1",
                  "share/man/man1/vftrace_generate_default_config.1"]
        library = libraries().relative_to(root)
        wanted += [f"{library}/{name}" for name in (
            "libvftrace.a", "libvftrace.la", "libvftrace.so", "libvftrace.so.0",
            "libvftrace.so.0.0.0", "libvftrace_allocations.so", "libvftrace_waits.so", "libvftrace_io.so", "pkgconfig/vftrace.pc", "cmake/vftrace/vftraceConfig.cmake",
            "cmake/vftrace/vftraceConfigVersion.cmake")]
        makefile = (BUILD / "Makefile").read_text()
        if "\nBUILD_TOOLS_TRUE = \n" in makefile:
            wanted += ["bin/vftrace", "bin/vftrace_check_config",
                       "bin/vftrace_generate_default_config"]
        if "\nHAVE_FORTRAN_TRUE = \n" in makefile:
            wanted += ["include/vftrace.mod", "share/vftrace/vftrace.F90"]
        self.assertEqual([name for name in wanted if name not in files], [])

    def test_nothing_internal_is_there(self):
        names = " ".join(files_below(installation()))
        for part in ("core", "libvftrace_hooks", "runtime", "unit_tests", "catch", "cJSON", "vftrace.map"):
            self.assertNotIn(part, names)

    def test_links_and_rights(self):
        for name in ("libvftrace.so", "libvftrace.so.0"):
            self.assertEqual(os.readlink(libraries() / name), "libvftrace.so.0.0.0")
        for path in (installation() / "bin").iterdir():
            self.assertTrue(os.access(path, os.X_OK), path)
        for path in (installation() / "include").rglob("*.*"):
            self.assertFalse(os.access(path, os.X_OK), path)

    def test_no_trace_of_the_build_folder(self):
        root = installation()
        for name in files_below(root):
            content = (root / name).read_bytes()
            # The debug information of a checkout contains these paths, so that debuggers find the sources.
            for folder in (BUILD, SOURCE) if b"\0" not in content else ():
                self.assertNotIn(str(folder).encode(), content, name)
            if name.endswith((".so", ".0", ".a")) or b"\x7fELF" in content[:4]:
                dynamic = subprocess.run(["readelf", "-d", root / name], capture_output=True,
                                         text=True).stdout
                self.assertNotRegex(dynamic, r"R(UN)?PATH", name)

    def test_into_another_prefix(self):
        prefix = scratch_folder() / "prefix"
        make("install", f"prefix={prefix}")
        self.assertEqual(files_below(prefix), files_below(installation()))

    def test_uninstall(self):
        stage = scratch_folder()
        make("install", f"DESTDIR={stage}")
        self.assertNotEqual(files_below(stage), [])
        shared = under(stage, configured("prefix")) / "share"
        (shared / "vftrace" / "mine.json").touch()
        make("uninstall", f"DESTDIR={stage}")
        # Files that others have put there remain, and so do folders that do not belong to vftrace.
        self.assertEqual(files_below(shared), ["vftrace/mine.json"])
        left = [str(path.relative_to(shared.parent)) for path in shared.parent.rglob("*vftrace*") if path.name != "vftrace.1"]
        self.assertEqual(left, ["share/vftrace"])

    def test_man_pages_can_be_formatted(self):
        need("man")
        for page in (installation() / "share" / "man" / "man1").iterdir():
            result = subprocess.run(["man", "--warnings", "-l", page], capture_output=True,
                                    text=True, env={**os.environ, "MANPAGER": "cat",
                                                    "LC_ALL": "C.UTF-8", "MANWIDTH": "80"})
            if "minimized" in result.stdout:
                self.skipTest("manual pages are not installed on this system")
            self.assertEqual((result.returncode, result.stderr), (0, ""), page)


def copy_installation(top):
    """Makes links to the files: a test removes a link before it changes the file."""
    shutil.copytree(installation(), top, symlinks=True, copy_function=os.link)
    return top


@functools.lru_cache(maxsize=None)
def moved_installation():
    """A copy: files at the configured and the original location must not be used."""
    return copy_installation(scratch_folder() / "moved" / "elsewhere")


class Moved(InstallTest):
    def library(self):
        return moved_installation() / libraries().relative_to(installation())

    def test_command_profiles_with_the_library_next_to_it(self):
        need_part("BUILD_TOOLS")
        top, library = moved_installation(), self.library()
        program = scratch_folder() / "program"
        build("gcc", "-O1", "-finstrument-functions", PROGRAMS / "call_counts.c", "-o", program)
        result = run([top / "bin" / "vftrace", "run", "--", program], preload=False)
        self.assertEqual((result.status, result.stderr), (3, ""))
        self.assertEqual(result.calls()["leaf<mid<main<init"], 6)
        counted = run([top / "bin" / "vftrace", "run", "--", "sh", "-c", "echo $LD_PRELOAD"], preload=False,
                      VFTR_SECTION_MEMORY="allocations")
        names = ("libvftrace.so", "libvftrace_allocations.so", "libvftrace_annotations.so")
        self.assertEqual(counted.stdout, ":".join(str(library / name) for name in names) + "\n")

    def test_command_finds_libraries_without_their_names_for_linking(self):
        """As on systems without the development package."""
        need_part("BUILD_TOOLS")
        top = copy_installation(scratch_folder() / "top")
        library = top / self.library().relative_to(moved_installation())
        for name in ("libvftrace.so", "libvftrace_serial.so"):
            (library / name).unlink()
        for option, name in (("--mpi=yes", "libvftrace.so.0"), ("--mpi=no", "libvftrace_serial.so.0")):
            result = run([top / "bin" / "vftrace", "run", option, "--", "sh", "-c", "echo $LD_PRELOAD"], preload=False)
            self.assertEqual(result.stdout, f"{library / name}:{library / 'libvftrace_annotations.so'}\n")

    def test_library_finds_the_command_to_recover(self):
        need_part("BUILD_TOOLS")
        top = copy_installation(scratch_folder() / "top")
        mark = scratch_folder() / "mark"
        command = top / "bin" / "vftrace"
        command.unlink()
        command.write_text(f"#!/bin/sh\necho \"$*\" >{mark}\n")
        command.chmod(0o755)
        program = scratch_folder() / "killed"
        build(top / "bin" / "vftrace-cc", "-O1", PROGRAMS / "end_by_signal.c", "-o", program)
        run([program, "segv"], preload=False)
        self.assertIn("recover", mark.read_text())

    def test_compilers_use_the_files_next_to_them(self):
        link = scratch_folder() / "links"
        link.mkdir()
        for name in ("vftrace-cc", "vftrace-c++"):
            (link / name).symlink_to(moved_installation() / "bin" / name)
        for compiler in (moved_installation() / "bin" / "vftrace-cc", link / "vftrace-cc"):
            program = scratch_folder() / "program"
            printed = subprocess.run([compiler, "--vftrace-verbose", "-O0", PROGRAMS / "regions.c", "-o", program],
                                     env=clean_environment(), capture_output=True, text=True)
            self.assertEqual(printed.returncode, 0, printed.stderr)
            self.assertIn(f"{self.library()}/libvftrace.so", printed.stderr)
            self.assertIn(f"{moved_installation()}/include", printed.stderr)
            self.assertNotIn(str(installation()), printed.stderr)
            self.runs(program, path="second<main<init")

    def test_pkg_config_names_the_place(self):
        need("pkg-config")
        flags = build("pkg-config", "--cflags", "--libs", "vftrace", PKG_CONFIG_PATH=self.library() / "pkgconfig")
        for kind, place in (("-I", moved_installation() / "include"), ("-L", self.library())):
            folder = re.search(rf"{kind}(\S+)", flags)[1]
            self.assertEqual(os.path.realpath(folder), str(place))
        program = scratch_folder() / "program"
        build("gcc", PROGRAMS / "regions.c", "-finstrument-functions", "-o", program, *flags.split())
        self.runs(program, path="second<main<init", LD_LIBRARY_PATH=self.library())

    def test_module_file(self):
        folder = moved_installation() / "share" / "modulefiles"
        files = files_below(folder)
        self.assertEqual(files, [f"vftrace/{configured('VERSION')}"])
        commands = [command for command in (("tclsh", "/usr/lib/x86_64-linux-gnu/modulecmd.tcl"),
                                            ("tclsh", "/usr/share/modules/libexec/modulecmd.tcl"),
                                            ("tclsh", "/usr/lib/x86_64-linux-gnu/modulecmd-compat"),
                                            ("lua5.3", "/usr/share/lmod/lmod/libexec/lmod")) if os.path.exists(command[1])]
        if not commands:
            self.skipTest("Environment Modules and Lmod are missing")
        for command in commands:
            name = files[0] if "lmod" in command[1] else f"{folder}/{files[0]}"
            with self.subTest(command=command[1]):
                printed = build(*command, "bash", "load", name, MODULEPATH=str(folder))
                for variable, value in (("PATH", "bin"), ("MANPATH", "share/man"), ("CMAKE_PREFIX_PATH", "."),
                                        ("LD_LIBRARY_PATH", str(libraries().relative_to(installation())))):
                    path = re.escape(os.path.normpath(moved_installation() / value))
                    self.assertRegex(printed, rf"""(?m)\b{variable}=['"]?{path}(:|;|'|"|$)""")


class PkgConfig(InstallTest):
    def pkg_config(self, *options):
        need("pkg-config")
        return build("pkg-config", *options, "vftrace",
                     PKG_CONFIG_PATH=libraries() / "pkgconfig").split()

    def test_version(self):
        version = configured("VERSION")
        self.assertEqual(self.pkg_config("--modversion"), [version])

    def test_c_program_with_the_shared_library(self):
        need("gcc")
        program = scratch_folder() / "shared"
        build("gcc", "-O1", "-finstrument-functions", PROGRAMS / "regions.c", "-o", program,
              *self.pkg_config("--cflags", "--libs"))
        needed = subprocess.run(["readelf", "-d", program], capture_output=True, text=True).stdout
        self.assertIn("libvftrace.so.0", needed)
        self.runs(program, path="second<main<init", LD_LIBRARY_PATH=libraries())

    def static(self, compiler, source, name, *options):
        need(compiler)
        program = scratch_folder() / name
        build(compiler, "-O1", "-finstrument-functions", *options, PROGRAMS / source, "-o", program,
              *self.pkg_config("--cflags"), *self.pkg_config("--variable=static_libs"))
        needed = subprocess.run(["readelf", "-d", program], capture_output=True, text=True).stdout
        self.assertNotIn("libvftrace", needed)
        return program

    def test_c_program_with_the_static_library(self):
        self.runs(self.static("gcc", "regions.c", "static_c"), path="second<main<init")

    def test_cxx_program_with_the_static_library(self):
        program = self.static("g++", "cxx_regions.cpp", "static_cxx", "-std=c++20",
                              "-finstrument-functions-exclude-file-list=/usr/include")
        self.runs(program, path="scope<main<init")

    def test_program_that_uses_no_function_of_the_library_by_name(self):
        self.runs(self.static("gcc", "call_counts.c", "static_hooks"), path="leaf<mid<main<init",
                  status=3)


class CMake(InstallTest):
    PROJECT = """cmake_minimum_required(VERSION 3.15)
project(example LANGUAGES C CXX)
find_package(vftrace {version} REQUIRED)
add_executable(app {source})
target_link_libraries(app PRIVATE vftrace::{target})
target_compile_options(app PRIVATE ${{vftrace_INSTRUMENT_FLAGS}})
message(STATUS "found version ${{vftrace_VERSION}}")
"""

    def configure(self, text, *options):
        need("cmake")
        folder = scratch_folder()
        (folder / "CMakeLists.txt").write_text(text)
        printed = build("cmake", "-S", ".", "-B", "build", *options, folder=folder)
        return folder, printed

    def project(self, source, version="", target="vftrace"):
        return self.configure(self.PROJECT.format(source=PROGRAMS / source, version=version,
                                                  target=target),
                              f"-DCMAKE_PREFIX_PATH={installation()}")

    def test_find_package(self):
        for source, path in (("regions.c", "second<main<init"), ("cxx_regions.cpp",
                                                                 "scope<main<init")):
            with self.subTest(source=source):
                folder, printed = self.project(source)
                self.assertIn(f"found version {configured('VERSION')}", printed)
                build("cmake", "--build", "build", folder=folder)
                self.runs(folder / "build" / "app", path=path)

    def test_static_library(self):
        # One that refers to the library by name, and one that does not.
        for source, path in (("regions.c", "second<main<init"),
                             ("call_counts.c", "leaf<mid<main<init")):
            with self.subTest(source=source):
                folder, _ = self.project(source, target="vftrace_static")
                build("cmake", "--build", "build", folder=folder)
                program = folder / "build" / "app"
                needed = subprocess.run(["readelf", "-d", program], capture_output=True,
                                        text=True).stdout
                self.assertNotIn("libvftrace", needed)
                result = run([program], preload=False)
                self.assertEqual(result.stderr, "")
                self.assertIn(path, result.calls())

    def test_versions(self):
        major = int(configured("VERSION").split(".")[0])
        self.project("regions.c", f"{major}.0")
        for version in (f"{major + 1}.0", f"{major}.999", f"{max(major - 1, 0)}.0 EXACT"):
            with self.assertRaisesRegex(AssertionError, "vftrace"):
                self.project("regions.c", version)

    def test_project_with_the_compiler_wrappers(self):
        # The project does not mention vftrace.
        source = scratch_folder() / "app.cpp"
        source.write_text("#include <cstdio>\n"
                          "static int work(int n) { return n * 2; }\n"
                          "int main() { std::printf(\"%d\\n\", work(21)); }\n")
        folder, _ = self.configure("cmake_minimum_required(VERSION 3.15)\n"
                                   "project(plain LANGUAGES CXX)\n"
                                   f"add_executable(app {source})\n",
                                   f"-DCMAKE_CXX_COMPILER={installation() / 'bin/vftrace-c++'}")
        build("cmake", "--build", "build", folder=folder)
        result = self.runs(folder / "build" / "app", path="main<init")
        self.assertEqual(result.stdout, "42\n")
        self.assertIn("work", " ".join(result.calls()))


class Wrappers(InstallTest):
    def test_each_language(self):
        for wrapper, compiler, source, path in (
                ("vftrace-cc", "gcc", PROGRAMS / "call_counts.c", "leaf<mid<main<init"),
                ("vftrace-c++", "g++", PROGRAMS / "cxx_regions.cpp", "scope<main<init"),
                ("vftrace-fc", "gfortran", PROGRAMS.parent / "fortran" / "regions.F90", "init")):
            with self.subTest(wrapper=wrapper):
                if not shutil.which(compiler) or wrapper == "vftrace-fc" and \
                        not (installation() / "include" / "vftrace.mod").exists():
                    continue
                program = scratch_folder() / "program"
                build(installation() / "bin" / wrapper, "-O0", source, "-o", program)
                result = run([program], preload=False)
                self.assertEqual(result.stderr, "")
                self.assertIn(path, result.calls())

    def test_of_the_search_path(self):
        need("gcc")
        program = scratch_folder() / "program"
        build("vftrace-cc", PROGRAMS / "call_counts.c", "-o", program,
              PATH=f"{installation() / 'bin'}:{os.environ['PATH']}")
        self.runs(program, path="leaf<mid<main<init", status=3)


if __name__ == "__main__":
    unittest.main()
