"""Compares the table of wrapped functions with the OpenMP library of the installed gcc, and with the exports of our library."""
import os
import re
import subprocess
import unittest

from support import LIBRARY, RUNTIME_SOURCES, need

# Functions of libgomp that start, end or wait for something and are not wrapped on purpose.
LEFT_OUT = re.compile(
    r"GOMP_(PLUGIN_.*|offload_.*|alloc|free|error|warning|.*_next|cancel|cancellation_point|"
    r"atomic_end|taskyield|doacross_.*|scope_start|teams|teams4|task_reduction_remap|"
    r"taskgroup_reduction_(un)?register)$")


def symbols(library):
    """{name: versions} of the functions that a library defines."""
    listing = subprocess.run(["objdump", "-T", str(library)], capture_output=True, text=True,
                             check=True).stdout
    found = {}
    for line in listing.splitlines():
        match = re.search(r"\.text\s+[0-9a-f]+\s+\(?([\w.]+)\)?\s+(\w+)$", line)
        if match:
            found.setdefault(match[2], set()).add(match[1])
    return found


class Table(unittest.TestCase):
    def setUp(self):
        need("objdump")
        table = (RUNTIME_SOURCES / "openmp" / "libgomp_functions.inc").read_text()
        self.rows = re.findall(r'^VFTRACE_GOMP\((\w+), "([\w.]+)", (\d+),', table, re.M)
        self.assertGreater(len(self.rows), 90)
        self.assertEqual(len({name for name, _, _ in self.rows}), len(self.rows))

    def libgomp(self):
        need("gcc")
        path = subprocess.run(["gcc", "-print-file-name=libgomp.so"], capture_output=True,
                              text=True).stdout.strip()
        if not os.path.isabs(path):
            self.skipTest("gcc has no libgomp.so")
        found = symbols(path)
        if "GOMP_parallel_reductions" not in found:
            self.skipTest("the libgomp of this gcc is older than the table")
        return found

    def test_names_and_versions(self):
        found = self.libgomp()
        for name, version, _ in self.rows:
            self.assertIn(version, found.get(name, ()), name)

    def test_nothing_is_forgotten(self):
        wrapped = {name for name, _, _ in self.rows}
        known = {version for _, version, _ in self.rows}  # later versions have further functions
        others = [name for name, versions in self.libgomp().items()
                  if name.startswith("GOMP_") and versions & known and name not in wrapped
                  and not LEFT_OUT.match(name)]
        self.assertEqual(others, [])

    def test_exported_with_hidden_versions(self):
        for library in (LIBRARY, LIBRARY.with_name("libvftrace_serial.so")):
            listing = subprocess.run(["objdump", "-T", str(library)], capture_output=True,
                                     text=True, check=True).stdout
            for name, version, _ in self.rows:
                self.assertRegex(listing, rf"\({re.escape(version)}\)\s+{name}\n", library.name)


if __name__ == "__main__":
    unittest.main()
