"""vftrace export to the formats for profiles, each read back by its own reader or by the rules of its format."""
import csv
import gzip
import io
import json
import re
import shutil
import struct
import subprocess

from command_support import CommandTest, command
from support import HERE, clean_environment, compile_program, need, run, scratch_folder

FOUR_RANKS = HERE / "profiles" / "halo_4_ranks.json"
THREADS = HERE / "profiles" / "threads.json"
NASTY = 'operator->; "a,b"\n\t\x1bü<int>'
NASTY_AS_SHOWN = 'operator->; "a,b"\\n\\t\\x1bü<int>'


def vfd(stacks, samples, interval_ns):
    """A trace as Vftrace 2.0 wrote it. Stacks: (parent, name); samples: (exits, stack, ns)."""
    def text(value):
        return struct.pack("=i", len(value) + 1) + value.encode() + b"\0"
    date = "Sat Nov 21 01:33:13 2026"
    head = struct.pack("=i", 3) + text("Vftrace 2.0.0") + text(date) + date.encode() + b"\0"
    events = b"".join(struct.pack("=iiq", *sample) for sample in samples)
    table = b"".join(struct.pack("=i", parent) + text(name) for parent, name in stacks)
    begin = len(head) + 80
    offsets = (begin, begin + len(events), begin + len(events) + len(table),
               begin + len(events) + len(table) + 4)
    return head + struct.pack("=qiiidIIIIIqqqq", interval_ns, 1, 0, 1, 0.5, len(samples), 0,
                              len(stacks), 0, 0, *offsets) + events + table + struct.pack("=i", -1)


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def message(data):
    """The fields of a protobuf message: [(number, integer or bytes)]."""
    fields, at = [], 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            assert key & 7 == 2, f"wire type {key & 7}"
            length, at = varint(data, at)
            value, at = data[at:at + length], at + length
            assert len(value) == length, "cut off"
        fields.append((key >> 3, value))
    return fields


def packed(data):
    values, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        values.append(value)
    return values


class Pprof:
    """profile.proto, as far as we write it."""

    def __init__(self, file):
        fields = message(gzip.decompress(file.read_bytes()))
        self.strings = [value.decode() for number, value in fields if number == 6]
        assert self.strings[0] == ""
        dictionaries = {number: [dict(message(value)) for n, value in fields if n == number]
                        for number in (1, 3, 4, 5)}
        self.types = [(self.strings[t[1]], self.strings[t[2]]) for t in dictionaries[1]]
        self.mappings = {m[1]: m for m in dictionaries[3]}
        self.functions = {f[1]: f for f in dictionaries[5]}
        self.locations = {loc[1]: loc for loc in dictionaries[4]}
        self.samples = []  # ({label: text}, path from the leaf, values)
        for number, value in fields:
            if number != 2:
                continue
            sample = message(value)
            ids = [i for n, v in sample if n == 1 for i in packed(v)]
            values = [i for n, v in sample if n == 2 for i in packed(v)]
            labels = {}
            for n, label in sample:
                if n == 3:
                    pair = dict(message(label))
                    labels[self.strings[pair[1]]] = self.strings[pair[2]]
            self.samples.append((labels, "<".join(map(self.name, ids)), values))

    def name(self, location):
        function = self.functions[dict(message(self.locations[location][4]))[1]]
        return self.strings[function[2]]


class Export(CommandTest):
    def setUp(self):
        super().setUp()
        self.folder = scratch_folder()

    def export(self, name, *files, options=(), stderr=""):
        output = self.folder / f"out.{name}"
        output.unlink(missing_ok=True)
        result = command("export", "--format", name, "-o", output, *options, *files)
        if "was built without" in result.stderr:
            self.skipTest(result.stderr)
        self.assertEqual(result.status, 0, result.stderr)
        self.assertRegex(result.stderr, stderr if stderr else r"\A\Z")
        return output

    def profile_of(self, program):
        """Profile and file of a run of a test program."""
        result = run([compile_program(program, ("-O1",))], preload=False) \
            if program == "regions.c" else run([compile_program(program, ("-O1",))])
        return result, next(result.folder.glob("*_all.json"))

    def nasty(self):
        profile = json.loads(FOUR_RANKS.read_text())
        function = next(f for f in profile["functions"] if f["name"] == "compute")
        function.update(display=NASTY, file='a "b",c.cpp', line=7)
        path = self.folder / "nasty.json"
        path.write_text(json.dumps(profile))
        return path

    def as_ranks(self):
        """The profiles that two ranks write separately."""
        paths = []
        for rank in range(2):
            profile = json.loads(FOUR_RANKS.read_text())
            for node in profile["nodes"]:
                node.pop("ranks")
            for key in ("communication", "message_sizes", "threads"):
                profile.pop(key, None)
            profile["run"].update(rank=rank, ranks=2)
            profile["ranks"] = [dict(profile["ranks"][rank])]
            paths.append(self.folder / f"halo_{rank}.json")
            paths[-1].write_text(json.dumps(profile))
        return paths

    def trace(self, interval_ns=0):
        stacks = ((-1, "init"), (0, "main"), (1, "work"), (1, "vftrace_pause"))
        samples = ((0, 1, 1000), (0, 2, 2000), (1, 2, 5000), (0, 3, 6000), (1, 3, 9000),
                   (1, 1, 11000), (1, 0, 11500))
        path = self.folder / f"trace_{interval_ns}.vfd"
        path.write_bytes(vfd(stacks, samples, interval_ns))
        return path

    # ---- collapsed -----------------------------------------------------------------------------

    def collapsed(self, *files, **options):
        lines = self.export("collapsed", *files, **options).read_text().splitlines()
        stacks = [line.rsplit(" ", 1) for line in lines]
        return {stack: int(count) for stack, count in stacks}

    def test_collapsed(self):
        stacks = self.collapsed(FOUR_RANKS)
        self.assertEqual(stacks["init;main;compute"], 4_606_000_000)
        self.assertEqual(sum(stacks.values()), sum(
            node["exclusive_ns"] for node in json.loads(FOUR_RANKS.read_text())["nodes"]))

    def test_collapsed_names(self):
        stacks = self.collapsed(self.nasty())
        name, = (s for s in stacks if "operator" in s)
        self.assertEqual(name, 'init;main;operator->: "a,b"\\n\\t\\x1bü<int>')

    def test_collapsed_ranks_and_threads(self):
        stacks = self.collapsed(*self.as_ranks())
        self.assertEqual(stacks["rank 1;init;main;compute"], 4_606_000_000)
        profile = json.loads(THREADS.read_text())
        stacks = self.collapsed(THREADS)
        self.assertTrue(all(stack.startswith("thread ") for stack in stacks))
        self.assertEqual(sum(stacks.values()), sum(
            node[3] for thread in profile["threads"] for node in thread.get("nodes", ())))

    def test_collapsed_of_a_trace(self):
        self.assertEqual(self.collapsed(self.trace()),
                         {"init;main": 4000, "init;main;work": 3000})
        stacks = self.collapsed(self.trace(2000), stderr="thinned")
        self.assertEqual(sum(stacks.values()), 7000)

    # ---- callgrind -----------------------------------------------------------------------------

    def annotate(self, file, *options):
        """{function: ns} as callgrind_annotate prints it."""
        need("callgrind_annotate")
        result = subprocess.run(["callgrind_annotate", "--threshold=100", "--auto=no", "--show=ns",
                                 *options, str(file)], capture_output=True, text=True,
                                env=clean_environment())
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)
        rows = re.findall(r"^ *([\d,]+) \([ \d.]+%\)  (?:\*  )?[^:]*:(\S.*?)(?: \[.*\])?$",
                          result.stdout, re.M)
        return {name: int(ns.replace(",", "")) for ns, name in rows}

    def test_callgrind(self):
        file = self.export("callgrind", FOUR_RANKS)
        exclusive = self.annotate(file)
        nodes = json.loads(FOUR_RANKS.read_text())["nodes"]
        self.assertEqual(exclusive["compute"], 4_606_000_000)
        self.assertEqual(exclusive["MPI_Waitall"], 2_030_000_000)
        inclusive = self.annotate(file, "--inclusive=yes")
        self.assertEqual(inclusive["exchange"], 2_063_000_000)
        self.assertEqual(inclusive["init"], sum(node["exclusive_ns"] for node in nodes))

    def test_callgrind_recursion(self):
        result, file = self.profile_of("mutual_recursion.c")
        inclusive = self.annotate(self.export("callgrind", file), "--inclusive=yes")
        total = sum(max(0, node["exclusive_ns"]) for node in result.profile()["nodes"])
        self.assertEqual(inclusive["init"], total)
        self.assertTrue(all(ns <= total for ns in inclusive.values()), inclusive)
        self.assertTrue([name for name in inclusive if name.endswith("'2")], inclusive)

    def test_callgrind_calls_and_lines(self):
        profile = json.loads(self.nasty().read_text())
        text = self.export("callgrind", self.nasty()).read_text()
        called = re.search(r'fl=\(\d+\) a "b",c.cpp\nfn=\((\d+)\) operator.*\n7 4606000000\n', text)
        if not called:  # its name was defined at the call
            number = re.search(r"cfn=\((\d+)\) operator", text)[1]
            self.assertRegex(text, rf"fn=\({number}\)\n7 4606000000\n")
        self.assertRegex(text, r"calls=400 7\n")
        self.assertIn(f"cmd: {profile['run']['command_line']}\n", text)
        self.assertRegex(text, r"ob=\(\d+\) /home/user/halo\n")

    # ---- pprof ---------------------------------------------------------------------------------

    def test_pprof(self):
        profile = Pprof(self.export("pprof", FOUR_RANKS))
        self.assertEqual(profile.types, [("calls", "count"), ("time", "nanoseconds")])
        paths = {path: values for _, path, values in profile.samples}
        self.assertEqual(paths["compute<main<init"], [400, 4_606_000_000])
        mapping, = profile.mappings.values()
        self.assertEqual(profile.strings[mapping[5]], "/home/user/halo")
        self.assertEqual(profile.strings[mapping[6]], "0123456789abcdef")
        for location in profile.locations.values():
            if 2 in location:
                own = profile.mappings[location[2]]
                self.assertTrue(own[2] <= location[3] < own[3])
        compute = next(f for f in profile.functions.values()
                       if profile.strings[f[2]] == "compute")
        self.assertEqual(profile.strings[compute[3]], "compute")

    def test_pprof_labels(self):
        samples = Pprof(self.export("pprof", *self.as_ranks())).samples
        found = [labels for labels, path, _ in samples if path == "compute<main<init"]
        self.assertEqual(found, [{"source": "rank 0"}, {"source": "rank 1"}])
        samples = Pprof(self.export("pprof", THREADS)).samples
        self.assertTrue(all("thread" in labels for labels, _, _ in samples))

    def test_pprof_in_go(self):
        need("go")
        result = subprocess.run(["go", "tool", "pprof", "-top", "-unit=ns",
                                 str(self.export("pprof", FOUR_RANKS))],
                                capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"4606000000ns .* compute")

    # ---- hatchet -------------------------------------------------------------------------------

    def test_hatchet(self):
        roots = json.loads(self.export("hatchet", self.nasty()).read_text())
        count = 0

        def check(node):
            nonlocal count
            count += 1
            self.assertEqual(set(node), {"frame", "metrics", "children"})
            self.assertTrue(node["frame"]["name"])
            self.assertTrue(node["frame"]["type"])
            metrics = node["metrics"]
            self.assertAlmostEqual(metrics["time (inc)"], metrics["time"] + sum(
                child["metrics"]["time (inc)"] for child in node["children"]))
            for child in node["children"]:
                check(child)
        root, = roots
        check(root)
        self.assertEqual(count, len(json.loads(FOUR_RANKS.read_text())["nodes"]))
        main, = root["children"]
        compute = next(n for n in main["children"] if n["frame"]["name"] == NASTY)
        self.assertEqual(compute["frame"]["line"], 7)
        self.assertEqual(compute["metrics"]["calls"], 400)
        self.assertEqual(compute["metrics"]["time"], 4.606)
        self.assertEqual(compute["metrics"]["time (max)"], 1.6)

    def test_hatchet_in_hatchet(self):
        try:
            import hatchet
        except ImportError:
            self.skipTest("the Python module hatchet is not installed")
        roots = json.loads(self.export("hatchet", FOUR_RANKS).read_text())
        frame = hatchet.GraphFrame.from_literal(roots).dataframe
        self.assertAlmostEqual(frame["time"].sum(), 7.983)

    def test_one_profile_of_ranks(self):
        root, = json.loads(self.export("hatchet", *self.as_ranks()).read_text())
        main, = root["children"]
        self.assertEqual(main["metrics"]["calls"], 8)
        self.fails("export", "--format", "hatchet", "-o", self.folder / "x", FOUR_RANKS, THREADS,
                   message="only ranks of one run can be exported together")
        self.assertFalse((self.folder / "x").exists())

    # ---- extrap --------------------------------------------------------------------------------

    def extrap(self, *files, **options):
        return [json.loads(line) for line in
                self.export("extrap", *files, **options).read_text().splitlines()]

    def scaled(self, ranks):
        profile = json.loads(FOUR_RANKS.read_text())
        for rank in range(4, ranks):
            profile["ranks"].append(dict(profile["ranks"][0], rank=rank))
        profile["run"].update(ranks=ranks)
        path = self.folder / f"halo_{ranks}.json"
        path.write_text(json.dumps(profile))
        return path

    def test_extrap(self):
        lines = self.extrap(FOUR_RANKS, self.scaled(8))
        self.assertEqual({json.dumps(line["params"]) for line in lines},
                         {'{"ranks": 4}', '{"ranks": 8}'})
        self.assertTrue(all(set(line) == {"params", "callpath", "metric", "value"}
                            for line in lines))
        values = {(line["params"]["ranks"], line["metric"]): line["value"] for line in lines
                  if line["callpath"] == "init->main->compute"}
        self.assertEqual(values, {(4, "time"): 4.606 / 4, (8, "time"): 4.606 / 8,
                                  (4, "inclusive time"): 4.606 / 4,
                                  (8, "inclusive time"): 4.606 / 8,
                                  (4, "visits"): 100, (8, "visits"): 50})
        sent = [line for line in lines if line["metric"] == "bytes sent"]
        self.assertTrue(sent)

    def test_extrap_parameters(self):
        lines = self.extrap(FOUR_RANKS, self.scaled(8),
                            options=("--parameter", "cells=100,1e3", "--parameter", "steps=5"))
        self.assertEqual({json.dumps(line["params"]) for line in lines},
                         {'{"cells": 100, "steps": 5}', '{"cells": 1000, "steps": 5}'})
        for parameter, text in (("cells", "not of the form NAME=VALUE"), ("=1", "not of the form NAME=VALUE"),
                                ("a=x", '"x"'), ("a=1,2,3", "3 values for 2 files"),
                                ("a=inf", '"inf"'), ("a=", '""')):
            with self.subTest(parameter=parameter):
                self.fails("export", "--format", "extrap", "-o", self.folder / "x", "--parameter",
                           parameter, FOUR_RANKS, self.scaled(8), message=text)
        self.fails("export", "--format", "csv", "-o", self.folder / "x", "--parameter", "a=1",
                   FOUR_RANKS, message="cannot be used with csv")

    def test_extrap_names(self):
        paths = {line["callpath"] for line in self.extrap(self.nasty())}
        name, = (path for path in paths if "operator" in path)
        self.assertEqual(name.split("->"), ["init", "main",
                                            'operator- >; "a,b"\\n\\t\\x1bü<int>'])

    def test_extrap_repetitions_are_reported(self):
        copy = self.folder / "copy.json"
        shutil.copy(FOUR_RANKS, copy)
        self.extrap(FOUR_RANKS, copy, stderr="repetitions")

    # ---- csv -----------------------------------------------------------------------------------

    def csv(self, *files, **options):
        text = self.export("csv", *files, **options).read_bytes().decode()
        self.assertTrue(all(line.endswith("\r") or NASTY[:5] in line or "\t" in line
                            for line in text.split("\n")[:-1]))
        return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))

    def test_csv(self):
        rows = self.csv(self.nasty())
        nodes = json.loads(FOUR_RANKS.read_text())["nodes"]
        self.assertEqual(len(rows), len(nodes))
        for row, node in zip(rows, nodes):
            for key in ("id", "stid", "calls", "exclusive_ns", "inclusive_ns", "overhead_ns"):
                self.assertEqual(int(row[key]), node[key])
            self.assertEqual(row["hash"], node["hash"])
            self.assertEqual(int(row["max_ns"]), node["ranks"]["max_ns"])
            sent = node.get("messages", {}).get("sent", {})
            self.assertEqual(int(row["bytes_sent"]), sent.get("bytes", 0))
            self.assertEqual(int(row["exclusive_error_ns"]), node.get("exclusive_error_ns", 0))
            self.assertEqual(int(row["raw_exclusive_ns"]), node.get("raw_exclusive_ns", node["exclusive_ns"]))
            self.assertEqual((row["samples"], row["gpu_count"]), ("0", ""))
            self.assertEqual(row["flags"].split(), node.get("flags", []))
        nasty, = (row for row in rows if row["function"] == NASTY_AS_SHOWN)
        self.assertEqual(nasty["path"], "init;main;" + NASTY_AS_SHOWN)
        self.assertEqual((nasty["file"], nasty["line"]), ('a "b",c.cpp', "7"))

    def test_csv_of_several_and_metrics(self):
        profile = json.loads(FOUR_RANKS.read_text())
        profile["metrics"] = [{"name": 'x, "y"', "unit": "B", "reduction": "sum"}]
        profile["nodes"][1]["metrics"] = [[0, 1.5]]
        other = self.folder / "metrics.json"
        other.write_text(json.dumps(profile))
        rows = self.csv(FOUR_RANKS, other)
        self.assertEqual({row["source"] for row in rows}, {"halo_4_ranks.json", "metrics.json"})
        self.assertEqual([row['x, "y" [B]'] for row in rows if row['x, "y" [B]']], ["1.5"])

    # ---- all -----------------------------------------------------------------------------------

    def test_all_formats_of_a_trace(self):
        for name in ("collapsed", "callgrind", "hatchet", "extrap", "csv"):
            with self.subTest(name):
                self.assertIn("work", self.export(name, self.trace()).read_text())

    def test_paused_time_is_left_out(self):
        for name in ("collapsed", "callgrind", "hatchet", "extrap"):
            with self.subTest(name):
                self.assertNotIn("vftrace_pause", self.export(name, self.trace()).read_text())
        row, = (row for row in self.csv(self.trace()) if row["function"] == "vftrace_pause")
        self.assertEqual((row["flags"], row["exclusive_ns"]), ("paused", "3000"))

    def test_deep_paths(self):
        profile = json.loads(FOUR_RANKS.read_text())
        nodes = profile["nodes"][:2]
        depth = 500
        for i in range(2, depth):
            nodes.append(dict(nodes[1], id=i, parent=i - 1, stid=i + 20, hash=f"{i:016x}"))
        profile["nodes"] = nodes
        for key in ("communication", "message_sizes"):
            profile.pop(key)
        path = self.folder / "deep.json"
        path.write_text(json.dumps(profile))
        self.assertEqual(len(max(self.collapsed(path), key=len).split(";")), depth)
        self.export("hatchet", path)
        inclusive = self.annotate(self.export("callgrind", path), "--inclusive=yes")
        self.assertEqual(inclusive["init"], (depth - 1) * nodes[1]["exclusive_ns"])
