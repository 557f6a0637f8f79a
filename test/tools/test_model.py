"""vftrace model: performance models of call paths from several runs; what it prints and what it refuses."""
import csv
import io
import json
import math
import subprocess
import xml.etree.ElementTree

from command_support import CommandTest, command
from model_runs import run_profile, write_runs
from support import SOURCE, need, need_part, scratch_folder

SIZES = (100, 400, 1600, 6400, 25600)
ONE = [{"n": n} for n in SIZES]
GRID = [{"n": n, "p": p} for n in SIZES for p in (1, 4, 16, 64, 256)]


def times(n, p=1):
    return {"main": 0.5, "solve<main": (n, 1e-6 * n**1.5), "sort<main": 1e-4 * n / p,
            "setup<main": 0.2, "tiny<main": 1e-9}


class Model(CommandTest):
    def setUp(self):
        super().setUp()
        need_part("HAVE_EIGEN")
        self.folder = scratch_folder()

    def runs(self, points=ONE, of=times, **options):
        return write_runs(self.folder, points, of, **{"noise": 0.01, **options})

    def model(self, *arguments):
        result = command("model", *arguments)
        self.assertEqual((result.status, result.stderr), (0, ""), result.stdout)
        return result.stdout

    def document(self, *arguments):
        return json.loads(self.model("--format", "json", *arguments))

    def models(self, *arguments, metric="time_excl"):
        """The models by path, for one metric."""
        metrics = {of["metric"]: of for of in self.document(*arguments)["metrics"]}
        return {"program": metrics[metric]["program"],
                **{path["path"]: path for path in metrics[metric]["paths"]}}

    def test_text(self):
        printed = self.model(*self.runs(repetitions=3))
        self.assertIn("15 runs of heat\n  n: 100, 400, 1600, 6400, 25600\n", printed)
        self.assertIn("Predicted: n = 51200 (twice the largest values)", printed)
        titles = [line for line in printed.splitlines() if ", mean over ranks" in line]
        self.assertEqual(titles, ["Exclusive time, mean over ranks: 4 call paths",
                                  "Inclusive time, mean over ranks: 4 call paths"])
        rows = [line for line in printed.splitlines() if line.startswith("|")]
        self.assertIn("(whole program: run time)", rows[1])
        self.assertIn("n^(3/2)", rows[2])
        self.assertTrue(rows[2].endswith("| solve<main<init           |"), rows[2])
        self.assertIn("(1 call path with less than 0.1 % of the whole program in all runs)", printed)

    def test_models_by_path(self):
        models = self.models(*self.runs(repetitions=3), "--predict", "n=100000")
        self.assertEqual(models["solve<main<init"]["order"], "n^(3/2)")
        self.assertEqual(models["setup<main<init"]["order"], "1")
        sort = models["sort<main<init"]
        self.assertEqual(sort["order"], "n")
        self.assertAlmostEqual(sort["predicted"], 10, delta=0.5)
        self.assertLessEqual(sort["predicted_from"], 10)
        self.assertGreaterEqual(sort["predicted_to"], 10)
        (term,) = sort["terms"]
        self.assertEqual(term["factors"], [{"parameter": "n", "power": [1, 1], "log2_power": 0}])
        self.assertEqual([(point["at"], point["runs"]) for point in sort["points"]],
                         [([n], 3) for n in SIZES])
        for point in sort["points"]:
            self.assertLessEqual(point["min"], point["value"])
            self.assertLessEqual(point["value"], point["max"])
        self.assertGreater(models["program"]["predicted"], models["program"]["at_largest"])

    def test_plot(self):
        """scripts/plot-models: points, and lines that lie on them, of formulas, two formulas and bounds."""
        need("gnuplot")

        def of(n):
            return {"main": 0.5, "sort<main": 1e-4 * n, "jumps<main": 0.01 if n < 5000 else 0.5, "wild<main": 1e-3 * (n**2 if n != 400 else 1)}
        file = self.folder / "models.json"
        file.write_text(json.dumps(self.document(*self.runs([{"n": n} for n in (100, 200, *SIZES[1:], 51200, 102400)], of, repetitions=3))))
        paths = ("program", "sort<main<init", "jumps<main<init", "wild<main<init")
        plotted = subprocess.run([SOURCE / "scripts" / "plot-models", "--over", "n", *(word for path in paths for word in ("--path", path)),
                                  file], capture_output=True, text=True)
        self.assertEqual((plotted.returncode, plotted.stderr), (0, ""))
        svg = xml.etree.ElementTree.fromstring(plotted.stdout)
        ids = {element.get("id") for element in svg.iter()}
        for panel in "abcd":  # in each, points and a line
            self.assertLessEqual({f"gnuplot_plot_1{panel}", f"gnuplot_plot_2{panel}"}, ids)
        unknown = subprocess.run([SOURCE / "scripts" / "plot-models", "--over", "n", "--path", "none", file], capture_output=True, text=True)
        self.assertNotEqual(unknown.returncode, 0)
        self.assertEqual(unknown.stderr, "plot-models: no model of none\n")

    def test_formula_is_what_the_terms_say(self):
        models = self.models(*self.runs(GRID, ranks="p"))
        for path, model in models.items():
            at = (25600, 256)
            value = model["constant"]
            for term in model["terms"]:
                product = term["coefficient"]
                for factor in term["factors"]:
                    x = at["np".index(factor["parameter"])]
                    numerator, denominator = factor["power"]
                    product *= x**(numerator / denominator) * math.log2(x)**factor["log2_power"]
                value += product
            self.assertAlmostEqual(value, model["at_largest"], delta=1e-9 * abs(value), msg=path)

    def test_ranks_are_a_parameter(self):
        document = self.document(*self.runs(GRID, ranks="p"))
        self.assertEqual(document["parameters"], ["n", "p"])
        self.assertEqual(document["target"], {"n": 51200, "p": 512})
        paths = {path["path"]: path for path in document["metrics"][0]["paths"]}
        self.assertEqual(paths["sort<main<init"]["order"], "n * p^(-1)")
        self.assertEqual(paths["sort<main<init"]["terms"][0]["factors"],
                         [{"parameter": "n", "power": [1, 1], "log2_power": 0},
                          {"parameter": "p", "power": [-1, 1], "log2_power": 0}])
        self.assertEqual(paths["solve<main<init"]["order"], "n^(3/2)")

    def test_values_by_hand(self):
        files = self.runs()
        for file in files:
            profile = json.loads(file.read_text())
            del profile["run"]["parameters"]
            file.write_text(json.dumps(profile))
        self.fails("model", *files, message="the runs do not have parameters")
        models = self.models("--parameter", f"n={','.join(map(str, SIZES))}", *files)
        self.assertEqual(models["solve<main<init"]["order"], "n^(3/2)")
        self.fails("model", "--parameter", "n=1,2", *files, message="n has 2 values for 5 files")
        self.fails("model", "--parameter", "n=", *files, message="n=")

    def test_other_metrics(self):
        files = self.runs()
        calls = self.models("--metric", "calls", *files, metric="calls")
        self.assertEqual(calls["solve<main<init"]["formula"], "n")
        self.fails("model", "--metric", "nope", *files, message='the metric "nope"')
        self.fails("model", "--metric", "calls", "--metric", "calls", *files, message="given twice")
        for file in files:
            profile = json.loads(file.read_text())
            profile["metrics"] = [{"name": "hwprof.CYCLES", "unit": "", "reduction": "sum"}]
            n = profile["run"]["parameters"][0]["value"]
            profile["nodes"][1]["metrics"] = [[0, 1000 * n]]
            file.write_text(json.dumps(profile))
        cycles = self.models("--metric", "hwprof.CYCLES", *files, metric="hwprof.CYCLES")
        self.assertEqual(cycles["main<init"]["formula"], "1000 * n")

    def test_longest_rank(self):
        files = self.runs(GRID, ranks="p", noise=0)
        for file in files:
            profile = json.loads(file.read_text())
            for node in profile["nodes"]:
                if profile["functions"][node["function"]]["name"] == "setup":
                    node.setdefault("ranks", {"count": 1, "min_rank": 0, "min_ns": 0, "max_rank": 0})
                    node["ranks"]["max_ns"] = profile["run"]["ranks"] * 10**8
            file.write_text(json.dumps(profile))
        models = self.models("--metric", "time_excl_max", *files, metric="time_excl_max")
        self.assertEqual(models["setup<main<init"]["formula"], "0.1 * p")

    def test_csv(self):
        text = self.model("--format", "csv", "--metric", "time_excl", *self.runs())
        rows = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual(rows[0]["callpath"], "(whole program: run time)")
        self.assertEqual(rows[1]["callpath"], "solve<main<init")
        self.assertGreater(float(rows[1]["predicted[s]"]), float(rows[1]["at_largest[s]"]))

    def test_notes_of_csv(self):
        files = self.runs(ONE[:4])
        result = command("model", "--format", "csv", *files)
        self.assertEqual(result.status, 0)
        self.assertTrue(result.stdout.startswith("at_largest[s],"), result.stdout)
        self.assertEqual(result.stderr, "vftrace: n has 4 values: few for a model; 5 or more make it "
                                        "reliable.\n")

    def test_order_of_rows(self):
        files = self.runs()
        for column, first in (("growth", "solve"), ("order", "solve"), ("measured", "solve"),
                              ("factor", "solve")):
            with self.subTest(column=column):
                paths = self.document("--sort", column, *files)["metrics"][0]["paths"]
                self.assertEqual(paths[0]["function"], first)
        paths = self.document("--limit", "1", *files)["metrics"][0]
        self.assertEqual((len(paths["paths"]), paths["rows_left_out"]), (1, 3))
        self.fails("model", "--sort", "size", *files, message="size")

    def test_warnings(self):
        few = self.runs(ONE[:4])
        self.assertIn("Note: n has 4 values: few for a model; 5 or more", self.model(*few))
        self.assertIn("n = 1e+06 is 156 times as large as the largest value measured",
                      self.model("--predict", "n=1e6", *few))
        noisy = self.runs(repetitions=3, noise=0.4)
        self.assertIn("| noisy", self.model(*noisy))

    def test_growth_without_a_formula(self):
        def strange(n):
            return {"main": 0.5, "steep<main": math.exp(n / 4), "step<main": 50 if n > 10 else 1,
                    "odd<main": n * (2 if n == 8 else 1)}
        files = self.runs([{"n": n} for n in (4, 8, 12, 16, 20)], strange, repetitions=3)
        models = self.models(*files, "--predict", "n=40")
        steep = models["steep<main<init"]
        self.assertEqual((steep["finding"], steep["predicted"], steep["predicted_to"]), ("no formula", None, None))
        self.assertGreater(steep["predicted_from"], steep["at_largest"])
        self.assertIn("no formula fits; grows at least like n^", steep["formula"])
        step = models["step<main<init"]
        self.assertEqual((step["finding"], step["below"]["last"], step["below"]["first_above"]),
                         ("two formulas", 8, 12))
        self.assertAlmostEqual(step["below"]["constant"], 1, delta=0.05)
        odd = models["odd<main<init"]
        self.assertEqual(odd["points_left_out"], [1])
        self.assertAlmostEqual(odd["predicted"], 40, delta=3)
        printed = self.model("--metric", "time_excl", *files)
        self.assertRegex(printed, r"steep<main<init: no formula fits; grows at least like n\^\S+ over these points\.")
        self.assertRegex(printed, r"step<main<init: changes between n = 8 and 12, by a factor of \d+")
        self.assertRegex(printed, r"odd<main<init: the value at n = 8 is \S+ times that of the formula")
        overtakes = self.runs(of=lambda n: {**times(n), "late<main": 1e-9 * n * n}, repetitions=3)
        self.assertRegex(self.model("--metric", "time_excl", *overtakes),
                         r"Above n = \S+, late takes most of the exclusive time: it grows like n\^2\.")

    def test_exponents_and_statistic(self):
        def steep(n):
            return {"main": 0.5, "fifth<main": (n / 1000)**5, "mean<main": (n / 1000)**1.4}
        files = self.runs(of=steep, repetitions=3)
        find = {option: self.models(*option, *files)["fifth<main<init"]["order"]
                for option in ((), ("--max-power", "5"))}
        self.assertEqual(find[("--max-power", "5")], "n^5")
        self.assertRegex(find[()], r"or more")
        own = self.models("--powers", "1,7/5", "--logs", "0,1", *files)
        self.assertEqual(own["mean<main<init"]["order"], "n^(7/5)")
        for options, message in ((("--powers", "x"), '"x" is not a power'), (("--powers", "1/0"), "is not a power"),
                                 (("--powers", "0"), "nothing but constants"), (("--logs", "1"), "--logs needs --powers"),
                                 (("--powers", "1", "--logs", "9"), "is not a number from 0 to 4")):
            self.fails("model", *options, *files, message=message)
        for statistic, of in (("minimum", min), ("median", lambda values: sorted(values)[1])):
            with self.subTest(statistic=statistic):
                values = [json.loads(file.read_text())["nodes"][1]["exclusive_ns"] / 1e9 for file in files[:3]]
                point = self.models("--statistic", statistic, *files)["main<init"]["points"][0]
                self.assertAlmostEqual(point["value"], of(values))

    def test_strong_scaling(self):
        def strong(n, p):
            return {"main": 1e-6, "solve<main": 1e-3 * n / p}
        files = self.runs([{"n": 1000, "p": p} for p in (1, 2, 4, 8, 16)], strong, ranks="p", repetitions=3)
        self.assertEqual(self.models(*files)["solve<main<init"]["order"], "1")
        self.assertEqual(self.models(*files)["solve<main<init"]["terms"][0]["factors"][0]["power"], [-1, 1])
        total = self.models("--times-ranks", *files)
        self.assertNotIn(total["solve<main<init"]["finding"], ("formula", "no formula"))
        self.assertAlmostEqual(total["solve<main<init"]["constant"], 1, delta=0.05)
        self.assertIn(", sum over ranks", self.model("--times-ranks", *files))

    def test_tree(self):
        printed = self.model("--tree", "--metric", "time_incl", *self.runs(repetitions=3))
        names = [line.rstrip(" |").split("|")[-1][1:] for line in printed.splitlines() if line.startswith("| ")]
        self.assertEqual(names[-5:], ["init", "  main", "    solve", "    sort", "    setup"])

    def test_before_and_after(self):
        before = self.runs(repetitions=3)
        new = self.folder / "new"
        new.mkdir()
        after = write_runs(new, ONE, lambda n: {**times(n), "solve<main": (n, 1e-6 * n)}, repetitions=3, noise=0.01)
        text = self.model("--format", "csv", "--metric", "time_excl", *after, "--before", *before)
        rows = {row["callpath"]: row for row in csv.DictReader(io.StringIO(text))}
        solve = rows["solve<main<init"]
        self.assertEqual(solve["note"], "beyond doubt")
        self.assertLess(float(solve["factor"]), 0.1)
        self.assertIn("n^(3/2)", solve["model_before"])
        self.assertNotIn("^", solve["model_after"])
        self.assertEqual(rows["setup<main<init"]["note"], "")
        self.fails("model", *after, "--before", *self.runs(GRID, ranks="p"), message="the parameters of")
        self.fails("model", "--tree", *after, "--before", *before, message="--before cannot be used with --tree")

    def test_next_points(self):
        document = self.document(*self.runs(ONE[:3], noise=0.05, repetitions=2))
        self.assertTrue(document["next_points"])
        for point in document["next_points"]:
            self.assertNotIn(point["at"]["n"], [n["n"] for n in ONE[:3]])
            self.assertGreater(point["cost"], 0)
        self.assertIn("Measure next: n = ", self.model(*self.runs(ONE[:3], noise=0.05, repetitions=2)))
        self.assertIn("Measure next: each point again", self.model(*self.runs()))

    def test_intervals(self):
        solve = self.models(*self.runs(repetitions=3))["solve<main<init"]
        (along,) = solve["intervals"]
        self.assertEqual((along["over"], along["at"][0], along["at"][-1]), ("n", 100, 51200))
        self.assertEqual(len(along["from"]), len(along["to"]))
        for least, most in zip(along["from"], along["to"]):
            self.assertLessEqual(least, most)
        self.assertAlmostEqual(along["to"][-1], solve["predicted_to"])

    def test_messages_and_memory(self):
        files = self.runs(GRID, ranks="p", noise=0)
        for file in files:
            profile = json.loads(file.read_text())
            ranks = profile["run"]["ranks"]
            solve = next(node for node in profile["nodes"]
                         if profile["functions"][node["function"]]["name"] == "solve")
            solve["messages"] = {"sent": {"messages": 3 * ranks, "bytes": 1000 * ranks**2, "time_ns": 1,
                                          "bandwidth_sum": 1}}
            file.write_text(json.dumps(profile))
        sent = self.models("--metric", "bytes_sent", *files, metric="bytes_sent")
        self.assertEqual(sent["solve<main<init"]["formula"], "1000 * p")
        self.assertEqual(sent["program"]["formula"], "1000 * p")
        self.assertEqual(self.models("--metric", "messages_sent", *files, metric="messages_sent")
                         ["solve<main<init"]["formula"], "3")
        memory = self.models("--metric", "memory", *files, metric="memory")
        self.assertEqual(memory["program"]["formula"], "1")

    def test_same_run_twice(self):
        files = self.runs()
        copy = self.folder / "copy.json"
        copy.write_text(files[0].read_text())
        printed = self.model(*files, files[1], copy)
        self.assertIn("5 runs of heat", printed)
        self.assertIn(f"Note: {files[1]} is given twice; it is used once.", printed)
        self.assertIn(f"Note: {files[0]} and {copy} are from the same run; only the first is used.", printed)

    def test_threads_and_ends(self):
        files = self.runs()
        for file, keys in zip(files, ({"threads": 4}, {"ended": "signal 15 (SIGTERM)"})):
            profile = json.loads(file.read_text())
            profile["run"].update(keys)
            file.write_text(json.dumps(profile))
        printed = self.model(*files)
        self.assertIn("The numbers of threads differ, 1 to 4; times are sums over threads.", printed)
        self.assertIn(f"{files[1]} was ended by signal 15 (SIGTERM)", printed)

    def test_paths_of_some_runs(self):
        def some(n):
            return {**times(n), **({"large<main": 1e-5 * n} if n > 100 else {}),
                    **({"once<main": 1.0} if n > 10000 else {})}
        document = self.document(*self.runs(of=some))["metrics"][0]
        paths = {path["path"]: path for path in document["paths"]}
        self.assertEqual((paths["large<main<init"]["in_runs"], paths["large<main<init"]["order"]), (4, "n"))
        self.assertEqual(document["in_too_few_runs"], 1)

    def test_runs_that_do_not_belong_together(self):
        files = self.runs()
        other = self.folder / "other.json"

        def with_run(**options):
            other.write_text(json.dumps(run_profile({"n": 51200}, {"main": (1, 1.0)}, number=99, **options)))
            return other
        self.fails("model", *files, with_run(application="cold"), message='from the program "cold"')
        self.fails("model", *files, with_run(build_id="02"), message="different builds")
        self.model("--any-build", *files, with_run(build_id="02"))
        other.write_text(json.dumps(run_profile({}, {"main": (1, 1.0)}, number=99)))
        self.fails("model", *files, other, message=f'{other} does not have a value of "n"')
        other.write_text(json.dumps(run_profile({"n": 1}, {"main": (1, -1.0)}, number=99)))
        self.fails("model", *files, other, message="negative")
        other.write_text(files[0].read_text()[:1000])
        self.fails("model", *files, other, message="not valid JSON")
        other.write_text(json.dumps(run_profile({"n": 1}, {"main": (1, 1.0)}, ranks=4, number=99)
                                    | {"ranks": []}))
        self.fails("model", *files, other, message="1 of the 4 ranks")

    def test_parameters_that_allow_no_model(self):
        self.fails("model", message="FILE is required")
        self.fails("model", self.runs()[0], message="a model needs several runs")
        self.fails("model", *self.runs([{"n": 5}] * 3), message="no parameter changes between these runs: n = 5")
        self.fails("model", *self.runs([{"n": 0}, *ONE]), message="n is 0 in one of the runs")
        self.fails("model", *self.runs(ONE[:2]), message="n has 2 values in these runs (100 and 400)")
        tied = [{"n": n, "p": n // 100} for n in SIZES]
        self.fails("model", *self.runs(tied, ranks="p"), message="cannot be distinguished from that of p")
        models = self.models("--without", "p", *self.runs(tied, ranks="p"))
        self.assertEqual(models["solve<main<init"]["order"], "n^(3/2)")
        grid = self.runs(GRID, ranks="p")
        document = self.document("--where", "p=4", *grid)
        self.assertEqual((document["parameters"], document["constant_parameters"]), (["n"], {"p": 4}))
        self.assertEqual(len(document["runs"]), 5)
        for option, message in ((("--where", "p=3"), "none of the runs has these values"),
                                (("--where", "q=3"), '"q" is not a parameter of any run'),
                                (("--where", "p=x"), 'is not of the form NAME=NUMBER'),
                                (("--without", "q"), "the runs have n, p"),
                                (("--predict", "q=1"), '"q" is not a parameter of any run'),
                                (("--predict", "n=0"), "must be above 0"),
                                (("--predict", "n"), "NAME=NUMBER"),
                                (("--predict", "n=1,n=2"), "n is given twice"),
                                (("--min-share", "101"), "percentage")):
            with self.subTest(option=option):
                self.fails("model", *option, *grid, message=message)
