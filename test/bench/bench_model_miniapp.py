"""A mini-application whose work grows like LULESH's (hydro.cpp), run to its end at five sizes: the model grows, and predicts
the next size. The shortest of five runs counts, because machines are shared."""
import json
import subprocess

from common import HERE, compile_to, environment, row, skipped

SIZES, NEXT, REPETITIONS = (40, 48, 58, 70, 84), 100, 5
GOAL_PERCENT = 30


def profile(build, program, folder, size):
    folder.mkdir()
    subprocess.run([build / "vftrace", "run", "--parameter", f"n={size}", "--output-directory", folder, "--",
                    program, str(size)], env=environment(), check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    (file,) = folder.glob("*_all.json")
    return file


def measure(build, scratch):
    name = "model/mini-application-next-size"
    if not (build / "vftrace").exists() or 'S["HAVE_EIGEN_TRUE"]=""' not in (build / "config.status").read_text():
        return [skipped(name, "built without the vftrace command, or without Eigen")]
    libraries = build / ".libs"
    program = compile_to(scratch / "hydro", "g++", "-std=c++20", "-O2", "-finstrument-functions",
                         "-finstrument-functions-exclude-file-list=/usr/include",
                         HERE / "hydro.cpp", f"-L{libraries}", "-lvftrace_serial", f"-Wl,-rpath,{libraries}")
    files = [profile(build, program, scratch / f"n{size}-{repetition}", size)
             for repetition in range(REPETITIONS) for size in SIZES]
    printed = subprocess.run([build / "vftrace", "model", "--statistic", "minimum", "--predict", f"n={NEXT}",
                              "--format", "json", *files], env=environment(), capture_output=True, text=True,
                             check=True).stdout
    model = json.loads(printed)["metrics"][0]["program"]
    true = min(json.loads(profile(build, program, scratch / f"next-{i}", NEXT).read_text())["run"]["application_ns"]
               for i in range(REPETITIONS)) / 1e9
    predicted = model["predicted"] if model["terms"] else float("inf")
    return [row(name, 100 * abs(predicted / true - 1), GOAL_PERCENT, "%")]


if __name__ == "__main__":
    import pathlib
    import sys
    import tempfile
    with tempfile.TemporaryDirectory() as scratch_folder:
        for one in measure(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(scratch_folder)):
            print(one)
