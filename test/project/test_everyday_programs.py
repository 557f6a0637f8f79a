"""Everyday programs print, return and write the same under `vftrace run` as alone.

`make try-programs` does this with about 250 programs (try_programs.py)."""
import shutil
import unittest

from command_support import CommandTest
from everyday_programs import USUAL, Trial, command_lines
from support import scratch_folder


class EverydayPrograms(CommandTest):
    def same(self, way):
        tried = 0
        for words, stdin in command_lines(USUAL):
            if not shutil.which(words[0]):
                continue
            with self.subTest(command=words):
                folder = scratch_folder()
                verdict, details = Trial(words, stdin, folder).differences(way)
                self.assertEqual(verdict, "same", details)
                shutil.rmtree(folder)
            tried += 1
        self.assertGreaterEqual(tried, 15)  # otherwise the search for the programs is broken

    def test_run(self):
        self.same("run")

    def test_run_with_samples(self):
        self.same("run --sample")


if __name__ == "__main__":
    unittest.main()
