"""Where nothing is to be recorded, the hooks are not called: their calls are overwritten at the start."""
import platform
import unittest

from support import LINK_LIBRARY, ProgramTest, compile_program, run


@unittest.skipUnless(platform.machine() == "x86_64", "hooks are overwritten on x86-64 only")
class Off(ProgramTest):
    def changed(self, *arguments, **variables):
        """How many bytes of the program's code are changed: at the beginning of main, and then."""
        program = compile_program("changed_code.c", link=LINK_LIBRARY)
        result = run([program, *arguments], preload=False, **variables)
        self.assertEqual(result.status, 0, result.stderr)
        return [int(line) for line in result.stdout.split()]

    def test_hooks_stay_where_everything_is_recorded(self):
        self.assertEqual(self.changed(), [0])

    def test_switched_off(self):
        changed, = self.changed(VFTR_OFF=1)
        self.assertGreaterEqual(changed, 6)  # an entry and an exit in each of three functions

    def test_all_excluded(self):
        changed, = self.changed(VFTR_FILTER_EXCLUDE=".")
        self.assertGreaterEqual(changed, 6)

    def test_not_started_yet(self):
        changed, after = self.changed("resume", VFTR_START="off")
        self.assertGreaterEqual(changed, 6)
        self.assertEqual(after, 0)

    def test_calls_after_the_start_are_recorded(self):
        program = compile_program("changed_code.c", link=LINK_LIBRARY)
        profile = run([program, "resume"], preload=False, VFTR_START="off").profile()
        calls = {profile["functions"][node["function"]]["name"]: node["calls"] for node in profile["nodes"]}
        self.assertEqual((calls.get("caller"), calls.get("leaf")), (10, 20))
