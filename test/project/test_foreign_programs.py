"""Programs into which the library cannot be loaded, or only after another one: musl, 32 bits,
AddressSanitizer. They behave as they do alone, started by `vftrace run` or by programs that it
starts."""
import os
import shutil
import subprocess
import unittest

from command_support import CommandTest, command
from support import COMMAND, LIBRARY, PROGRAMS, clean_environment, compile_program, need, run, \
    scratch_folder

WAYS = ("execve", "execv", "execvp", "execvpe", "execl", "execlp", "execle", "fexecve", "execveat",
        "vfork", "fork", "posix_spawn", "posix_spawnp", "system")


def loader_of(program):
    """The dynamic loader that a program names."""
    need("readelf")
    text = subprocess.run(["readelf", "-l", program], capture_output=True, text=True).stdout
    return text.split("interpreter: ")[1].split("]")[0]


def of_other_c_library(name="prints_preload.c"):
    """A program whose loader has the name of musl's but is really glibc's."""
    loader = scratch_folder() / "ld-musl-x86_64.so.1"
    loader.symlink_to(loader_of(compile_program(name)))
    return compile_program(name, link=[f"-Wl,--dynamic-linker={loader}"])


def with_sanitizer(name, compiler=None, flags=(), **options):
    """A program whose AddressSanitizer is a shared library."""
    try:
        program = compile_program(name, ("-O1", "-fsanitize=address", *flags), compiler, **options)
    except AssertionError as error:
        raise unittest.SkipTest("there is no AddressSanitizer here") from error
    if run([program], preload=False).status not in (0, 3):
        raise unittest.SkipTest("AddressSanitizer does not run here")
    return program


def clang_flags():
    """Options with which clang links its sanitizer as a shared library that is found."""
    need("clang")
    library = subprocess.run(["clang", "-print-file-name=libclang_rt.asan-x86_64.so"],
                             capture_output=True, text=True).stdout.strip()
    if not os.path.isabs(library):
        raise unittest.SkipTest("clang's shared AddressSanitizer is not installed")
    return ["-shared-libasan", f"-Wl,-rpath,{os.path.dirname(library)}"]


class Alone(CommandTest):
    """These programs run unprofiled, and one message gives the reason and a remedy."""

    def same(self, program, *words, remedy):
        alone = run([*words, program], preload=False)
        result = command("run", "--", *words, program)
        self.assertEqual((result.status, result.stdout), (alone.status, alone.stdout))
        self.assertRegex(result.stderr, r"\Avftrace: \S+ .*, so the library cannot be loaded.*\n\Z"
                         if "musl" in remedy else r"\Avftrace: \S+ .* runs unprofiled: .*\n\Z")
        self.assertIn(remedy, result.stderr)
        self.assertEqual(result.files(), [])
        return result

    def test_other_c_library(self):
        program = of_other_c_library()
        result = self.same(program, remedy="build it with glibc")
        self.assertTrue(result.stderr.startswith(f"vftrace: {program} "))
        self.assertEqual(result.stdout, "\n")

    def test_real_musl(self):
        need("musl-gcc")
        program = scratch_folder() / "with_musl"
        subprocess.run(["musl-gcc", "-O1", PROGRAMS / "call_counts.c", "-o", program], check=True)
        if run([program], preload=False).status != 3:
            self.skipTest("musl's programs do not run here")
        self.same(program, remedy="build it with glibc")
        self.same(program, "env", remedy="build it with glibc")

    def test_32_bit(self):
        try:
            program = compile_program("prints_preload.c", ("-O1", "-m32"), output="really32")
        except AssertionError:
            self.skipTest("the compiler cannot build 32-bit programs here")
        if run([program], preload=False).status != 0:
            self.skipTest("32-bit programs cannot be run here")
        for words in ((), ("env",), ("sh", "-c", '"$0"; exit $?')):
            self.same(program, *words, remedy="build it for 64 bits")

    def test_other_processor(self):
        # Only the header is that of another machine, so the file cannot be run.
        program = scratch_folder() / "other"
        content = bytearray(compile_program("prints_preload.c").read_bytes())
        content[18:20] = (243 if content[18] != 243 else 62).to_bytes(2, "little")  # EM_RISCV
        program.write_bytes(content)
        program.chmod(0o755)
        result = command("run", "--", program)
        self.assertIn("is a program for another kind of processor", result.stderr)
        self.assertNotEqual(result.status, 0)
        self.assertEqual(result.files(), [])

    def test_interpreter_of_a_script(self):
        program = of_other_c_library()
        script = scratch_folder() / "script"
        script.write_text(f"#! {program}  -x\n")
        script.chmod(0o755)
        for words in ((), ("env",)):
            result = self.same(script, *words, remedy="build it with glibc")
            self.assertIn(str(program), result.stderr)

    def test_libraries_of_the_user_are_passed_on(self):
        program = of_other_c_library()
        other = scratch_folder() / "libother.so"
        subprocess.run(["gcc", "-x", "c", "/dev/null", "-shared", "-o", other], check=True)
        for words in ((), ("env",), ("sh", "-c", '"$0"; exit')):
            result = command("run", "--", *words, program, LD_PRELOAD=other)
            self.assertEqual(result.stdout, f"{other}\n")


class Started(CommandTest):
    """Started by programs that have the library, in all possible ways."""

    def start(self, way, program, *arguments, **variables):
        starter = compile_program("starts_program.c")
        path = f"{program.parent}:{os.environ['PATH']}"
        alone = run([starter, way, program, *arguments], preload=False, PATH=path)
        result = command("run", "--", starter, way, program, *arguments, PATH=path, **variables)
        self.assertEqual(result.status, alone.status, result.stderr)
        return alone, result

    def test_in_all_ways(self):
        program = of_other_c_library()
        for way in WAYS:
            with self.subTest(way=way):
                alone, result = self.start(way, program)
                self.assertEqual((result.status, result.stdout), (0, "\n"))
                self.assertRegex(result.stderr, r"\Avftrace: .*build it with glibc\n\Z")
                # The program that starts it has a profile, as before.
                self.assertEqual(result.files(), ["starts_program_all.json",
                                                  "starts_program_all.log"])

    def test_ordinary_programs_keep_the_library(self):
        program = compile_program("call_counts.c")
        for way in WAYS:
            with self.subTest(way=way):
                _, result = self.start(way, program)
                self.assertEqual(result.stderr, "")
                self.assertIn("call_counts_all.log", result.files())

    def test_scripts_print_the_message_once(self):
        program = of_other_c_library()
        script = 'for i in 1 2 3; do "$0"; done; "$0" >/dev/null; "$0" 2>file; cat file'
        result = command("run", "--", "sh", "-c", script, program)
        self.assertEqual(result.stdout, "\n" * 4)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)

    def test_output_that_a_script_collects_stays_clean(self):
        program = of_other_c_library()
        result = command("run", "--", "sh", "-c", 'text=$("$0" 2>&1); echo "[$text]"', program)
        self.assertEqual(result.stdout, "[]\n")

    def test_environment_that_is_too_large_to_be_copied(self):
        program = of_other_c_library()
        many = {f"VARIABLE_{number}": "x" for number in range(1500)}
        _, result = self.start("execve", program, **many)
        self.assertEqual(result.status, 0)


class Sanitizer(CommandTest):
    """`vftrace run` loads AddressSanitizer's library first, and no other process gets it."""

    def check(self, program, name, *words):
        alone = run([*words, program], preload=False)
        result = command("run", "--", *words, program)
        self.assertEqual((result.status, result.stdout, result.stderr),
                         (alone.status, alone.stdout, ""))
        self.assertEqual(result.files(), [f"{name}_all.json", f"{name}_all.log"])
        return result

    def test_gcc(self):
        program = with_sanitizer("call_counts.c")
        for words in ((), ("env",), ("sh", "-c", '"$0"; exit $?'), ("nice",)):
            with self.subTest(words=words):
                result = self.check(program, "call_counts", *words)
                self.assertEqual(result.calls()["leaf<mid<main<init"], 6)

    def test_gcc_static_library(self):
        self.check(with_sanitizer("call_counts.c", link=["-static-libasan"]), "call_counts")

    def test_clang(self):
        flags = clang_flags()
        self.check(with_sanitizer("call_counts.c", "clang", flags), "call_counts")
        self.check(with_sanitizer("call_counts.c", "clang", flags), "call_counts", "env")

    def test_the_one_of_the_user_stays_first(self):
        program = with_sanitizer("call_counts.c")
        library = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True,
                                 text=True).stdout.strip()
        for words in ((), ("env",)):
            result = command("run", "--", *words, program, LD_PRELOAD=os.path.realpath(library),
                             ASAN_OPTIONS="detect_leaks=0")
            self.assertEqual((result.status, result.stderr), (3, ""))
            self.assertIn("call_counts_all.log", result.files())

    def test_programs_it_starts_do_not_get_it(self):
        with_sanitizer("call_counts.c")  # skips the test if there is no sanitizer here
        starter = compile_program("starts_program.c", ("-O1", "-fsanitize=address"),
                                  output="sanitized_starter")
        prints = compile_program("prints_preload.c")
        for way in WAYS:
            with self.subTest(way=way):
                path = f"{prints.parent}:{os.environ['PATH']}"
                result = command("run", "--", starter, way, prints, PATH=path)
                self.assertEqual((result.status, result.stderr), (0, ""))
                # The library and that of annotations, and no sanitizer.
                self.assertRegex(result.stdout, r"\A/[^\s:]*/libvftrace(_serial)?\.so:/[^\s:]*/libvftrace_annotations\.so\n\Z")

    def test_finds_errors(self):
        program = scratch_folder() / "overflow"
        source = "#include <stdlib.h>\nint main(int n, char **v) { volatile char *p = " \
                 "malloc(4); p[n + 3] = 1; return 0; }\n"
        with_sanitizer("call_counts.c")
        subprocess.run(["gcc", "-fsanitize=address", "-x", "c", "-", "-o", program], input=source,
                       text=True, check=True)
        alone = run([program], preload=False)
        result = command("run", "--sample", "--", program)
        self.assertEqual(result.status, alone.status)
        self.assertIn("heap-buffer-overflow", alone.stderr)
        self.assertIn("heap-buffer-overflow", result.stderr)


class Shells(CommandTest):
    def test_program_started_by_a_shell_without_the_library_is_not_profiled(self):
        """As doc/limits.md says: if the shell does not have the library, the program does not get it either."""
        shell = of_other_c_library("starts_program.c")
        program = compile_program("call_counts.c")
        result = command("run", "--", "env", shell, "fork", program)
        self.assertEqual((result.status, result.stdout, result.files()), (3, "3628800\n", []))


if __name__ == "__main__":
    unittest.main()
