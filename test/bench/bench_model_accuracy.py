"""How accurate models are: 200 random functions (scaling_functions.py) of one and of two parameters, five values of each
in steps of a factor of 2 and 4, five repetitions (three with two parameters), noise of 2, 5 and 10 %. All figures are
means over five sets of functions (seeds 1 to 5); predictions are for four times the largest values."""
import json
import subprocess

from common import environment, row, row_at_least, skipped
from scaling_functions import NAMES, functions, grid, measurements

COUNT, SEEDS, FAR = 200, (1, 2, 3, 4, 5), 4
REPETITIONS = {1: 5, 2: 3}
NOISES = (0.02, 0.05, 0.1)
# Functions whose leading exponents are exact, with steps of a factor of 2.
EXACT = {1: (148, 102, 60), 2: (168, 122, 88)}
MEDIAN_GOAL, NINETIETH_GOAL = 2.7, 16


def models(command, scratch, some, points, noise, seed):
    file = scratch / "measurements.json"
    file.write_text(measurements(some, points, noise, REPETITIONS[len(points[0])], seed))
    target = ",".join(f"{name}={FAR * x}" for name, x in zip(NAMES, points[-1]))
    printed = subprocess.run([str(command), "model", "--predict", target, "--format", "json", str(file)],
                             env=environment(), capture_output=True, text=True, check=True).stdout
    by_path = {path["path"]: path for path in json.loads(printed)["metrics"][0]["paths"]}
    return [by_path[f"function {i}"] for i in range(len(some))]


def leading(model, parameters):
    """The largest exponents of each parameter, and whether the model is a product."""
    result, is_product = [(0, 1, 0)] * parameters, False
    for term in model["terms"]:
        is_product |= len(term["factors"]) == parameters
        for factor in term["factors"]:
            found = (*factor["power"], factor["log2_power"])
            place = NAMES.index(factor["parameter"])
            if (found[0] / found[1], found[2]) > (result[place][0] / result[place][1], result[place][2]):
                result[place] = found
    return tuple(result), is_product


class Score:
    def __init__(self):
        self.exact = self.inside = self.constant = self.unclear = self.growing = self.functions = 0
        self.errors = []

    def add(self, model, function, truth, parameters):
        self.functions += 1
        self.constant += model["finding"] == "constant"
        self.unclear += model["finding"] == "unclear"
        self.growing += model["finding"] not in ("constant", "unclear")
        if function.exponents:
            self.exact += leading(model, parameters) == (function.exponents, function.is_product)
        most = model["predicted_to"]
        self.inside += model["predicted_from"] <= truth and (most is None or truth <= most)
        # Without a formula there is no prediction, which counts as an error of 100 %.
        self.errors.append(100 if model["predicted"] is None else 100 * abs(model["predicted"] / truth - 1))

    def percentile(self, percent):
        return sorted(self.errors)[int(len(self.errors) * percent / 100)]


def score(command, scratch, parameters, step, noise, constant):
    result, points = Score(), grid(parameters, step)
    target = tuple(FAR * x for x in points[-1])
    for seed in SEEDS:
        some = functions(parameters, COUNT, seed, constant)
        for function, model in zip(some, models(command, scratch, some, points, noise, seed)):
            result.add(model, function, function(target), parameters)
    return result


def measure(build, scratch):
    command = build / "vftrace"
    if not command.exists():
        return [skipped("model/accuracy", "built without the vftrace command")]
    if 'S["HAVE_EIGEN_TRUE"]=""' not in (build / "config.status").read_text():
        return [skipped("model/accuracy", "built without Eigen")]
    rows = []
    called_constant = called_growing = unclear = constants = 0
    for parameters in (1, 2):
        for step in (2, 4):
            for noise, exact_goal in zip(NOISES, EXACT[parameters]):
                name = f"model/{parameters}-parameters/step-{step}/noise-{noise * 100:g}%"
                found = score(command, scratch, parameters, step, noise, False)
                rows.append(row_at_least(f"{name}/exact-of-200", found.exact / len(SEEDS), exact_goal, ""))
                inside = 100 * found.inside / found.functions
                rows.append({"name": f"{name}/intervals-with-the-truth", "value": round(inside, 1), "goal": 95,
                             "unit": "%", "holds": 93 <= inside <= 97})
                if noise == 0.05:
                    rows.append(row(f"{name}/median-error", found.percentile(50), MEDIAN_GOAL, "%"))
                    rows.append(row(f"{name}/90th-percentile-error", found.percentile(90), NINETIETH_GOAL, "%"))
                called_constant += found.constant
                flat = score(command, scratch, parameters, step, noise, True)
                called_growing += flat.growing
                unclear += flat.unclear
                constants += flat.functions
    rows.append(row("model/growth-called-constant", called_constant, 0, ""))
    rows.append(row("model/constants-called-growing-of-600", 600 * called_growing / constants, 0.5, ""))
    rows.append(row("model/constants-in-doubt", 100 * unclear / constants, 20, "%"))
    return rows


if __name__ == "__main__":
    import pathlib
    import sys
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        for one in measure(pathlib.Path(sys.argv[1]), pathlib.Path(folder)):
            print(one)
