"""Programs and libraries that are rebuilt or removed while they run, or before `vftrace recover`: functions get the names
of the file that ran, or their addresses, never those of the new file."""
import json
import re
import shutil
import unittest

from command_support import command
from support import COMMAND, ProgramTest, compile_program, need_part, run, scratch_folder

OLD, NEW = {"alpha", "beta", "gamma_of"}, {"zulu", "yankee", "xray"}
LINKED = {"with a build ID": "-Wl,--build-id", "without": "-Wl,--build-id=none"}
CHANGED = "changed or disappeared after it was loaded"


def files(linked):
    """A folder with a copy of the program, and its later version."""
    folder = scratch_folder()
    program = shutil.copy2(compile_program("runs_command.c", ("-O1", "-g", linked)), folder / "program")
    rebuilt = shutil.copy2(compile_program("runs_command_rebuilt.c", ("-O1", "-g", linked)), folder / "rebuilt")
    return folder, program, rebuilt


def functions(profile):
    return {function["display"]: function for function in profile["functions"]}


def notices(profile):
    return [notice["text"] for notice in profile["run"].get("notices", [])]


class Executable(ProgramTest):
    def check_names(self, result, gamma=True):
        profile = result.profile()
        self.assertEqual(NEW & functions(profile).keys(), set())
        self.assertLessEqual(OLD if gamma else OLD - {"gamma_of"}, functions(profile).keys())
        self.assertEqual(functions(profile)["beta"]["file"].split("/")[-1], "runs_command.c")
        self.assertEqual([text for text in notices(profile) if CHANGED in text], [])

    def test_replaced_or_removed_during_the_run(self):
        for name, linked in LINKED.items():
            for replace in ("mv rebuilt program", "rm program", "rm program && cp rebuilt program",
                            "touch program"):
                with self.subTest(build_id=name, replace=replace):
                    folder, program, _ = files(linked)
                    result = run([program, replace], folder=folder)
                    self.assertEqual(result.status, 0, result.stderr)
                    self.check_names(result)

    def killed(self, folder, program, replace):
        """The tree file of a program that was killed after a command had replaced its file."""
        (folder / "trees").mkdir()
        result = run([program, f"{replace}; kill -9 $PPID"], folder=folder,
                     VFTR_TREE_FILE_DIRECTORY=folder / "trees")
        self.assertEqual(result.status, -9)
        tree, = (folder / "trees").iterdir()
        return tree

    def test_replaced_before_recover(self):
        need_part("BUILD_TOOLS")
        for name, linked in LINKED.items():
            for replace in ("mv rebuilt program", "rm program"):
                with self.subTest(build_id=name, replace=replace):
                    folder, program, _ = files(linked)
                    tree = self.killed(folder, program, replace)
                    result = command("recover", tree, folder=folder)
                    self.assertEqual(result.status, 0, result.stderr)
                    profile = result.profile()
                    self.assertEqual((OLD | NEW) & functions(profile).keys(), set())
                    self.assertEqual(len([f for f in functions(profile) if f.startswith("program+0x")]), 3)
                    said, = [text for text in notices(profile) if CHANGED in text]
                    self.assertIn(f"{program} ", said)
                    self.assertIn("vftrace recover", said)

    def test_put_back_before_recover(self):
        need_part("BUILD_TOOLS")
        for name, linked in LINKED.items():
            with self.subTest(build_id=name):
                folder, program, _ = files(linked)
                tree = self.killed(folder, program, "mv program saved; mv rebuilt program")
                (folder / "saved").rename(program)
                self.check_names(command("recover", tree, folder=folder), gamma=False)

    def test_snapshot_of_a_replaced_program(self):
        need_part("BUILD_TOOLS")
        for name, linked in LINKED.items():
            with self.subTest(build_id=name):
                folder, program, _ = files(linked)
                result = run([program, f"mv rebuilt program; unset LD_PRELOAD; {COMMAND} snapshot $PPID >said 2>&1"],
                             folder=folder)
                self.assertEqual(result.status, 0, result.stderr)
                snapshot, = [path for path in folder.glob("*.json") if "snapshot" in path.name]
                self.assertLessEqual({"alpha", "beta"}, functions(json.loads(snapshot.read_text())).keys())


class Library(ProgramTest):
    def plugin(self, folder, name, linked):
        built = compile_program("reloaded_plugin.c", ("-O1", "-shared", "-fPIC", f"-DWORK={name}", linked),
                                output=f"{name}.so")
        return shutil.copy2(built, folder / f"{name}.so")

    def test_plugin_that_is_replaced_between_two_loads(self):
        for name, linked in LINKED.items():
            with self.subTest(build_id=name):
                folder = scratch_folder()
                first = self.plugin(folder, "first_work", linked)
                second = self.plugin(folder, "second_work", linked)
                result = run([compile_program("reloads_plugin.c", link=["-ldl"]), first, second], folder=folder)
                self.assertEqual(result.stdout, "60\n")
                calls = {}
                profile = result.profile()
                for node in profile["nodes"]:
                    name = profile["functions"][node["function"]]["display"]
                    calls[name] = calls.get(name, 0) + node["calls"]
                self.assertEqual(calls["second_work"], 10)
                self.assertEqual(calls["plugin"], 5)
                by_address = sorted(count for name, count in calls.items() if re.match(r"first_work\.so\+0x", name))
                self.assertEqual(by_address, [5, 10])
                said, = [text for text in notices(profile) if CHANGED in text]
                self.assertTrue(said.startswith(f"{first} "), said)


if __name__ == "__main__":
    unittest.main()
