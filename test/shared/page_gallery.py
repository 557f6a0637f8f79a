#!/usr/bin/env python3
"""Takes pictures of every view of the report page, for inspection.

Light and dark, runs of one rank and of 64, with ten call paths and with a million. Needs what the tests of the page need, 4 GB
of memory and some minutes.

    test/shared/page_gallery.py --build build /tmp/pictures [--match WORD]
"""
import argparse
import os
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
RANKS = (1, 64)
# Views that are opened in addition to each tab's initial view.
FURTHER = {"flame": ("tree=inverted", "color=imbalance"), "ranks": ("path={hot}&rank=40",), "communication": ("pairs=hosts", "what=messages"),
           "sandwich": ("function={hot_function}",), "functions": ("q=kernel_1",), "compare": ("state=slower",), "timeline": ("from=2000000&to=4000000",),
           "waits": ("wait=all-to-all&rank=40&waits_of=rank",), "time": ("series=16",)}


def write_pages(folder, command, wanted):
    """Yields (name, page) for each page whose name contains the word."""
    from model_runs import write_runs
    from page_features import features, write_traces
    from page_profiles import write_profile

    def page(name, *files, options=()):
        output = folder / f"{name}.html"
        subprocess.run([command, "report", "--html", *options, "-o", output, *files], check=True, stdout=subprocess.DEVNULL)
        return output

    source = folder / "kernel.cpp"
    source.write_text("// Of the solver.\n\nvoid kernel_3(double* field, int cells) {\n    for (int i = 1; i + 1 < cells; i++)\n        field[i] += 0.5 * (field[i - 1] + field[i + 1]);\n}\n")
    for size, paths, functions, scale in (("small", 10, 8, 1e3), ("large", 1_000_000, 5000, 10)):
        names = [f"{size}-{ranks}" for ranks in RANKS] + [f"{size}-compared"]
        if not any(wanted in name for name in names):
            continue
        profiles = []
        for name, ranks in zip(names, RANKS):
            file = folder / f"{name}_all.json"
            write_profile(file, paths, ranks, functions=functions, valued_paths=min(60, paths), slow_rank=ranks * 5 // 8 if ranks > 1 else None, scale=scale, seed=ranks,
                                 messages=ranks > 1, more=lambda made: features(made, sources=[source]))
            profiles.append(file)
            if wanted in name:
                yield name, page(name, file, *write_traces(folder, ranks), options=["--sources", folder])
        if wanted in names[-1]:
            yield names[-1], page(names[-1], *profiles)
    if wanted in "models":
        points = [{"n": n, "p": p} for n in (100, 200, 400, 800, 1600) for p in (1, 4, 16, 64)]
        runs = write_runs(folder, points, lambda n, p: {"main": 0.5, "solve<main": (10, 1e-5 * n * n / p + 0.01), "exchange<solve<main": (10, 2e-3 * p + 1e-3)}, ranks="p")
        models = folder / "heat.models.json"
        models.write_text(subprocess.run([command, "model", "--format", "json", "--predict", "n=6400,p=256", *runs], check=True, capture_output=True, text=True).stdout)
        yield "models", page("models", *runs[-4:], models)


def take(page, folder, name):
    from page_support import Page, drive
    block = Page(page.read_text()).of_kind("profile")[0]
    own = block.columns["paths", "exclusive_ns"]
    hot = max(range(len(own)), key=own.__getitem__)
    places = {"hot": hot, "hot_function": block.columns["paths", "function"][hot]}
    tabs = "[...document.querySelectorAll('[role=tab]')].map((tab) => tab.id.slice(4))"
    views = drive(page, [["open", ""], ["evaluate", tabs]])[1]
    steps = []
    for theme in ("light", "dark"):
        steps += [["media", {"colorScheme": theme}], ["size", 1400, 900]]
        for view in views:
            for number, more in enumerate(("", *FURTHER.get(view, ()))):
                address = f"#view={view}" + (f"&{more.format_map(places)}" if more else "")
                steps += [["open", address], ["shot_all", str(folder / f"{name}-{view}{number or ''}-{theme}.png")]]
    drive(page, steps)
    return views


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build")
    parser.add_argument("--match", default="", help="only pages with this word in their name: small-1, large-64, small-compared, models ...")
    arguments = parser.parse_args()
    os.environ["VFTRACE_TEST_BUILD"] = str(arguments.build.resolve())
    sys.path.insert(0, str(SOURCE / "test" / "shared"))
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name, page in write_pages(arguments.folder, arguments.build.resolve() / "vftrace", arguments.match):
        print(f"{name}: {', '.join(take(page, arguments.folder, name))}", flush=True)


if __name__ == "__main__":
    main()
