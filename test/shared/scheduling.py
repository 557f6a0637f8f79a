"""Which process runs which tests: whole files, because the tests of a file share what they have
built."""
from xdist.scheduler import LoadFileScheduling


class FilesByProcess(LoadFileScheduling):
    """Like xdist's own scheduling, except for a test that has ended its process: xdist 3.1 gives
    such a test to the next process, and to the next one, until it gives up."""

    def remove_node(self, node):
        """Removes the process from the list; returns the test that it did not finish."""
        units = self.assigned_work[node]
        unfinished = [(unit, test) for unit in units.values() for test, finished in unit.items() if not finished]
        if unfinished:
            unit, test = unfinished[0]
            unit[test] = True
        for file in [file for file, unit in units.items() if all(unit.values())]:
            del units[file]  # a process that was given these would wait forever
        super().remove_node(node)
        return unfinished[0][1] if unfinished else None
