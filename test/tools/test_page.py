"""vftrace report --html: the contents of the page, unusual input, and the page in a browser."""
import base64
import hashlib
import json
import os
import re
import resource
import subprocess

from command_support import CommandTest, command
from page_profiles import write_profile
from page_support import TEMPLATE, VIEWER, Page, drive, node_modules
from support import COMMAND, HERE, need_part, scratch_folder
from vfd_files import MPI, Vfd

FOUR_RANKS = HERE / "profiles" / "halo_4_ranks.json"
THREADS = HERE / "profiles" / "threads.json"
HOSTILE = ("</script><script>document.title='taken'</script>", "<!--<script>", "<img src=x onerror=document.title='taken'>", "\"'`&amp;&#60;",
           "\u202egnp.exe", "\u05e9\u05dc\u05d5\u05dd(int)", "operator<", "n" * 10_000, "a\u0000b\nc", "\U0001f525")


def seconds(cell):
    return float(cell.replace("\u2248", "").replace(",", "").split()[0])


class PageTest(CommandTest):
    def setUp(self):
        super().setUp()
        need_part("HAVE_ZLIB")

    def page(self, *files, options=()):
        output = scratch_folder() / "page.html"
        result = command("report", "--html", *options, "-o", output, *files)
        self.assertEqual((result.status, result.stdout), (0, f"{output}\n"), result.stderr)
        self.remarks = result.stderr
        return output

    def read(self, *files, options=()):
        return Page(self.page(*files, options=options).read_text())

    def edited(self, edit, file=FOUR_RANKS):
        profile = json.loads(file.read_text())
        edit(profile)
        path = scratch_folder() / "edited_all.json"
        path.write_text(json.dumps(profile))
        return path


class PagesAsFiles(PageTest):
    """The contents of the file."""

    def test_one_file_under_a_strict_policy(self):
        text = self.page(FOUR_RANKS).read_text()
        policy, = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', text)
        style, = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
        scripts = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
        self.assertEqual(len(scripts), 1)
        hashes = ["'sha256-" + base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() + "'" for part in (scripts[0], style)]
        self.assertEqual(policy, f"default-src 'none'; script-src {hashes[0]}; style-src {hashes[1]}; base-uri 'none'; form-action 'none'")
        self.assertLess(len(scripts[0]), 150_000)
        self.assertNotRegex(re.sub(r"<(style|script)>.*?</\1>", "", text, flags=re.DOTALL), r"src=|href=|https?:")

    def test_figures_are_those_of_the_profile(self):
        for file in (FOUR_RANKS, THREADS):
            with self.subTest(file=file.name):
                profile = json.loads(file.read_text())
                block, = self.read(file).of_kind("profile")
                paths, functions = block.list("paths"), block.list("functions")
                self.assertEqual(len(paths), len(profile["nodes"]))
                nodes = {node["stid"]: node for node in profile["nodes"]}
                line = []
                for path in paths:  # in preorder: the last one before it that is one level higher is the caller
                    node = nodes[path["stid"]]
                    del line[path["depth"]:]
                    self.assertEqual(line[-1]["id"] if line else None, node["parent"])
                    line.append(node)
                    self.assertEqual(functions[path["function"]]["name"], profile["functions"][node["function"]]["display"])
                    self.assertEqual((path["calls"], path["exclusive_ns"]), (node["calls"], node["exclusive_ns"]))
                inclusive = [path["inclusive_rest_ns"] + path["exclusive_ns"] for path in paths]
                last = {}
                for i, path in enumerate(paths):
                    last[path["depth"]] = path["parent"] = i
                    path["parent"] = last[path["depth"] - 1] if path["depth"] else None
                for i in range(len(paths) - 1, 0, -1):
                    inclusive[paths[i]["parent"]] += inclusive[i]
                self.assertEqual(inclusive, [nodes[path["stid"]]["inclusive_ns"] for path in paths])

    def test_names_are_data(self):
        def edit(profile):
            for i, name in enumerate(HOSTILE):
                profile["functions"][1 + i % (len(profile["functions"]) - 1)].update(name=name, display=name, symbol=name)
            profile["run"]["application"] = profile["run"]["command_line"] = HOSTILE[0]
            for rank in profile["ranks"]:
                rank["host"] = HOSTILE[0]

        template = TEMPLATE.read_text()
        text = self.page(self.edited(edit)).read_text()
        # Except for the blocks of data, which are base64, the page is the template.
        self.assertEqual(re.sub(r'<script type="application/octet-stream" id="vftrace-data-\d+">[A-Za-z0-9+/]+=*</script>\n', "", text),
                         template.replace("<!--vftrace-data-->", ""))

    def test_anonymous(self):
        secrets = ("node0", "/home/user", "./halo 1000", "only_for_ranks", "2101", "0123456789abcdef")
        open_text = "".join(json.dumps(block.head) + str(block.columns) for block in self.read(FOUR_RANKS).blocks)
        page = self.read(FOUR_RANKS, options=["--anonymous"])
        text = "".join(json.dumps(block.head) + str(block.columns) for block in page.blocks)
        for secret in secrets:
            self.assertNotIn(secret, text)
        for secret in ("node0", "./halo 1000", "only_for_ranks"):
            self.assertIn(secret, open_text)
        block, = page.of_kind("profile")
        self.assertEqual(len({rank["host"] for rank in block.list("ranks")}),
                         len({rank["host"] for rank in json.loads(FOUR_RANKS.read_text())["ranks"]}))

    def test_sources_only_on_request(self):
        folder = scratch_folder()
        source = folder / "solver.c"
        source.write_text("int main(void)\n{\n    return 0; /* confidential */\n}\n")

        def edit(profile):
            profile["functions"][1].update(file=str(source), line=1)
            profile["functions"][2].update(file="/nonexistent/gone.c", line=7)

        file = self.edited(edit)
        self.assertEqual(self.read(file).of_kind("sources"), [])
        block, = self.read(file, options=["--sources", folder]).of_kind("sources")
        self.assertIn("vftrace: /nonexistent/gone.c is not in the page: not found below the folders given with --sources\n",
                      self.remarks)
        self.assertIn(f"1 source file changed after the run had started, so lines may be wrong, the first being {source}",
                      self.remarks)
        os.utime(source, (1, 1))
        self.read(file, options=["--sources", folder])
        self.assertNotIn("changed after", self.remarks)
        self.assertEqual(block.list("files"), [{"name": str(source), "text": source.read_text()}])
        self.assertNotIn("sources", [block.head["kind"] for block in self.read(FOUR_RANKS, options=["--sources", folder]).blocks])

    def test_sources_are_those_that_the_caller_names(self):
        """A profile cannot choose which files of its reader get into a page."""
        folder = scratch_folder()
        inside, outside = folder / "src", folder / "private"
        (inside / "sub").mkdir(parents=True)
        outside.mkdir()
        (inside / "solver.c").write_text("int solver;\n")
        (inside / "sub" / "latin.c").write_bytes(b"/* \xe4 */\tint latin;\r\n")
        (inside / "program").write_bytes(b"\x7fELF\0\0")
        (inside / "large.c").write_text("x" * (2**20 + 1))
        (inside / "empty.c").write_text("")
        os.mkfifo(inside / "fifo.c")
        (outside / "key").write_text("secret\n")
        (inside / "link.c").symlink_to(outside / "key")
        (inside / "inner.c").symlink_to(inside / "solver.c")
        (folder / "src-private").mkdir()
        (folder / "src-private" / "key").write_text("secret\n")
        inside_names = {name: str(inside / name) for name in ("program", "large.c", "empty.c", "fifo.c", "link.c", "sub")}
        left_out = [*inside_names.values(), str(outside / "key"), f"{inside}/../private/key", "../private/key", str(folder / "src-private" / "key"),
                    "/dev/zero", "/proc/self/environ"]
        wanted = [str(inside / "solver.c"), "sub/latin.c", f"{inside}/sub/../inner.c"]

        def edit(profile):
            first = dict(profile["functions"][1])
            for name in [*wanted, *left_out]:
                profile["functions"].append({**first, "name": name, "display": name, "file": name, "line": 1})
                profile["nodes"].append({**profile["nodes"][1], "id": len(profile["nodes"]), "parent": 0, "stid": len(profile["nodes"]),
                                         "hash": f"{len(profile['nodes']):x}", "function": len(profile["functions"]) - 1})

        file = self.edited(edit)
        block, = self.read(file, options=["--sources", inside]).of_kind("sources")
        self.assertEqual(sorted(one["name"] for one in block.list("files")), sorted(wanted))
        self.assertNotIn("secret", str(block.list("files")))
        self.assertEqual(self.remarks.count("\n"), len(left_out) + 1)  # one about those that were written after the run
        reasons = {"program": "not text", "large.c": "larger than 1 MiB", "empty.c": "not text", "fifo.c": "not a regular file",
                   "link.c": "not found below", "sub": "not a regular file"}
        for name, reason in reasons.items():
            self.assertIn(f"{inside_names[name]} is not in the page: {reason}", self.remarks)
        # Only folders that are named.
        block, = self.read(file, options=["--sources", inside / "sub", "--sources", outside]).of_kind("sources")
        self.assertEqual({one["name"] for one in block.list("files")}, {str(outside / "key"), f"{inside}/../private/key", "../private/key", str(inside / "link.c")})
        self.fails("report", "--html", "--sources", folder / "missing", file, message="no such directory")

    def test_odd_profiles(self):
        def no_time(profile):
            for node in profile["nodes"]:
                node.update(inclusive_ns=0, exclusive_ns=0)
            profile["run"].update(runtime_ns=0, application_ns=0)

        def nothing(profile):
            profile["nodes"] = profile["nodes"][:1]
            profile["nodes"][0].update(inclusive_ns=0, exclusive_ns=0)
            profile["communication"] = []

        for edit in (no_time, nothing):
            with self.subTest(edit.__name__):
                self.assertTrue(self.read(self.edited(edit)).of_kind("profile"))
        newer = self.edited(lambda profile: profile.update(version=99))
        self.fails("report", "--html", newer, message="99")
        empty = scratch_folder() / "empty_all.json"
        empty.write_text("")
        self.fails("report", "--html", empty, message=str(empty))
        self.fails("report", "--html", "/nonexistent_all.json", message="/nonexistent_all.json")

    def test_many_ranks(self):
        file = scratch_folder() / "wide_all.json"
        write_profile(file, 20, 100_000)
        block, = self.read(file).of_kind("profile")
        self.assertEqual(len(block.list("ranks")), 100_000)

    def test_large_lists_are_thinned(self):
        file = scratch_folder() / "large_all.json"
        write_profile(file, 120_000, 4)
        block, = self.read(file).of_kind("profile")
        self.assertEqual(len(block.list("paths")), 120_000)
        self.assertLess(len(block.list("spread")), 30_000)
        self.assertTrue(block.head["left_out"])

    def test_no_half_files(self):
        folder = scratch_folder()
        output = folder / "page.html"
        for before in (None, "old"):
            with self.subTest(before=before):
                if before:
                    output.write_text(before)
                result = subprocess.run([COMMAND, "report", "--html", "-o", output, FOUR_RANKS], capture_output=True, text=True,
                                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000)))
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertRegex(result.stderr, rf"\Avftrace: {re.escape(str(output))}: .*too large\n\Z")
                self.assertEqual([(path.name, path.read_text()) for path in folder.iterdir()], [("page.html", before)] if before else [])
        with open("/dev/full", "w") as full:
            result = subprocess.run([COMMAND, "report", "--html", "-o", "-", FOUR_RANKS], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(result.returncode, 2)
        self.assertIn("No space left", result.stderr)

    def test_command_line(self):
        folder = scratch_folder()
        copy = folder / "halo_all.json"
        copy.write_bytes(FOUR_RANKS.read_bytes())
        result = command("report", "--html", copy)
        self.assertEqual((result.status, result.stdout), (0, f"{folder}/halo_all.html\n"), result.stderr)
        result = command("report", "--html", copy, "-o", "-")
        self.assertEqual(result.stdout, (folder / "halo_all.html").read_text())
        self.fails("report", "--html", copy, "-o", copy, message="would be overwritten")
        self.fails("report", "--html", copy, "--matrix", message="--matrix cannot be used with --html")
        self.fails("report", "--html", copy, "--sort", "calls", message="--sort cannot be used with --html")
        for option in ("--anonymous", "--sources=x", "--output=x"):
            self.fails("report", copy, option, message="needs --html")

    def trace(self, rank, damage=None):
        vfd = Vfd(rank=rank, processes=2, runtime_s=1e-3)
        main = vfd.stack(0, "main")
        send = vfd.stack(main, "MPI_Send" if rank == 0 else "MPI_Recv", MPI)
        vfd.enter(main, 1000)
        for i in range(20):
            vfd.enter(send, 2000 + 40_000 * i)
            vfd.exit(send, 30_000 + 40_000 * i)
        vfd.exit(main, 900_000)
        path = scratch_folder() / f"halo_{rank}.vfd"
        data = bytearray(vfd.bytes())
        if damage:
            del data[damage:]
        path.write_bytes(data)
        return path

    def test_traces(self):
        page = self.read(FOUR_RANKS, self.trace(0), self.trace(1))
        block, = page.of_kind("trace")
        calls = block.list("calls")
        self.assertEqual(block.head["calls"], len(calls))
        names = [function["name"] for function in block.list("functions")]
        sends = [call for call in calls if names[call["function"]] == "MPI_Send"]
        self.assertEqual([(call["begin_ns"], call["ns"], call["depth"]) for call in sends], [(2000 + 40_000 * i, 28_000, 2) for i in range(20)])
        self.assertEqual([lane["rank"] for lane in block.list("lanes")], [0, 1])
        self.assertEqual({(call["reconstructed"], call["several"]) for call in calls}, {(0, 0)})
        self.assertEqual(block.head["left_out"], "")
        self.fails("report", "--html", FOUR_RANKS, self.trace(0, damage=300), message=".vfd")
        self.fails("report", "--html", self.trace(0), message="a report page needs profiles")


    def thinned_trace(self):
        """advance is open all the time, interpolate was called many times; of relax only its beginning is missing."""
        vfd = Vfd(rank=0, processes=1, runtime_s=1e-3, interval_ns=100_000)
        main = vfd.stack(0, "main")
        advance = vfd.stack(main, "advance")
        interpolate, relax = vfd.stack(advance, "interpolate"), vfd.stack(advance, "relax")
        vfd.enter(main, 1000)
        vfd.enter(advance, 2000)
        for i in range(1, 5):
            vfd.sample((i + 1) % 2, interpolate, 100_000 * i, 0, ())
            vfd.left_out(advance, 100_000 * i, 2_500_000)
        vfd.exit(relax, 600_000)
        vfd.left_out(advance, 600_000, 1001)
        vfd.exit(advance, 700_000)
        vfd.exit(main, 900_000)
        return vfd.write(scratch_folder() / "thin_0.vfd")

    def test_thinned_traces(self):
        result = command("report", "--html", FOUR_RANKS, self.thinned_trace(), "-o", "-")
        left_out = "10001001 entries and exits were left out, because at most one in 100 us was recorded: main thread: 10001001"
        self.assertIn(f"vftrace: {left_out}. Calls in between are reconstructed\n", result.stderr)
        block, = self.read(FOUR_RANKS, self.thinned_trace()).of_kind("trace")
        self.assertEqual(block.head["left_out"], left_out)
        names = [function["name"] for function in block.list("functions")]
        found = {(names[call["function"]], call["reconstructed"] - 1 if call["reconstructed"] else "recorded", call["several"]) for call in block.list("calls")}
        self.assertEqual(found, {("init", "recorded", 0), ("main", "recorded", 0), ("advance", "recorded", 0), ("interpolate", 0, 1), ("relax", 0, 0)})

    def test_messages_of_collectives_to_itself(self):
        """They are not in the timeline; what both sides recorded is one line."""
        traces = []
        for rank in range(2):
            vfd = Vfd(rank=rank, processes=2, runtime_s=1e-3)
            main = vfd.stack(0, "main")
            gather, send = vfd.stack(main, "MPI_Gather", MPI), vfd.stack(main, "MPI_Sendrecv", MPI)
            vfd.enter(main, 1000)
            for receives, peer, stack, tag in ((1, 0, gather, -1), (0, 0, gather, -1), (rank, 1 - rank, send, 3), (1 - rank, 1 - rank, send, 4)):
                vfd.message(receives, peer, tag, 5000, 6000 + rank, stack)
            vfd.exit(main, 900_000)
            traces.append(vfd.write(scratch_folder() / f"to_itself_{rank}.vfd"))
        block, = self.read(FOUR_RANKS, *traces).of_kind("trace")
        messages = block.list("messages")
        lanes = block.list("lanes")
        self.assertEqual([one for one in messages if one["peer"] == lanes[one["lane"]]["rank"]], [])
        for one in messages:
            if one["other"] >= 0:
                other = messages[one["other"]]
                self.assertEqual((other["peer"], other["receives"]), (lanes[one["lane"]]["rank"], 1 - one["receives"]))
        self.assertGreaterEqual(sum(one["other"] >= 0 for one in messages), 4)


class TheViewer(PageTest):
    """The page is the one that viewer/ builds."""

    def test_template_is_what_viewer_builds(self):
        modules = node_modules()
        fresh = scratch_folder() / "report.html"
        subprocess.run(["node", VIEWER / "build.mjs", "--modules", modules, "--output", fresh], check=True, capture_output=True, timeout=120)
        self.assertEqual(fresh.read_text(), TEMPLATE.read_text(), "share/report.html is not what viewer/ builds: run make viewer")

    def test_types(self):
        modules = node_modules()
        # TypeScript looks for packages next to the sources.
        folder = scratch_folder()
        for name in ("src", "test", "tsconfig.json"):
            os.symlink(VIEWER / name, folder / name)
        os.symlink(modules, folder / "node_modules")
        result = subprocess.run([modules / ".bin" / "tsc", "--noEmit", "--preserveSymlinks", "-p", folder], capture_output=True, text=True, timeout=300)
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)

    def test_units(self):
        folder = scratch_folder()
        subprocess.run(["node", VIEWER / "build.mjs", "--modules", node_modules(), "--test", folder], check=True, capture_output=True, timeout=120)
        result = subprocess.run(["node", "--test", *folder.glob("*.test.mjs")], capture_output=True, text=True, timeout=120)
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertRegex(result.stdout, r"(?m)^# pass [1-9]\d*$")


class PagesInBrowsers(PageTest):
    """The page in Debian's chromium."""

    def test_every_view_of_a_run_of_four_ranks(self):
        profile = json.loads(FOUR_RANKS.read_text())
        page = self.page(FOUR_RANKS)
        tabs, *rest = drive(page, [["open", ""], ["texts", "[role=tab]"]])[1:]
        self.assertEqual(tabs, ["Overview", "Efficiencies", "Functions", "Flame graph", "Callers and callees", "Ranks", "Communication"])
        results = drive(page, [["open", "#view=functions"], ["table", "functions"], ["click", "[data-column=calls]"], ["table", "functions"],
                               ["fill", "input[type=search]", "^mpi_"], ["table", "functions"], ["hash"], ["saved", "[data-csv=functions]"],
                               ["press", ".table-body", "ArrowDown"], ["press", ".table-body", "Enter"], ["hash"], ["text", "[data-part=function]"]])
        names = {}
        for node in profile["nodes"]:
            function = profile["functions"][node["function"]]["display"]
            own, calls = names.get(function, (0, 0))
            names[function] = own + node["exclusive_ns"], calls + node["calls"]
        by_time, by_calls, found, address, csv, opened, title = (results[i] for i in (1, 3, 5, 6, 7, 10, 11))
        shown = {row[0]: row for row in by_time["rows"]}
        self.assertEqual(set(shown), set(names))
        for name, (own, calls) in names.items():
            self.assertAlmostEqual(seconds(shown[name][1]), own / 1e9, delta=0.00051)
            self.assertEqual(int(shown[name][4].replace(",", "")), calls)
        own_times = [names[row[0]][0] for row in by_time["rows"]]
        self.assertEqual(own_times, sorted(own_times, reverse=True))
        counts = [names[row[0]][1] for row in by_calls["rows"]]
        self.assertEqual(counts, sorted(counts, reverse=True))
        self.assertEqual({row[0] for row in found["rows"]}, {name for name in names if name.startswith("MPI_")})
        self.assertIn("q=%5Empi_", address)
        self.assertEqual(len(csv.strip().splitlines()), 1 + found["count"])
        self.assertIn("view=sandwich", opened)
        self.assertEqual(title, found["rows"][0][0])

    def test_findings_and_efficiencies(self):
        file = scratch_folder() / "made_all.json"
        write_profile(file, 60, 64, functions=30, valued_paths=20, slow_rank=37, scale=1e6)
        page = self.page(file)
        head = Page(page.read_text()).of_kind("profile")[0].head
        self.assertTrue(head["findings"])
        rule = next(finding for finding in head["findings"] if finding.get("rank") == 37)
        results = drive(page, [["open", ""], ["texts", "[data-rule] strong"], ["texts", "[data-part=quality] .fact > span"], ["click", f"[data-rule={rule['rule']}] button"], ["hash"],
                               ["open", "#view=efficiency"], ["table", "efficiencies"]])
        self.assertEqual(results[1], [finding["sentence"] for finding in head["findings"]])
        self.assertEqual(results[2], [f"{side['title']}: {side['grade']}" for side in head["quality"]])
        self.assertIn("view=ranks", results[4])
        self.assertIn("rank=37", results[4])
        figures = head["efficiencies"][0]["figures"]
        self.assertEqual([row[0].strip("\u2003 ") for row in results[6]["rows"]], [figure["title"] for figure in figures])
        self.assertEqual([row[1].split()[-1] for row in results[6]["rows"]], [f"{100 * figure['value']:.1f}" for figure in figures])

    def test_flame_graph(self):
        profile = json.loads(FOUR_RANKS.read_text())
        whole = sum(node["exclusive_ns"] for node in profile["nodes"])
        results = drive(self.page(FOUR_RANKS), [
            ["open", "#view=flame"], ["move_to", "[data-canvas=flame]", 0.5, 9], ["text", ".tip"],
            ["click_at", "[data-canvas=flame]", 0.3, 27], ["hash"], ["text", "[data-status=flame]"], ["text", ".path"],
            ["press", "[data-canvas=flame]", "ArrowDown"], ["hash"], ["press", "[data-canvas=flame]", "Enter"], ["hash"], ["press", "[data-canvas=flame]", "Escape"], ["hash"],
            ["fill", "input[type=search]", "MPI_"], ["text", "[data-status=flame]"],
            ["click", "[data-choice=tree-inverted]"], ["move_to", "[data-canvas=flame]", 0.01, 9], ["text", ".tip"], ["click", "[data-choice=color-module]"], ["hash"]])
        self.assertIn("init", results[2])
        self.assertIn("100.0 % of the whole", results[2])
        self.assertRegex(results[4], r"path=\d+.*zoom=\d+|zoom=\d+.*path=\d+")
        self.assertIn("exclusive", results[6])
        self.assertNotEqual(results[4], results[8])
        self.assertNotIn("zoom", results[12])
        in_mpi = sum(node["exclusive_ns"] for node in profile["nodes"] if profile["functions"][node["function"]]["kind"] == "mpi")
        share = float(re.search(r"Matching: .*?, ([\d.]+) %", results[14]).group(1))
        self.assertAlmostEqual(share, 100 * in_mpi / whole, delta=0.06)
        times = {}
        for node in profile["nodes"]:
            times[node["function"]] = times.get(node["function"], 0) + node["exclusive_ns"]
        hottest = max(times, key=times.get)
        self.assertIn(profile["functions"][hottest]["display"], results[17])
        self.assertIn(f"{100 * times[hottest] / whole:.1f} %", results[17])
        self.assertIn("color=module", results[19])

    def test_ranks_and_messages(self):
        file = scratch_folder() / "made_all.json"
        made = write_profile(file, 60, 64, functions=30, valued_paths=20, slow_rank=37, messages=True)
        hottest = max(range(len(made["own"])), key=lambda i: made["own"][i])
        exact = {row["node"]: row for row in json.loads(file.read_text())["rank_values"]}[hottest]
        results = drive(self.page(file), [
            ["open", "#view=ranks"], ["click_at", "[data-canvas=heat]", 0.6767, 31], ["text", "[data-status=heat]"], ["table", "ranks-of-path"], ["hash"],
            ["click", "[data-choice=order-value]"], ["move_to", "[data-canvas=heat]", 0.2265, 31], ["text", ".tip"], ["table", "ranks"],
            ["open", "#view=communication"], ["table", "matrix"], ["move_to", "[data-canvas=matrix]", 0.5, 300], ["click", "[data-choice=what-messages]"], ["table", "matrix"],
            ["click", "[data-choice=pairs-hosts]"], ["table", "matrix"]])
        self.assertIn(made["names"][made["used"][hottest]], results[2])
        first = results[3]["rows"][0]
        slowest = max(range(64), key=lambda rank: exact["exclusive_ns"][rank])
        self.assertEqual(int(first[0]), slowest)
        self.assertAlmostEqual(seconds(first[2]), exact["exclusive_ns"][slowest] / 1e9, delta=0.00051)
        self.assertRegex(results[4], r"rank=\d+")
        self.assertIn(f"rank {slowest} ", results[7])
        self.assertEqual(results[8]["count"], 64)
        self.assertEqual(results[10]["count"], 128)
        self.assertEqual(results[10]["rows"][0][2], "512 KiB")
        self.assertEqual(results[13]["rows"][0][2], "100")
        hosts = {(a // 16, b // 16) for a in range(64) for b in ((a + 1) % 64, (a - 1) % 64)}
        self.assertEqual(results[15]["count"], len(hosts))

    def test_threads(self):
        profile = json.loads(THREADS.read_text())
        results = drive(self.page(THREADS), [["open", "#view=threads"], ["table", "threads"]])
        self.assertEqual(results[1]["count"], len(profile["threads"]))
        busiest = max(profile["threads"], key=lambda thread: thread["time_ns"])
        self.assertAlmostEqual(seconds(results[1]["rows"][0][3]), busiest["time_ns"] / 1e9, delta=0.00051)

    def test_comparison_and_scaling(self):
        folder = scratch_folder()
        files = []
        for ranks, scale in ((2, 1.0), (4, 1.1), (8, 1.2)):
            files.append(folder / f"run{ranks}_all.json")
            write_profile(files[-1], 50, ranks, functions=30, scale=scale)

        def edit(profile):
            profile["functions"][5].update(name="brand_new", display="brand_new", symbol="brand_new")

        files[1] = self.edited(edit, files[1])
        old = json.loads(files[0].read_text())["functions"][5]["display"]
        results = drive(self.page(*files), [
            ["open", "#view=compare"], ["click", "[data-choice=state-new]"], ["table", "differences"], ["click", "[data-choice=state-gone]"], ["table", "differences"],
            ["click", "[data-button=swap]"], ["table", "differences"], ["hash"], ["move_to", "[data-canvas=compare]", 0.5, 9], ["text", ".tip"],
            ["open", "#view=scaling"], ["table", "runs"], ["table", "growth"],
            ["choose", "[data-choice=profile]", "2"], ["click", "#tab-functions"], ["table", "functions"]])
        self.assertEqual([row[0] for row in results[2]["rows"]], ["brand_new"])
        self.assertEqual([row[0] for row in results[4]["rows"]], [old])
        self.assertEqual([row[0] for row in results[6]["rows"]], ["brand_new"])  # A and B have changed places
        self.assertIn("a=1", results[7])
        self.assertRegex(results[9], r"A: .*, B: ")
        runs = [json.loads(file.read_text())["run"] for file in files]
        speed_up = runs[0]["application_ns"] / runs[2]["application_ns"]
        self.assertEqual([row[4] for row in results[11]["rows"]], ["2", "4", "8"])
        self.assertAlmostEqual(float(results[11]["rows"][2][6]), speed_up, delta=0.006)
        self.assertAlmostEqual(float(results[11]["rows"][2][8]), 100 * speed_up / 4, delta=0.06)
        whole = sum(node["exclusive_ns"] for node in json.loads(files[2].read_text())["nodes"])
        share = sum(float(row[2]) for row in results[15]["rows"])
        self.assertAlmostEqual(share, 100, delta=3)
        self.assertGreater(whole, 0)

    def test_tables_of_the_report(self):
        def edit(profile):
            for function, level in ((1, 1), (2, 2)):
                profile["functions"][function].update(kind="section", offset=str(level))

        file = self.edited(edit)
        report = json.loads(command("report", file, "--sections", "--level", "6", "--format", "json").stdout)["tables"][0]
        results = drive(self.page(file), [["open", "#view=sections"], ["table", report["id"]]])
        # The unit is next to the title: "Self s" of the column "Self(s)".
        self.assertEqual([column.split(" ")[0] for column in results[1]["head"]], [re.split(r"[ (]", column["title"])[0] for column in report["columns"]])
        self.assertEqual(results[1]["count"], len(report["rows"]))
        names = [column["type"] for column in report["columns"]].index("text")
        self.assertEqual([row[names] for row in results[1]["rows"]], [row[names].strip() for row in report["rows"]])

    def test_numbers_are_not_cut(self):
        """The widest table, with the values of ranks, in a window of usual width."""
        file = scratch_folder() / "made_all.json"
        write_profile(file, 60, 64, functions=30, valued_paths=20, slow_rank=37, messages=True, scale=1e6)
        cut = """[...document.querySelectorAll('[role=gridcell], [role=columnheader]')].filter((cell) => cell.scrollWidth > cell.clientWidth + 1).map((cell) => cell.textContent)"""
        whole = "[...document.querySelectorAll('.table-body')].every((table) => table.scrollWidth <= table.clientWidth)"
        results = drive(self.page(file), [step for view in ("functions", "ranks", "communication") for step in (["open", f"#view={view}"], ["evaluate", cut], ["evaluate", whole])])
        self.assertEqual(results[1::3], [[], [], []])
        self.assertEqual(results[2::3], [True, True, True])

    def test_timeline(self):
        traces = PagesAsFiles.trace(self, 0), PagesAsFiles.trace(self, 1)
        results = drive(self.page(FOUR_RANKS, *traces), [
            ["open", "#view=timeline"], ["table", "in-sight"], ["press", "[data-canvas=timeline]", "+"], ["hash"], ["table", "in-sight"],
            ["press", "[data-canvas=timeline]", "0"], ["hash"], ["click", "[data-button=outer]"], ["move_to", "[data-canvas=timeline]", 0.5, 26 + 15 + 7], ["text", ".tip"]])
        rows = {row[0]: row for row in results[1]["rows"]}
        self.assertEqual(rows["MPI_Send"][1], "20")
        self.assertEqual(rows["MPI_Send"][2], "560 \u00b5s")
        self.assertIn("from=250000", results[3])
        self.assertLess(int({row[0]: row for row in results[4]["rows"]}["MPI_Send"][1]), 20)
        self.assertNotIn("from=", results[6])
        self.assertIn("main", results[9])

    def test_timeline_of_a_thinned_trace(self):
        """What was left out is said, and nothing is counted from reconstructed boxes."""
        page = self.page(FOUR_RANKS, PagesAsFiles.thinned_trace(self))
        results = drive(page, [
            ["open", "#view=timeline"], ["text", "[data-part=left-out]"], ["table", "in-sight"], ["move_to", "[data-canvas=timeline]", 0.4, 26 + 15 + 7], ["text", ".tip"],
            ["move_to", "[data-canvas=timeline]", 0.4, 26 + 7], ["text", ".tip"]])
        self.assertIn("10001001 entries and exits were left out", results[1])
        rows = {row[0]: row[1:] for row in results[2]["rows"]}
        self.assertEqual(rows["interpolate"], ["not recorded", "not recorded"])
        self.assertEqual(rows["advance"], ["1", "698 \u00b5s"])
        self.assertRegex(results[4], "interpolate.*Reconstructed: perhaps several calls")
        self.assertRegex(results[6], "advance698 .*from 2.00")

    def test_moving_the_timeline(self):
        """By dragging, by keys and by the map; ranks can be collapsed, and init and main are hidden at first."""
        traces = PagesAsFiles.trace(self, 0), PagesAsFiles.trace(self, 1)
        canvas, height = "[data-canvas=timeline]", "document.querySelector('[data-canvas=timeline]').clientHeight"
        start = "#view=timeline&from=400000&to=500000"
        results = drive(self.page(FOUR_RANKS, *traces), [
            ["open", start], ["drag", canvas, 0.8, 40, 0.6, 40, ""], ["hash"], ["open", start], ["drag", canvas, 0.4, 10, 0.6, 10, ""], ["hash"],
            ["open", start], ["drag", canvas, 0.4, 40, 0.6, 40, "Shift"], ["hash"], ["open", start], ["press", canvas, "w"], ["hash"],
            ["open", start], ["press", canvas, "d"], ["hash"], ["evaluate", "document.documentElement.dataset.theme"],
            ["open", start], ["click_at", "[data-canvas=map]", 0.9, 10], ["hash"],
            ["open", "#view=timeline"], ["evaluate", height], ["click", "[data-button=outer]"], ["hash"], ["evaluate", height],
            ["open", "#view=timeline"], ["click_at", canvas, 0.01, 33], ["hash"], ["click", "[data-button=collapse]"], ["hash"], ["click", "[data-choice=color-group]"], ["texts", ".legend span"]])

        def window(index):
            return tuple(int(re.search(rf"\b{key}=(\d+)", results[index]).group(1)) for key in ("from", "to"))

        self.assertEqual(window(2)[1] - window(2)[0], 100_000)
        self.assertGreater(window(2)[0], 410_000)
        for zoomed in (5, 8, 11):
            self.assertTrue(400_000 <= window(zoomed)[0] < window(zoomed)[1] <= 500_000 and window(zoomed)[1] - window(zoomed)[0] < 60_000, results[zoomed])
        self.assertEqual(window(14), (420_000, 520_000))
        self.assertEqual(results[15], "light")  # D is not the key of the theme
        self.assertGreater(window(18)[0], 700_000)
        self.assertIn("outer=1", results[22])
        self.assertGreater(results[23], results[20])
        self.assertIn("collapsed=0", results[26])
        self.assertIn("collapsed=all", results[28])
        self.assertIn("MPI call", results[30])

    def test_first_screen(self):
        """The overview begins with a bar for each rank, the functions with most time, and the grade beside the title."""
        results = drive(self.page(FOUR_RANKS), [
            ["open", ""], ["texts", "[data-part=time-bars] .time-bar"], ["texts", "[data-part=top-functions] .time-bar"], ["text", "[data-button=grade]"],
            ["evaluate", "document.querySelector('.first-screen').compareDocumentPosition(document.querySelector('[data-part=findings]')) === Node.DOCUMENT_POSITION_FOLLOWING"],
            ["open", "#view=communication"], ["table", "messages"]])
        shares = [100 * rank["mpi_ns"] / (rank["runtime_ns"] - rank["overhead_ns"]) for rank in json.loads(FOUR_RANKS.read_text())["ranks"]]
        self.assertEqual(results[1], [f"rank {rank}code {100 - share:.1f} %MPI {share:.1f} %" for rank, share in enumerate(shares)])
        self.assertEqual([text.split("%")[1].strip() for text in results[2]], ["compute", "MPI_Waitall", "MPI_Allreduce", "MPI_Init", "MPI_Isend"])
        self.assertEqual(results[3], "measurement: good")
        self.assertTrue(results[4])
        times = [seconds(row[2]) for row in results[6]["rows"]]
        self.assertEqual(times, sorted(times, reverse=True))
        self.assertGreater(times[0], 0)

    def test_many_ranks_on_the_first_screen(self):
        file = scratch_folder() / "made_all.json"
        write_profile(file, 60, 64, functions=30, valued_paths=20, slow_rank=37, messages=False, scale=1e6)
        bars = self.read(file).of_kind("profile")[0].head["time_bars"]
        self.assertEqual([bar["label"].split("(")[1] for bar in bars], ["most code)", "median)", "least code)"])
        self.assertTrue(bars[0]["label"].startswith("rank 37 "))

    def test_sources(self):
        source = scratch_folder() / "solver.c"
        source.write_text("// one\nint main(void)\n{\n}\n")
        file = self.edited(lambda profile: profile["functions"][1].update(file=str(source), line=2))
        results = drive(self.page(file, options=["--sources", source.parent]), [["open", "#view=sources"], ["texts", ".source .hot bdi"], ["table", "files"]])
        self.assertEqual(results[1], ["int main(void)"])
        self.assertEqual(results[2]["rows"][0][0], str(source))

    def test_names_are_text(self):
        def edit(profile):
            count = len(profile["functions"])
            for i, name in enumerate(HOSTILE[:count - 1]):
                profile["functions"][1 + i].update(name=name, display=name, symbol=name)
            profile["run"]["application"] = HOSTILE[0]

        views = ["overview", "functions", "flame", "sandwich", "ranks", "communication"]
        results = drive(self.page(self.edited(edit)), [step for view in views for step in (["open", f"#view={view}"], ["evaluate", "document.title"])])
        for title in results[1::2]:
            self.assertTrue(title.startswith(HOSTILE[0]), title)

    def test_old_browsers(self):
        page = self.page(FOUR_RANKS)
        for missing in (["DecompressionStream"], ["Uint8Array.fromBase64"]):
            with self.subTest(missing=missing):
                results = drive(page, [["open", "#view=functions"], ["table", "functions"]], without=missing)
                self.assertGreater(results[1]["count"], 3)

    def test_odd_profiles(self):
        def no_time(profile):
            for node in profile["nodes"]:
                node.update(inclusive_ns=0, exclusive_ns=0)
            profile["run"].update(runtime_ns=0, application_ns=0)

        views = ("overview", "functions", "ranks", "communication")
        results = drive(self.page(self.edited(no_time)), [step for view in views for step in (["open", f"#view={view}"], ["texts", "[role=tab]"])])
        self.assertNotIn("Flame graph", results[1])
        text = drive(TEMPLATE, [["open", ""], ["text", "[role=alert]"]])[1]
        self.assertIn("this page does not contain a profile", text)

    def test_dark_mode_keys_and_print(self):
        results = drive(self.page(FOUR_RANKS), [
            ["media", {"colorScheme": "dark"}], ["open", ""], ["evaluate", "document.documentElement.dataset.theme"], ["press", "body", "t"],
            ["evaluate", "document.documentElement.dataset.theme"], ["press", "body", "]"], ["hash"], ["press", "body", "["], ["hash"],
            ["click", "#tab-functions"], ["press", "#tab-functions", "ArrowRight"], ["evaluate", "document.activeElement.id"],
            ["click", "#tab-functions"], ["press", "body", "/"], ["evaluate", "document.activeElement.type"],
            ["media", {"media": "print"}], ["evaluate", "getComputedStyle(document.querySelector('nav')).display"],
            ["evaluate", "[...document.querySelectorAll('canvas, [role=grid], select, input')].every((one) => one.ariaLabel)"]])
        self.assertEqual((results[2], results[4]), ("dark", "light"))
        self.assertIn("view=", results[6])
        self.assertNotEqual(results[6], results[8])
        self.assertEqual(results[11], "tab-flame")
        self.assertEqual(results[14], "search")
        self.assertEqual(results[16], "none")
        self.assertTrue(results[17])
