"""Paths of very many levels: what is computed of them takes time in proportion to their number."""
import resource
import unittest

import pytest

from support import ProgramTest, compile_program


class DeepPaths(ProgramTest):
    def test_hashes_are_distinct(self):
        nodes = self.profile([compile_program("nested_regions.c"), 1000]).profile()["nodes"]
        self.assertEqual(len(nodes), 1002)
        self.assertEqual(len({node["hash"] for node in nodes}), 1002)
        self.assertEqual(sorted(node["stid"] for node in nodes), list(range(1002)))

    @pytest.mark.timing
    def test_time_does_not_grow_with_the_square_of_the_levels(self):
        def processor_time(levels):
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            self.profile([compile_program("nested_regions.c"), levels])
            return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        few = processor_time(2000)
        self.assertLess(processor_time(16000), 4 * 8 * few)


if __name__ == "__main__":
    unittest.main()
