#!/usr/bin/env python3
"""Records the profiles that test/core/test_corpus.py judges findings by: record.py --build DIR [NAME]...

Writes NAME.json.gz and NAME.busy.json.gz into this folder, with what is specific to the machine and
the user left out. The machine must be quiet and have two processors for it. Runs with CUDA are recorded
on a machine with a GPU and nvcc, on two of its processors.
"""
import argparse
import gzip
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

from runs import HERE, all_runs

sys.path.insert(0, str(HERE.parent / "shared"))
from busy_loops import busy_loops  # noqa: E402  (of the tests)

BENCH = HERE.parent / "bench" / "apps"
PRIVATE = {"host": "host", "command_line": "", "config_source": ""}


def write_inputs(folder):
    lines = range(3_000_000)
    (folder / "numbers.txt").write_text("".join(f"{i * 7919 % 1_000_003}\n" for i in lines))
    words = ["banana", "order", "plum", "lantern", "winter"]
    (folder / "words.txt").write_text("".join(
        f"{words[i * 31 % 5]} {words[i * 17 % 5]}{i % 977} {i}\n" for i in lines))
    (folder / "zeros").write_bytes(bytes(300_000_000))
    (folder / "program.c").write_text("".join(
        f"double f{i}(double x) {{ for (int i = 0; i < {i}; i++) x = x * x + {i}; return x; }}\n"
        for i in range(800)))


def build_program(build, folder, kind, argument):
    program = folder / f"{kind}_{argument}".replace(".", "_")
    if program.exists():
        return program
    link = [f"-L{build / '.libs'}", "-lvftrace", f"-Wl,-rpath,{build / '.libs'}", "-lm", "-pthread"]
    source = {"app": BENCH / argument, "cuda": HERE / "planted.cu"}.get(kind, HERE / "planted.c")
    compiler = {"app": ["g++", "-std=c++20"] if source.suffix == ".cpp" else ["gcc"], "plain": ["gcc"],
                "openmp": ["clang", "-fopenmp"], "mpi": ["mpicc.openmpi", "-DWITH_MPI"], "cuda": ["nvcc"]}[kind]
    instrument = ["-finstrument-functions"]
    if kind == "cuda":  # preloaded, because nvcc has options of its own for linking
        instrument, link = ["-Xcompiler", "-finstrument-functions"], []
    subprocess.run([*compiler, "-O1", *instrument, "-o", program, source, *link], check=True)
    return program


def run(build, folder, kind, argument, ranks):
    """The profile, as the library has written it."""
    if kind == "command":
        command = [build / "vftrace", "run", "--sample", "--", *argument.split(" ")]
    else:
        program = build_program(build, folder, kind, argument)
        command = [program, "3"] if kind == "app" else [program, argument]
    if kind == "cuda":
        command = [build / "vftrace", "run", "--", *command]
    if ranks > 1:
        command = ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-n", str(ranks), *command]
    with tempfile.TemporaryDirectory(dir=folder) as out:
        with open(folder / "output", "wb") as output:  # grep stops at the first match if this is /dev/null
            subprocess.run(command, cwd=folder, check=True, stdout=output,
                           env={**os.environ, "VFTR_OUTPUT_DIRECTORY": out})
        profiles = sorted(pathlib.Path(out).glob("*_all.json"), key=lambda path: path.stat().st_size)
        return json.loads(profiles[-1].read_text())


def without_private_data(value):
    if isinstance(value, dict):
        return {key: PRIVATE.get(key, without_private_data(item)) if isinstance(item, (str, dict, list)) else item
                for key, item in value.items()}
    return [without_private_data(item) for item in value] if isinstance(value, list) else value


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    build = pathlib.Path(options.build).resolve()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        write_inputs(folder)
        for name, kind, argument, ranks, _, _ in all_runs():
            if options.names and name not in options.names:
                continue
            if kind == "cuda":
                os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
            for suffix, loops in (("", 0), (".busy", 2)):
                with busy_loops(loops):
                    profile = run(build, folder, kind, argument, ranks)
                profile = without_private_data(profile)
                for module in profile.get("modules", []):
                    module["path"] = pathlib.Path(module.get("path", "")).name
                text = json.dumps(profile, separators=(",", ":"))
                (HERE / f"{name}{suffix}.json.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))
                print(shlex.quote(name + suffix), len(text))


if __name__ == "__main__":
    main()
