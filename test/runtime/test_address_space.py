"""The addresses, the memory and the mappings that the library takes from a process, which limits count."""
import re
import resource
import subprocess
import unittest

import pytest

from support import LIBRARY, ProgramTest, clean_environment, compile_program, run, scratch_folder

SERIAL = LIBRARY.with_name("libvftrace_serial.so")  # what `vftrace run` preloads into a program without MPI
MIB = 1024


def sizes(result):
    """Addresses and memory in KiB, without what the kernel has mapped of the library's code."""
    size, memory, code = (int(re.search(rf"^{name}:\s+(\d+) kB", result.stderr, re.M)[1]) for name in ("VmSize", "VmRSS", "Code"))
    return size, memory - code


def limited(command, limit, bytes_, **variables):
    def set_limit():
        resource.setrlimit(limit, (bytes_, bytes_))
    return subprocess.run([str(part) for part in command], cwd=scratch_folder(), capture_output=True,
                          env=clean_environment(VFTR_OVERHEAD_BUDGET=0, **variables), text=True,
                          timeout=120, preexec_fn=set_limit)


class AddressSpace(ProgramTest):
    def test_of_one_thread_and_100_paths(self):
        program = compile_program("address_space.c")
        before = sizes(run([program], preload=False))
        result = run([program], LD_PRELOAD=SERIAL, preload=False)
        self.assertGreater(len(result.paths()), 100)
        with_library = sizes(result)
        self.assertLessEqual(with_library[0] - before[0], 8 * MIB)
        self.assertLessEqual(with_library[1] - before[1], 2 * MIB)

    def test_memory_is_locked_under_a_limit(self):
        program = compile_program("address_space.c")
        alone = run([program, "lock"], preload=False)
        self.assertIn("locked", alone.stdout)
        self.assertEqual(run([program, "lock"], LD_PRELOAD=SERIAL, preload=False).stdout, alone.stdout)

    def test_program_runs_under_a_limit_of_addresses(self):
        program = compile_program("address_space.c")
        alone = run([program], preload=False)
        needed = (sizes(alone)[0] + 2 * MIB) * 1024  # for its memory and its thread
        self.assertEqual(limited([program], resource.RLIMIT_AS, needed).stdout, alone.stdout)
        for more in (8, 12, 24):  # MiB for the library, its own goal and more
            with self.subTest(more=more):
                process = limited([program], resource.RLIMIT_AS, needed + (more << 20),
                                  LD_PRELOAD=SERIAL)
                self.assertEqual((process.returncode, process.stdout), (0, alone.stdout), process.stderr)


def mappings(result):
    return int(re.search(r"mappings: (\d+)", result.stderr)[1])


def processor_time(program, threads):
    """Seconds of processor time for threads that live at the same time."""
    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime
    before = used()
    run([program, threads], LD_PRELOAD=SERIAL, preload=False)
    return used() - before


class LivingThreads(ProgramTest):
    def test_mappings_of_threads(self):
        # Two hundred more threads, so that what the process itself has does not count.
        program = compile_program("living_threads.c")
        few, many = ((mappings(run([program, n], LD_PRELOAD=SERIAL, preload=False)),
                      mappings(run([program, n], preload=False))) for n in (800, 1000))
        added = (many[0] - few[0]) - (many[1] - few[1])
        self.assertLessEqual(added, 1.1 * 200)

    @pytest.mark.timing
    def test_cost_of_a_thread_does_not_grow_with_their_number(self):
        program = compile_program("living_threads.c")
        few = processor_time(program, 500)
        self.assertLess(processor_time(program, 4000), 3 * 8 * few)

    @pytest.mark.full
    @pytest.mark.slow
    def test_sixteen_thousand_threads(self):
        program = compile_program("living_threads.c")
        alone = run([program, 16000], preload=False, timeout=600)
        if alone.status != 0:
            raise unittest.SkipTest("this machine does not allow as many threads")
        result = run([program, 16000], LD_PRELOAD=SERIAL, preload=False, timeout=600)
        self.assertEqual((result.status, result.stdout), (0, alone.stdout))


if __name__ == "__main__":
    unittest.main()
