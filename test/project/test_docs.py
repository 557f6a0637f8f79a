"""The pages: targets of links exist, every page is reachable from the index, and the quick start and the examples of
pages work as written."""
import os
import re
import shutil
import subprocess
import unittest

import pytest

from command_support import CommandTest
from page_examples import examples_of, is_busy, missing_pieces, run_examples
from support import BUILD, SOURCE, clean_environment, need, need_part, scratch_folder
from test_coroutines import need_header

DOC = SOURCE / "doc"
LINK = re.compile(r"\[[^\]\[]*\]\(([^)\s]+)\)")
# Code contains brackets and parentheses, too.
CODE = re.compile(r"^```.*?^```|^ {4}.*?$|`[^`\n]*`", re.M | re.S)


def pages():
    return sorted([*SOURCE.glob("*.md"), *DOC.rglob("*.md"), *(SOURCE / "examples").rglob("*.md")])


def links_of(page):
    """The files that a page links to, and the headings in them ("" for none)."""
    for target in LINK.findall(CODE.sub("", page.read_text())):
        if "://" not in target:
            name, _, heading = target.partition("#")
            yield (page.parent / name).resolve() if name else page, heading


def headings_of(page):
    """The anchors that forges make from headings."""
    titles = re.findall(r"^#+ +(.*)$", re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).lower()).strip().replace(" ", "-")
            for title in titles}


class Links(CommandTest):
    def test_targets_exist(self):
        wrong = []
        for page in pages():
            for target, heading in links_of(page):
                if not target.exists():
                    wrong.append(f"{page.relative_to(SOURCE)}: {target}")
                elif heading and target.suffix == ".md" and heading not in headings_of(target):
                    wrong.append(f"{page.relative_to(SOURCE)}: {target.name}#{heading}")
        self.assertEqual(wrong, [])

    def test_every_page_is_in_the_index(self):
        linked = {target for target, _ in links_of(DOC / "README.md")}
        self.assertEqual([page.name for page in DOC.glob("*.md") if page.name != "README.md" and page not in linked], [])

    def test_every_page_is_reachable_from_the_readme(self):
        seen, todo = set(), [SOURCE / "README.md"]
        while todo:
            page = todo.pop()
            if page in seen or page.suffix != ".md" or not page.exists():
                continue
            seen.add(page)
            todo += [target for target, _ in links_of(page)]
        self.assertEqual([str(page.relative_to(SOURCE)) for page in DOC.rglob("*.md") if page not in seen], [])


class QuickStart(CommandTest):
    """The commands of README.md after the installation, in a copy of the example."""

    def test_works_as_written(self):
        need_part("HAVE_FORTRAN")
        need("gfortran")
        need("make")
        text = (SOURCE / "README.md").read_text()
        script = re.search(r"^```sh\n(# install\n.*?)^```", text, re.M | re.S)[1]
        commands = script[script.index("cd examples/shallow_water\n"):]
        folder = scratch_folder()
        shutil.copytree(SOURCE / "examples", folder / "examples")
        environment = clean_environment()
        environment["PATH"] = f"{BUILD}/scripts:{BUILD}:" + environment.get("PATH", os.environ["PATH"])
        result = subprocess.run(["sh", "-e", "-c", commands], cwd=folder, env=environment, capture_output=True,
                                text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("mass conserved", result.stdout)
        self.assertIn("Runtime profile\n", result.stdout)
        page = folder / "examples" / "shallow_water" / "shallow_water_all.html"
        self.assertTrue(page.exists())
        table = re.search(r"Runtime profile\n(\+-.*?)\n\(", result.stdout, re.S)[1]
        self.assertLessEqual(max(map(len, table.split("\n"))), 100)

    def test_the_profile_shown_is_at_most_100_columns_wide(self):
        text = (SOURCE / "README.md").read_text()
        block = re.search(r"^```\n(Total runtime:.*?)^```", text, re.M | re.S)[1]
        self.assertLessEqual(max(map(len, block.split("\n"))), 100)
        overhead = float(re.search(r"^Overhead: +([\d.]+) s", block, re.M)[1])
        runtime = float(re.search(r"^Total runtime: +([\d.]+) s", block, re.M)[1])
        self.assertLess(overhead, 0.1 * runtime)


class Examples(CommandTest):
    """The commands of a page, in one shell and a copy of the examples, print what the page shows, but for figures."""
    maxDiff = None

    def check(self, page, start="", end="", commands=None, unlike=(), fails=(), folder=None, **variables):
        """`start`, `end`: a command before those of the page, and behind. `commands`: those of the page to run, by how they begin; by
        default all. `unlike`: those whose output depends on the moment, and `fails`: that do not end with 0."""
        examples = [example for example in examples_of(DOC / page)
                    if commands is None or example[0].startswith(tuple(commands))]
        self.assertNotEqual(examples, [])
        if folder is None:
            folder = scratch_folder()
            shutil.copytree(SOURCE / "examples", folder / "examples")
        results = run_examples([start or ":", *(command for command, _ in examples), end or ":"], folder, **variables)[1:]
        busy = any(is_busy(output) for _, output in results)
        wrong = []
        for (command, shown), (status, output) in zip(examples, results):
            missing = [] if command.startswith(tuple(unlike)) else missing_pieces(shown, output)
            if busy:  # then other findings, and rows with much time, are right
                missing = [piece for piece in missing if "#" not in piece]
            if missing or (status != 0) != command.startswith(tuple(fails)):
                wrong += [f"$ {command}", f"ends with {status}, without:", *missing, "in:", output]
        self.assertEqual(len(results), len(examples) + 1, results)
        self.assertEqual(wrong, [], "\n".join(wrong))

    @pytest.mark.mpi
    @pytest.mark.slow
    def test_hung_job(self):
        """Takes longer because the job must hang for a while."""
        need("mpirun")
        need("mpicc")
        self.check("hung-job.md", fails=("vftrace run --watchdog",))

    def test_waiting(self):
        """Who waits how long depends on the disk; whether `vftrace report` shows it, on the kernel."""
        self.check("waiting.md", start="cd examples/log_writer", commands=("vftrace-cc", "vftrace run"))

    def test_memory(self):
        """Which functions lose their hooks, and when, depends on the machine."""
        self.check("memory.md", start="cd examples/tracers", commands=("vftrace-cc", "vftrace run", "vftrace report"),
                   unlike=("vftrace report",))

    @unittest.skipUnless({0, 1} <= os.sched_getaffinity(0), "needs the processors 0 and 1")
    def test_first_touch(self):
        """Samples differ from run to run; test_first_touch.py looks at them."""
        self.check("first-touch.md", unlike=("vftrace report",))

    def test_latencies(self):
        self.check("latencies.md", start="cd examples/log_writer")

    @pytest.mark.mpi
    @pytest.mark.slow
    def test_tutorial(self):
        """Takes longer because it compiles the example three times."""
        need_part("HAVE_FORTRAN")
        for program in ("gfortran", "make", "mpirun", "mpic++"):
            need(program)
        self.check("tutorial.md")

    @pytest.mark.slow
    def test_starving_loop(self):
        """Takes longer because the server has to work for 6 s four times."""
        need("g++")
        need_header("asio.hpp")
        # Which runs are long enough for a message depends on the machine.
        self.check("starving-loop.md", start="cd examples/server", end="vftrace report server_all.json",
                   unlike=("VFTR_SECTION_LIVE",))

    def test_tables(self):
        folder = scratch_folder()
        shutil.copy(SOURCE / "test" / "profiles" / "halo_4_ranks.json", folder / "halo_all.json")
        self.check("tables.md", commands=("vftrace report halo_all.json",), folder=folder)
