"""Compares our decoder of x86-64 instructions with Zydis: on all functions of libraries, and on
random bytes.

run_tests.py --all takes all shared libraries below /usr/lib instead of a few."""
import pathlib
import re
import subprocess
import unittest

from support import BUILD, EVERYTHING, need_part, scratch_folder

PROGRAM = BUILD / "instruction_lengths"
# From many authors and compilers; some have code for all instruction-set extensions, chosen at run time.
LIBRARIES = (r"libc|libm|libmvec|libstdc\+\+|libgfortran|libgomp|libmpi|libmpich|libcrypto"
             r"|libLLVM.*|libclang.*")
# The fraction of a library's instructions that we may fail to decode: 0 in most, 0.00014 in libcrypto,
# which has about 90 of XOP, an extension that AMD has abandoned.
MOST_REFUSED = 3e-4


def libraries():
    folders = pathlib.Path("/usr/lib").glob("**/*.so*")
    wanted = "lib.*" if EVERYTHING else LIBRARIES
    files = {path.resolve() for path in folders if re.fullmatch(rf"({wanted})\.so[.0-9]*", path.name)
             and path.is_file() and "musl" not in path.parts}
    files = sorted(path for path in files if is_library_of_this_machine(path))
    if EVERYTHING:
        return files
    # One version of each library.
    return {re.match(r"[a-zA-Z+_]+(-[a-z]+)?", path.name)[0]: path for path in files}.values()


def is_library_of_this_machine(path):
    x86_64 = b"\x3e\x00"
    with open(path, "rb") as file:
        header = file.read(20)
    return header[:5] == b"\x7fELF\x02" and header[18:20] == x86_64


class InstructionLengths(unittest.TestCase):
    def setUp(self):
        need_part("HAVE_ZYDIS")
        if not PROGRAM.exists():
            self.skipTest("not built: make check-programs")

    def counts(self, *arguments):
        result = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                                errors="replace", timeout=600, cwd=scratch_folder())
        counts = {name: int(count)
                  for name, count in re.findall(r"^(\w+) (\d+)$", result.stdout, re.M)}
        self.assertGreaterEqual(result.returncode, 0, f"{arguments}: killed\n{result.stderr}")
        if counts.get("instructions"):
            self.assertEqual((counts["different"], result.returncode), (0, 0), result.stderr)
        return counts, result.stderr

    def test_functions_of_libraries(self):
        total, read = {}, 0
        for path in libraries():
            counts, said = self.counts(path)
            if not counts.get("functions"):
                continue  # needs a library that the loader did not find, or has no tables
            read += 1
            refused = counts["refused"] + counts["unknown"] + counts["ours_alone"]
            self.assertLessEqual(refused, MOST_REFUSED * counts["instructions"], f"{path}\n{said}")
            for name, count in counts.items():
                total[name] = total.get(name, 0) + count
        if EVERYTHING:
            print(f"{read} libraries: {total}")
        self.assertGreater(read, 2)
        self.assertGreater(total["instructions"], 500_000)

    def test_random_bytes(self):
        """Also instructions that no compiler generates: if they are decoded, their length is right."""
        counts, _ = self.counts("--random", 10_000_000)
        self.assertGreater(counts["instructions"], 2_000_000)
        self.assertLess(counts["refused"], 0.002 * counts["instructions"])
