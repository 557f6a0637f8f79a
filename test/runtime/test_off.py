"""Where nothing is to be recorded, the hooks are not called: their calls are overwritten at the start."""
import platform
import unittest

from support import LINK_LIBRARY, PROLOGUES, ProgramTest, compile_program, run


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

    def test_libraries_that_are_opened_later(self):
        for flags in (("-finstrument-functions",), PROLOGUES):
            with self.subTest(flags=flags):
                plugin = compile_program("plugin.c", ("-O1", "-shared", "-fPIC", *flags), instrument=False,
                                         link=LINK_LIBRARY, output=f"off_plugin_{len(flags)}.so")
                changed, in_plugin = self.changed("open", plugin, VFTR_OFF=1)
                self.assertGreaterEqual(changed, 6)
                self.assertGreaterEqual(in_plugin, 2)
                self.assertEqual(self.changed("open", plugin), [0, 0])

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
