"""vftrace model with measurements in the formats of Extra-P, and profiles written in them; input that is cut or wrong."""
import json

from command_support import CommandTest, command
from model_runs import write_runs
from support import HERE, need_part, scratch_folder

SIZES = (100, 400, 1600, 6400, 25600)
FORMATS = ("extrap", "extrap-json", "extrap-text", "extrap-talpas")


def times(n):
    return {"main": 0.5, "solve<main": (n, 1e-6 * n**1.5), "sort<solve<main": 1e-4 * n}


class Exchange(CommandTest):
    def setUp(self):
        super().setUp()
        need_part("HAVE_EIGEN")
        self.folder = scratch_folder()

    def orders(self, *arguments):
        """How call paths grow, by the first metric."""
        result = command("model", "--format", "json", *arguments)
        self.assertEqual((result.status, result.stderr), (0, ""), result.stdout)
        return {path["path"]: path["order"] for path in json.loads(result.stdout)["metrics"][0]["paths"]}

    def file(self, text, name="measurements"):
        file = self.folder / name
        file.write_text(text)
        return file

    def test_what_is_written_is_read(self):
        files = write_runs(self.folder, [{"n": n} for n in SIZES], times, repetitions=3, noise=0.01)
        expected = self.orders("--metric", "time_excl", *files)
        self.assertEqual(expected["solve<main<init"], "n^(3/2)")
        for name in FORMATS:
            with self.subTest(format=name):
                exported = self.folder / name
                self.assertEqual(command("export", "-f", name, "-o", exported, *files).status, 0)
                self.assertEqual(self.orders("--metric", "time", exported), expected)

    def test_formats(self):
        """Each of Extra-P's formats, as its documentation has them."""
        corpus = HERE / "fuzz" / "corpus" / "extrap"
        for name in ("lines.jsonl", "lines.talpas", "older.json"):
            with self.subTest(file=name):
                self.assertEqual(self.orders(corpus / name)["solve<main"], "n")
        self.assertEqual(self.orders(corpus / "document.json"), {"main": "n"})
        self.assertEqual(self.orders(corpus / "text.txt"), {"solve<main": "n * p^(-1)"})

    def test_all_metrics_are_modelled(self):
        lines = [json.dumps({"params": {"n": n}, "callpath": "main", "metric": metric, "value": n * factor})
                 for n in SIZES for metric, factor in (("time", 1), ("bytes", 2))]
        document = json.loads(command("model", "--format", "json", self.file("\n".join(lines))).stdout)
        self.assertEqual([metric["metric"] for metric in document["metrics"]], ["time", "bytes"])

    def test_text_needs_all_points(self):
        def some(n):
            return {**times(n), **({"large<main": 1e-5 * n} if n > 100 else {})}
        files = write_runs(self.folder, [{"n": n} for n in SIZES], some)
        result = command("export", "-f", "extrap-text", "-o", self.folder / "text", *files)
        self.assertIn("3 figures are left out", result.stderr)
        self.assertNotIn("large", (self.folder / "text").read_text())

    def test_errors(self):
        head = "PARAMETER n\nPOINTS 1 2 4 8 16\nREGION r\nMETRIC time\n"
        line = '{"params":{"n":%s},"callpath":"main","metric":"time","value":%s}\n'
        for text, message in (
                (head + "DATA 1\nDATA 2\n", "2 lines of DATA of r / time for 5 points"),
                (head + "DATA 1\n" * 6, "line 10: more lines of DATA than the 5 points"),
                (head + "DATA 1 x\n", 'line 5: "x" is not a finite number'),
                (head + "DATA nan\n", 'line 5: "nan" is not a finite number'),
                (head + "DATA\n", "line 5: DATA without values"),
                (head, "does not have measurements"),
                ("PARAMETER n\nPARAMETER p\nPOINTS ( 1 2 ) ( 3 )\n", "a point has 1 values for 2 parameters"),
                ("PARAMETER n\nPARAMETER p\nPOINTS 1 2\n", "points of 2 parameters need parentheses"),
                ("PARAMETER n\nPOINTS ( 1\n", '")" is missing'),
                ("PARAMETER n\nWHAT 1\n", '"WHAT" is not PARAMETER'),
                (line % (1, 1) + (line % (2, 1))[:40], "line 2:"),
                (line % (1, 1) + line % ('"x"', 1), 'line 2: "x" is not a finite number'),
                (line % (1, 1) + '{"params":{"p":1},"value":2}\n', 'line 2: "n" is missing'),
                (line % (1, 1) + '{"params":{"n":1,"p":1},"value":2}\n', "line 2: has other parameters"),
                (line % (1, 1) + '{"params":{"n":1}}\n', 'line 2: "value" is missing'),
                ('{"parameters":["n"],"measurements":{"main":{"time":[{"point":[1,2],"values":[1]}]}}}',
                 "a point has 2 values for 1 parameters"),
                ('{"parameters":["n"],"measurements":{"main":{"time":[{"point":[1],"values":', "not valid JSON"),
                ('{"parameters":["n"],"measurements":[]}', "measurements: must be an object"),
                ('{"parameters":[],"measurements":{}}', "does not have parameters"),
                (line % (1, -1) + line % (2, 1) + line % (3, 1), "a value of time of main is negative"),
                (line % (0, 1) + line % (2, 1) + line % (3, 1), "n is 0 in one of the runs"),
                (line % (4, 1), "a model needs several runs"),
                (line % (4, 1) * 3, "no parameter changes between these runs: n = 4"),
                (line % (4, 1) + line % (5, 2), "n has 2 values in these runs (4 and 5)")):
            with self.subTest(message=message):
                self.fails("model", self.file(text), message=message)
        file = self.file(line % (1, 1) + line % (2, 1) + line % (3, 1))
        self.fails("model", file, file, message="cannot be modelled together with other files")
        self.fails("model", "--metric", "bytes", file, message='none of the runs has the metric "bytes"')

    def test_many_parameters(self):
        names = [f"q{i}" for i in range(1000)]
        lines = [json.dumps({"params": {name: n + i % 3 for i, name in enumerate(names)}, "value": n})
                 for n in range(1, 6)]
        self.fails("model", self.file("\n".join(lines)),
                   message="1000 parameters change between these runs (q0, q1, q10, q100, ...)")

    def test_equal_and_zero_values(self):
        line = '{"params":{"n":%d},"callpath":"%s","metric":"time","value":%r}\n'
        text = "".join(line % (n, "flat", 2.0) + line % (n, "none", 0.0) + line % (n, "late", max(0, n - 1000))
                       for n in SIZES)
        document = json.loads(command("model", "--format", "json", self.file(text)).stdout)
        found = {path["path"]: path for path in document["metrics"][0]["paths"]}
        self.assertEqual((found["flat"]["finding"], found["flat"]["formula"]), ("constant", "2"))
        self.assertNotIn("none", found)
        self.assertNotEqual(found["late"]["finding"], "constant")
