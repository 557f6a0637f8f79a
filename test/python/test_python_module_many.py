"""The Python module reads many profiles into one table; the notebook and the examples of its page work."""
import ast
import doctest
import importlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest
from unittest import mock

from python_module_support import CORPUS, FOUR_RANKS, MODULE, THREADS, corpus, generated, vftrace
from support import SOURCE, scratch_folder
from vftrace import many as reading

EXAMPLE = SOURCE / "examples" / "notebook"
PAGE = SOURCE / "doc" / "python-module.md"


class Many(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """500 profiles with known sums."""
        cls.folder = scratch_folder()
        cls.files, cls.calls, cls.times = [], [], []
        for seed in range(500):
            document, calls, times = generated(seed)
            path = cls.folder / f"run{seed:03}_all.json"
            path.write_text(json.dumps(document))
            cls.files.append(path)
            cls.calls.append(calls)
            cls.times.append(times)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def check_sums(self, runs):
        self.assertEqual((len(runs), runs.problems, len(runs.table)), (500, [], 500 * 60))
        calls, times = ([{} for _ in self.files] for _ in range(2))
        table = runs.table
        for run, function, count, ns in zip(*(table[name] for name in ("run", "function", "calls", "exclusive_ns"))):
            if function != "init":
                calls[run][function] = calls[run].get(function, 0) + count
                times[run][function] = times[run].get(function, 0) + ns
        self.assertEqual((calls, times), (self.calls, self.times))
        pivot = runs.pivot()
        self.assertEqual(pivot.columns, ("function", *map(str, range(500))))
        for row in pivot:
            if row["function"] != "init":
                self.assertEqual([row[str(run)] for run in range(500)], [of_run.get(row["function"]) for of_run in self.times])
        self.assertEqual(runs.runs["parameters.seed"], list(range(500)))
        self.assertEqual([os.path.basename(file) for file in runs.runs["file"]], [path.name for path in self.files])

    def test_sums(self):
        """With one process, with several, and as many as there are processors if there is much to read."""
        self.check_sums(vftrace.read_many(self.files, processes=1))
        self.check_sums(vftrace.read_many(self.files, processes=3))
        with mock.patch.object(reading, "_FEW_BYTES", 1):
            self.check_sums(vftrace.read_many(str(self.folder / "run*_all.json")))

    def test_columns_are_those_of_single_profiles(self):
        files = [FOUR_RANKS, THREADS, *corpus(self.folder, 12)]
        runs = vftrace.read_many(files, processes=2)
        table = runs.table
        rows = {}
        for i, run in enumerate(table["run"]):
            rows.setdefault(run, []).append(i)
        for run, file in enumerate(files):
            paths = vftrace.read(file).table("paths")
            for column in ("node", "parent", "function", "kind", "calls", "calls_are", "exclusive_ns", "inclusive_ns", "exclusive_error_ns",
                           "times_are_from", "uncertain", "paused", "hash"):
                self.assertEqual([table[column][i] for i in rows[run]], list(paths[column]), (file.name, column))
            self.assertEqual(runs.runs[run]["paths"], len(paths))

    def test_sums_of_functions(self):
        """Inclusive times without what recursion counts twice, as in the table of functions; unknown calls make sums unknown."""
        files = list(corpus(self.folder, 12))
        runs = vftrace.read_many(files)
        for values in ("exclusive_ns", "inclusive_ns", "calls"):
            pivot = {row["function"]: row for row in runs.pivot(values)}
            for run, file in enumerate(files):
                wanted = {}
                for row in vftrace.read(file).table("functions"):
                    wanted.setdefault(row["name"], []).append(row)
                for same in wanted.values():
                    if len(same) == 1:
                        self.assertEqual(pivot[same[0]["function"]][str(run)], same[0][values], (file.name, same[0]["function"], values))

    def test_functions_of_several_programs(self):
        """Processes number functions in the order in which they read them."""
        files = list(corpus(self.folder, 12))
        with mock.patch.object(reading, "_PART_FILES", 1):
            runs = vftrace.read_many(files, processes=3)
        self.assertEqual(runs.table.to_csv(), vftrace.read_many(files, processes=1).table.to_csv())

    def test_pauses(self):
        document, _, times = generated(1)
        document["nodes"].append({**document["nodes"][1], "id": 60, "parent": 0, "flags": ["paused"], "exclusive_ns": 10 ** 12})
        path = self.folder / "paused.json"
        path.write_text(json.dumps(document))
        runs = vftrace.read_many([path])
        self.assertEqual({row["function"]: row["0"] for row in runs.pivot()}, {**times, "init": 0})
        self.assertEqual(sum(runs.table["paused"]), 1)

    def test_by_path(self):
        document, _, _ = generated(1)
        files = []
        for i in (1, 2):
            document["nodes"][5]["exclusive_ns"] = i
            files.append(self.folder / f"same{i}.json")
            files[-1].write_text(json.dumps(document))
        pivot = vftrace.read_many(files).pivot(by="path")
        self.assertEqual(len(pivot), 60)
        row, = [row for row in pivot if row["hash"] == document["nodes"][5]["hash"]]
        self.assertEqual((row["0"], row["1"]), (1, 2))
        with self.assertRaises(ValueError):
            vftrace.read_many(files).pivot(by="line")
        with self.assertRaisesRegex(vftrace.NoTable, "no values 'time', only exclusive_ns, inclusive_ns, calls"):
            vftrace.read_many(files).pivot("time")

    def test_files_that_cannot_be_read(self):
        """They are listed; the others keep the numbers of their files."""
        damaged, large, pipe = (self.folder / name for name in ("damaged.json", "large.json", "pipe.json"))
        damaged.write_text("{")
        large.write_text(json.dumps({**generated(1)[0], "nodes": [{**generated(1)[0]["nodes"][0], "calls": (1 << 64) - 1}]}))
        os.mkfifo(pipe)
        files = [self.files[7], damaged, self.files[8], "/no/file", large, pipe, self.folder]
        for processes in (1, 2):
            with mock.patch.object(reading, "_PART_FILES", 2):
                runs = vftrace.read_many(files, processes=processes)
            self.assertEqual([(problem.file, problem.reason) for problem in runs.problems], [
                (str(damaged), "is not valid JSON: error in line 1"), ("/no/file", "No such file or directory"),
                (str(large), "nodes: a number does not fit into 63 bits in an element"), (str(pipe), "is not a regular file"),
                (str(self.folder), "is not a regular file")])
            self.assertEqual((len(runs), runs.runs["run"], sorted(set(runs.table["run"]))), (2, [0, 2], [0, 2]))
            self.assertEqual(runs.pivot().columns, ("function", "0", "2"))
            with self.assertRaisesRegex(vftrace.ProfileError, "damaged.json: is not valid JSON"):
                vftrace.read_many(files, processes=processes, strict=True)

    def test_nothing_to_read(self):
        for runs in (vftrace.read_many([]), vftrace.read_many("/no/such/files*"), vftrace.read_many([self.folder], processes=2)):
            self.assertEqual((len(runs), len(runs.table), len(runs.runs), len(runs.pivot())), (0, 0, 0, 0))
            self.assertEqual(runs.table.to_csv().count("\n"), 1)

    def test_process_that_ends(self):
        """What a process that was killed should have read is read by this one."""
        with mock.patch.object(reading, "_WORKER", "import os; os.kill(os.getpid(), 9) # {path}"), \
                mock.patch.object(reading, "_PART_FILES", 50):
            self.check_sums(vftrace.read_many(self.files, processes=2))

    def test_in_a_script_without_a_main_guard(self):
        """Processes do not start the script again, and sys.path need not have the module when Python starts."""
        script = self.folder / "script.py"
        script.write_text(f"import sys\nsys.path.insert(0, {str(MODULE)!r})\nimport vftrace\nprint('once')\n"
                          f"print(len(vftrace.read_many({str(self.folder / 'run*_all.json')!r}, processes=2).table))\n")
        result = subprocess.run([sys.executable, script], capture_output=True, text=True, cwd="/")
        self.assertEqual((result.stdout, result.stderr), ("once\n30000\n", ""))

    def test_frames(self):
        try:
            import pandas
        except ImportError:
            raise unittest.SkipTest("the Python module pandas is not installed")
        runs = vftrace.read_many([*self.files[:20], *corpus(self.folder, 12)])
        frame, table = runs.frame(), runs.table
        self.assertEqual((list(frame.columns), len(frame)), (list(table.columns), len(table)))
        for column in table.columns:
            theirs = [None if pandas.isna(value) else value for value in frame[column]]
            ours = [int(value, 16) for value in table[column]] if column == "hash" else list(table[column])
            self.assertEqual(theirs, ours, column)
        pivot = runs.pivot_frame("calls")
        self.assertEqual([[None if pandas.isna(value) else value for value in row] for row in pivot.values.tolist()],
                         [[row[str(run)] for run in runs.runs["run"]] for row in runs.pivot("calls")])
        self.assertEqual(list(runs.pivot_frame(by="path").index.names), ["hash", "function"])
        self.assertEqual(list(runs.frame(seconds=True)["exclusive_s"]), list(frame["exclusive_ns"] / 1e9))
        self.assertEqual(len(vftrace.read_many([]).frame()), 0)


class Notebook(unittest.TestCase):
    def test_runs(self):
        try:
            import nbclient
            import nbformat
            importlib.import_module("ipykernel")
        except ImportError as error:
            raise unittest.SkipTest(f"the Python module {error.name} is not installed")
        folder = scratch_folder()
        for path in EXAMPLE.iterdir():
            shutil.copy(path, folder)
        notebook = nbformat.read(folder / "profile.ipynb", as_version=4)
        nbformat.validate(notebook)
        environment = {"PYTHONPATH": str(MODULE), "IPYTHONDIR": str(folder), "JUPYTER_RUNTIME_DIR": str(folder)}
        with mock.patch.dict(os.environ, environment):
            nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(folder)}}).execute()
        outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
        self.assertEqual([output for output in outputs if output.output_type == "error"], [])
        kinds = {kind for output in outputs for kind in output.get("data", ())}
        self.assertLessEqual({"text/html", "image/svg+xml"}, kinds)
        text = json.dumps(outputs)
        self.assertIn("stencil", text)
        self.assertNotIn("was not found", text)

    def test_is_committed_without_outputs(self):
        cells = json.loads((EXAMPLE / "profile.ipynb").read_text())["cells"]
        self.assertTrue(all(not cell["outputs"] and cell["execution_count"] is None for cell in cells if cell["cell_type"] == "code"))
        for cell in cells:
            if cell["cell_type"] == "code":
                ast.parse("".join(cell["source"]))

    def test_files(self):
        for path in EXAMPLE.glob("*.json"):
            self.assertLess(path.stat().st_size, 60_000)
            self.assertGreater(vftrace.read(path).run.ranks, 1)


class Page(unittest.TestCase):
    def test_examples(self):
        """What doc/python-module.md shows is what is printed."""
        try:
            import pandas
        except ImportError:
            raise unittest.SkipTest("the Python module pandas is not installed")
        folder = scratch_folder()
        for path in (*EXAMPLE.glob("*.json"), EXAMPLE / "rows.c"):
            shutil.copy(path, folder)
        text = re.sub(r"^```.*$", "", PAGE.read_text(), flags=re.M)
        session = doctest.DocTestParser().get_doctest(text, {}, PAGE.name, str(PAGE), 0)
        before = pathlib.Path.cwd()
        os.chdir(folder)
        try:
            with pandas.option_context("display.width", 120, "display.max_columns", 12):
                said = []
                runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
                failed, tried = runner.run(session, out=said.append)
        finally:
            os.chdir(before)
        self.assertEqual(failed, 0, "".join(said))
        self.assertGreater(tried, 25)


if not CORPUS:
    raise AssertionError("test/corpus does not have profiles")
