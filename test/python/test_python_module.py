"""The Python module by itself: files of all kinds, what is not known, values by rank, hostile names, no other packages."""
import ast
import copy
import gzip
import html.parser
import io
import json
import math
import os
import pickle
import random
import re
import subprocess
import sys
import unittest
import xml.etree.ElementTree as ElementTree
from unittest import mock

import pytest

from python_module_support import CORPUS, FOUR_RANKS, MODULE, THREADS, everything, generated, vftrace
from support import COMMAND, HERE, compile_program, need_part, run, scratch_folder, some_of
from vftrace import document as documents

SCRIPT = '<script>alert(1)</script>'
HOSTILE = (f'"{SCRIPT}"', "a|b`c`*d*[e](javascript:f)", "' onload='alert(1)", "]]>&lt;&#60;", "\x1b[2J\u202eevil\x00\n\ttwo",
           "\ud7ff\ufffe", "<img src=x onerror=alert(1)>", "=cmd|' /C calc'!A0", "$\\alert{1}$", "ü漢字\U0001f600" * 40, "")
ERRORS = (vftrace.ProfileError, vftrace.NoTable)


def four_ranks():
    return json.loads(FOUR_RANKS.read_text())


def profile_of(document):
    text = document if isinstance(document, (str, bytes)) else json.dumps(document)
    return vftrace.read(io.BytesIO(text if isinstance(text, bytes) else text.encode()))


class Files(unittest.TestCase):
    """What can be read, and the messages for what cannot."""

    def setUp(self):
        self.folder = scratch_folder()
        self.text = FOUR_RANKS.read_bytes()

    def refused(self, content, reason, **options):
        path = self.folder / "file_all.json"
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        with self.assertRaises(vftrace.ProfileError) as raised:
            vftrace.read(path, **options)
        error = raised.exception
        self.assertEqual((str(error), error.file), (f"{path}: {error.reason}", str(path)))
        self.assertNotIn("\n", str(error))
        self.assertRegex(error.reason, reason)
        self.assertIsInstance(error, ValueError)

    def test_ways_to_read(self):
        packed = self.folder / "p.json.gz"
        packed.write_bytes(gzip.compress(self.text))
        marked = self.folder / "marked.json"
        marked.write_bytes(b"\xef\xbb\xbf" + self.text)
        wanted = vftrace.read(str(FOUR_RANKS)).table("paths").to_csv()
        for source in (FOUR_RANKS, os.fsencode(FOUR_RANKS), packed, marked, io.BytesIO(self.text), io.BytesIO(gzip.compress(self.text))):
            self.assertEqual(vftrace.read(source).table("paths").to_csv(), wanted)
        with open(FOUR_RANKS, "rb") as file:
            profile = vftrace.read(file)
        self.assertEqual((profile.name, profile.table("paths").to_csv()), (str(FOUR_RANKS), wanted))
        for again in (pickle.loads(pickle.dumps(profile)), copy.deepcopy(profile)):
            self.assertEqual(again.table("paths").to_csv(), wanted)

    def test_other_files(self):
        self.refused(b"", "^is empty$")
        self.refused(b"   \n", "^is not a profile: ")
        self.refused(b"Runtime profile\n", "^is not a profile: that is the file that ends in _all.json, not the log or the trace$")
        self.refused(b"[1]", "^is not a profile: ")
        self.refused(b"{}", "^is JSON, but not a vftrace profile$")
        self.refused(self.text[:-3], r"^is not valid JSON: error in line \d+$")
        self.refused(self.text + b"x", "^is not valid JSON: ")
        self.refused(gzip.compress(self.text)[:-20], "^is damaged: it cannot be decompressed$")
        self.refused(gzip.compress(self.text)[:40] + b"x" * 40, "^is damaged: it cannot be decompressed$")
        self.refused(b"\x1f\x8b", "^is damaged: it cannot be decompressed$")
        self.refused({**four_ranks(), "version": 2}, "^has version 2 of the profile format, but this module reads version 1$")
        self.refused({**four_ranks(), "version": True}, "^has version True of the profile format")
        self.refused({"format": "vftrace-brief", "version": 1}, "^is of the format vftrace-brief, but only profiles are read here$")
        self.refused({**four_ranks(), "version": "\x1b[2J" * 100}, r"^has version \\x1b\[2J.* of the profile format")
        self.refused(self.text, "has more than 5,000 bytes", largest=5000)
        self.refused(gzip.compress(b'{"a": "' + b" " * 3_000_000 + b'"}'), "has more than 100,000 bytes", largest=100_000)
        self.refused(b'{"a": ' + b"[" * 200_000 + b"]" * 200_000 + b"}", "nested too deeply|is not valid JSON")
        for number in ("NaN", "Infinity", "-Infinity", "01", "1e", "0x10"):
            self.refused(b'{"format": "vftrace-profile", "version": 1, "a": ' + number.encode() + b"}", "^is not valid JSON")
        self.refused(b'{"format": "vftrace-profile", "version": 1, "a": "\\ud800x"}', "^is not valid JSON")

    def test_half_characters_in_pairs(self):
        document = four_ranks()
        document["functions"][1]["display"] = "\U0001f600\\ud800"
        self.assertEqual(profile_of(json.dumps(document)).table("paths")[1]["function"], "\U0001f600\\ud800")

    def test_files_that_cannot_be_read(self):
        for path, error in (("/no/file", FileNotFoundError), (self.folder, IsADirectoryError)):
            with self.assertRaises(error):
                vftrace.read(path)
        with open(FOUR_RANKS) as file, self.assertRaisesRegex(TypeError, "for reading bytes"):
            vftrace.read(file)
        with self.assertRaises(vftrace.ProfileError):  # not read to its end, which it does not have
            vftrace.read("/dev/zero")

    def test_bytes_that_are_not_utf8(self):
        text = self.text.replace(b'"compute"', b'"comp\xff\xc0ute"')
        self.assertIn("comp\ufffd\ufffdute", profile_of(text).table("functions")["function"])

    def test_faults_that_are_found_when_it_is_read(self):
        def edit(where, value):
            document = four_ranks()
            *path, last = where
            at = document
            for key in path:
                at = at[key]
            if value is None:
                del at[last]
            else:
                at[last] = value
            return document
        for where, value, reason in (
                (("run",), None, "run is not an object"), (("nodes",), {}, "nodes is not a list"), (("nodes", 3), 7, "not an object"),
                (("nodes", 3, "id"), 4, "id is not the position"), (("nodes", 3, "parent"), 3, "parent is not the position of an earlier"),
                (("nodes", 3, "parent"), -1, "parent is not"), (("nodes", 3, "parent"), "1", "parent is not a whole number"),
                (("nodes", 0, "parent"), 0, "the parent of the first one is not null"), (("nodes", 3, "function"), 99, "function is not"),
                (("nodes", 3, "function"), None, "does not have 'function'"), (("nodes", 3, "calls"), -1, "calls is negative"),
                (("nodes", 3, "calls"), 1.5, "calls is not a whole number"), (("nodes", 3, "calls"), 1 << 64, "64 bits|not a whole number"),
                (("nodes", 3, "exclusive_ns"), "1", "exclusive_ns is not a whole number"), (("nodes", 3, "flags"), "x", "flags is not"),
                (("functions", 2, "display"), 5, "display is not a text"), (("functions", 2, "name"), None, "does not have 'name'")):
            with self.subTest(where=where, value=value):
                self.refused(edit(where, value), reason)

    def test_large_numbers(self):
        """Numbers of 64 bits are exact."""
        document = four_ranks()
        document["nodes"][3].update(calls=(1 << 64) - 1, exclusive_ns=(1 << 63) - 1, inclusive_ns=-(1 << 63))
        row = profile_of(document).table("paths")[3]
        self.assertEqual((row["calls"], row["exclusive_ns"], row["inclusive_ns"]), ((1 << 64) - 1, (1 << 63) - 1, -(1 << 63)))
        everything(profile_of(document))

    def test_empty_lists(self):
        document = {**four_ranks(), **{key: [] for key in ("modules", "functions", "metrics", "nodes", "ranks", "communication",
                                                           "message_sizes")}}
        everything(profile_of(document))

    def test_deep_path(self):
        document, _, _ = generated(1, paths=1)
        for i in range(1, 20_000):
            document["nodes"].append({**document["nodes"][0], "id": i, "parent": i - 1, "function": i % 2, "calls": 1,
                                      "hash": f"{i:016x}", "exclusive_ns": 1, "inclusive_ns": 20_000 - i})
        profile = profile_of(document)
        paths = profile.table("paths")
        self.assertEqual((len(paths), max(paths["depth"])), (20_000, 19_999))
        names = profile._paths.callpath(19_999).split("<")
        self.assertEqual((len(names), names[:2], names[100], names[-1]), (201, ["f1", "init"], "...", "init"))
        self.assertTrue(profile.flame_graph().endswith(
            '>19,940 call paths are not drawn (together 100 %)</text>\n</svg>'))
        self.assertEqual(sum(profile.table("functions")["exclusive_ns"]), 19_999)
        profile.to_literal()

    def test_keys_of_later_versions(self):
        """They are kept, and are columns."""
        document = four_ranks()
        document["later"] = {"x": [1]}
        document["run"]["later"] = 5
        document["ranks"][1]["later"] = "new"
        document["nodes"][2]["flags"] = ["later"]
        document["functions"][3]["kind"] = "later"
        profile = profile_of(document)
        self.assertEqual((profile.document["later"], profile.run["later"]), ({"x": [1]}, 5))
        self.assertEqual(profile.table("ranks")["later"], [None, "new", None, None])
        self.assertEqual(profile.table("paths")[2]["flags"], ["later"])
        everything(profile)


class Damaged(unittest.TestCase):
    """Whatever is changed in a file, it is read or there is a ProfileError."""

    def changed(self, random_, document):
        """A copy in which one value, at any depth, is another one, missing, or there twice."""
        document = copy.deepcopy(document)
        at = document
        while True:
            keys = list(at) if isinstance(at, dict) else list(range(len(at)))
            key = random_.choice(keys)
            if isinstance(at[key], (dict, list)) and at[key] and random_.random() < 0.8:
                at = at[key]
                continue
            action = random_.randrange(4)
            if action == 0:
                del at[key]
            elif action == 1 and isinstance(at, list):
                at.insert(key, at[key])
            else:
                at[key] = random_.choice([None, True, -1, 0, 1.5, 1e308, 1 << 62, 1 << 65, "", "x", [], {}, [[1]], {"x": 1}, [None],
                                          "ffffffffffffffffff", 10 ** 30, 4])
            return document

    def check(self, content):
        try:
            everything(profile_of(content))
        except ERRORS as error:
            self.assertNotIn("\n", str(error))
            return 0
        return 1

    def test_changed_values(self):
        random_ = random.Random(5)
        originals = [four_ranks(), json.loads(THREADS.read_text())]
        originals += [json.loads(gzip.decompress((HERE / "corpus" / name).read_bytes()))
                      for name in ("mpi_late_sender2.json.gz", "gpu_copies.json.gz")]
        for original in originals:  # smaller, so that the changes are in different places
            del original["functions"][60:]
        read = sum(self.check(self.changed(random_, original)) for original in originals for _ in range(100))
        self.assertGreater(read, 50)
        self.assertLess(read, 350)

    def test_changed_bytes(self):
        random_ = random.Random(6)
        text = THREADS.read_bytes()
        for _ in range(200):
            damaged = bytearray(text)
            for _ in range(random_.randrange(1, 4)):
                damaged[random_.randrange(len(text))] = random_.randrange(256)
            self.check(bytes(damaged[:random_.randrange(len(text)) if random_.random() < 0.3 else len(text)]))

    def test_both_parsers_agree(self):
        """The standard one and, if it is installed, the faster one."""
        try:
            import orjson
        except ImportError:
            raise unittest.SkipTest("the Python module orjson is not installed")
        random_ = random.Random(7)
        text = THREADS.read_bytes()
        texts = [text, b'{"a": "\\ud83d\\ude00"}', b'{"a": "\\ud83d"}', b"\xff", b'"\xff"', b"NaN", b"1e5", b"\xef\xbb\xbf1"]
        for _ in range(100):
            damaged = bytearray(text)
            damaged[random_.randrange(len(text))] = random_.randrange(256)
            texts.append(bytes(damaged))
        for text in texts:
            values = []
            for parser in (None, orjson):
                with mock.patch.object(documents, "orjson", parser):
                    try:
                        values.append(documents.value_of(text))
                    except ValueError:
                        values.append("refused")
            self.assertEqual(*values, text[:200])


class Known(unittest.TestCase):
    """Estimates are marked, and what is not known is None."""

    def corpus(self, name):
        return vftrace.read(HERE / "corpus" / f"{name}.json.gz")

    def test_sampled_paths(self):
        """Only samples know of them: the number of calls is not 0, but not known."""
        profile = self.corpus("awk")
        self.assertTrue(profile.run.is_sampled)
        paths = profile.table("paths")
        self.assertEqual(set(paths["calls"]), {None})
        self.assertEqual((set(paths["calls_are"]), set(paths["times_are_from"])), ({None}, {"samples"}))
        self.assertGreater(sum(paths["samples"]), 20)
        self.assertEqual(set(profile.table("functions")["calls"]), {None})
        self.assertNotIn("calls", profile.to_literal()[0]["children"][0]["metrics"])
        self.assertIn("the profile does not have calls", profile.flame_graph(by="calls"))
        difference = profile.compare(self.corpus("awk.busy"))
        self.assertEqual((set(difference["calls_changed"]), set(difference["calls_difference"])), ({None}, {None}))

    def test_estimates(self):
        paths = {row["function"]: row for row in self.corpus("finite_elements").table("paths")}
        self.assertEqual((paths["add_point"]["calls_are"], paths["add_point"]["times_are_from"]), ("estimated", "clock and samples"))
        self.assertEqual(paths["Array<int>::operator[](int) const"]["calls_are"], "at least")
        self.assertEqual(paths["assemble<TwoPointRule<3>,double>"]["calls_are"], "exact")
        self.assertGreater(paths["add_point"]["exclusive_error_ns"], 0)

    def test_some_of_the_calls(self):
        rows = [row for row in self.corpus("gpu_even.busy").table("paths") if "thinned" in row["flags"]]
        self.assertEqual({row["times_are_from"] for row in rows if "clock-and-samples" not in row["flags"]}, {"some of the calls"})

    def test_numbers_that_are_not_finite(self):
        """JSON can write them, but they are not known."""
        document = four_ranks()
        document["metrics"] = [{"name": "m", "unit": "", "reduction": "sum"}]
        document["nodes"][1]["metrics"] = [[0, 123456789]]
        text = json.dumps(document).replace("123456789", "1e999")
        try:
            self.assertEqual(profile_of(text).table("nodes.metrics")["value"], [None])
        except vftrace.ProfileError as error:  # the faster parser refuses the number
            self.assertIn("is not valid JSON", str(error))

    def test_mostly_overhead(self):
        document = four_ranks()
        node = document["nodes"][3]
        node["raw_exclusive_ns"] = 2 * node["exclusive_ns"] + 1
        self.assertEqual([row["node"] for row in profile_of(document).table("paths") if row["uncertain"]], [3])
        node["raw_exclusive_ns"] -= 1
        self.assertFalse(any(profile_of(document).table("paths")["uncertain"]))
        node.update(raw_exclusive_ns=10 ** 12, flags=["clock-and-samples"])
        self.assertFalse(any(profile_of(document).table("paths")["uncertain"]))

    def test_pauses(self):
        """Marked by a flag, or by the kind of the function."""
        without = vftrace.read(FOUR_RANKS)
        for flags, function in ((["paused"], 1), ([], 12)):
            document = four_ranks()
            document["functions"].append({"kind": "pause", "name": "[pause]", "display": "[pause]"})
            document["nodes"].append({**document["nodes"][1], "id": len(document["nodes"]), "parent": 0, "function": function,
                                      "flags": flags, "exclusive_ns": 10 ** 12, "inclusive_ns": 10 ** 12})
            profile = profile_of(document)
            self.assertEqual(profile.table("functions").to_csv(), without.table("functions").to_csv())
            self.assertEqual(profile.to_literal(), without.to_literal())
            self.assertEqual(set(profile.compare(without)["exclusive_difference_ns"]), {0})
            self.assertEqual([row["paused"] for row in profile.table("paths")].count(True), 1)

    def test_differences(self):
        document = four_ranks()
        compute = next(node for node in document["nodes"] if document["functions"][node["function"]]["name"] == "compute")
        compute.update(calls=compute["calls"] + 1, exclusive_ns=int(compute["exclusive_ns"] * 1.5), exclusive_error_ns=3_000_000)
        a, b = vftrace.read(FOUR_RANKS), profile_of(document)
        row = a.compare(b)[0]
        self.assertEqual((row["function"], row["calls_difference"], row["calls_changed"], row["time_changed"]), ("compute", 1, True, True))
        self.assertAlmostEqual(row["exclusive_ratio"], 1.5)
        self.assertEqual(row["exclusive_difference_error_ns"], 3_000_000)
        # A difference within the error of measuring is not a change.
        compute.update(exclusive_error_ns=10 ** 10)
        self.assertEqual(a.compare(profile_of(document))[0]["time_changed"], False)
        # A number of calls that is an estimate cannot show a change.
        compute.update(flags=["calls-estimated"])
        row = a.compare(profile_of(document))[0]
        self.assertEqual((row["calls_changed"], row["calls_difference"]), (None, 1))
        compute.update(flags=["calls-until-removal"])
        row = a.compare(profile_of(document))[0]
        self.assertEqual((row["calls_changed"], row["calls_difference"]), (None, None))

    def test_quality(self):
        profile = vftrace.read(FOUR_RANKS)
        self.assertEqual((profile.quality.remarks(9), profile.run.ended), ([], "normally"))
        document = four_ranks()
        document["run"].update(ended="signal 15 (Terminated)", warnings=["<b>lost</b>"] * 7)
        profile = profile_of(document)
        self.assertEqual(profile.quality.remarks(2), ["The profile covers the run only in part: signal 15 (Terminated).",
                                                      "<b>lost</b>", "<b>lost</b>", "5 more warnings: profile.quality.warnings"])
        self.assertIn("&lt;b&gt;lost", profile._repr_html_())
        document["run"]["snapshot"] = True
        self.assertEqual(profile_of(document).run.ended, "still running")

    def test_run(self):
        run_ = vftrace.read(FOUR_RANKS).run
        self.assertEqual((run_.application, run_.ranks, run_.threads, run_.runtime_s, run_.application_s, run_["host"], run_.parameters),
                         ("halo", 4, 1, 2.005, 1.993, "node01", {}))
        self.assertEqual(run_.options, {"mpi": {"only_for_ranks": "all"}})
        self.assertEqual(profile_of(generated(4)[0]).run.parameters, {"seed": 4})


class Ranks(unittest.TestCase):
    def setUp(self):
        self.document = json.loads(gzip.decompress((HERE / "corpus" / "mpi_uneven4.json.gz").read_bytes()))

    def values(self, figure="exclusive_ns"):
        return vftrace.by_rank.by_rank(profile_of(self.document).core, figure)

    def test_values_are_those_of_the_file(self):
        for figure in ("calls", "exclusive_ns"):
            values = self.values(figure)
            self.assertEqual((len(values), len(values[0])), (len(self.document["nodes"]), 4))
            listed = {row["node"]: row[figure] for row in self.document["rank_values"]}
            for node, row in enumerate(values):
                self.assertEqual(row, listed.get(node, [None] * 4))
                if node in listed:
                    self.assertEqual(sum(row), self.document["nodes"][node][figure])

    def test_rank_that_is_not_in_the_profile(self):
        """The file has 0 for it, but that is not known."""
        del self.document["ranks"][2]
        row = self.document["rank_values"][0]
        row["exclusive_ns"][2] = row["calls"][2] = 0
        values = self.values()[row["node"]]
        self.assertEqual([value is None for value in values], [False, False, True, False])
        points = profile_of(self.document).table("rank_values.ranks")
        self.assertEqual([point["calls"] is None for point in points.head(4)], [False, False, True, False])

    def test_only_histograms(self):
        for row in self.document["rank_values"]:
            del row["calls"], row["exclusive_ns"]
        self.assertEqual({value for row in self.values() for value in row}, {None})
        self.assertEqual(len(profile_of(self.document).table("rank_values.ranks")), 0)

    def test_no_values(self):
        """The profile of several runs, and that of one rank of several."""
        del self.document["rank_values"]
        self.assertEqual({value for row in self.values() for value in row}, {None})
        self.document["ranks"] = self.document["ranks"][1:2]
        for node, row in enumerate(self.values()):
            self.assertEqual(row, [None, self.document["nodes"][node]["exclusive_ns"], None, None])

    def test_one_process(self):
        document = json.loads(THREADS.read_text())
        self.assertEqual(vftrace.by_rank.by_rank(profile_of(document).core, "calls"), [[node["calls"]] for node in document["nodes"]])

    def test_faults(self):
        for row, key, value in (("rank_values", "exclusive_ns", [1]), ("rank_values", "node", 99), ("ranks", "rank", 4)):
            document = copy.deepcopy(self.document)
            document[row][0][key] = value
            with self.assertRaises(vftrace.ProfileError):
                vftrace.by_rank.by_rank(profile_of(document).core, "exclusive_ns")
        self.document["run"]["ranks"] = (1 << 32) - 1
        with self.assertRaisesRegex(vftrace.ProfileError, "too many for one array"):
            self.values()
        with self.assertRaisesRegex(vftrace.NoTable, "no values by rank of 'time'"):
            profile_of(four_ranks()).by_rank("time")


class Tags(html.parser.HTMLParser):
    """The elements and attributes of HTML, and its text."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.text = set(), set(), []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data):
        self.text.append(data)


class Hostile(unittest.TestCase):
    """Names that would be more than text somewhere are text everywhere."""

    def profile(self):
        document = four_ranks()
        for i, name in enumerate(HOSTILE):
            document["functions"][1 + i].update(name=name, display=name, kind=name)
        document["run"].update(application=SCRIPT, ended=SCRIPT, warnings=[SCRIPT, HOSTILE[4]])
        document["ranks"][0].update(host=SCRIPT, **{SCRIPT: SCRIPT})
        document["metrics"] = [{"name": SCRIPT, "unit": SCRIPT, "reduction": "sum"}]
        document["nodes"][1]["metrics"] = [[0, 1]]
        return profile_of(document)

    def check(self, text):
        tags = Tags(text)
        self.assertLessEqual(tags.tags, {"div", "p", "b", "table", "tr", "th", "td", "svg", "title", "g", "rect", "text"})
        self.assertLessEqual(tags.attributes, {"class", "style", "xmlns", "width", "height", "viewbox", "role", "font-family", "font-size",
                                               "fill", "rx", "x", "y"})
        self.assertNotRegex(text, "[\x00-\x08\x0b-\x1f\x7f\u202e\ufffe]")
        return "".join(tags.text)

    def test_html(self):
        profile = self.profile()
        text = self.check(profile._repr_html_())
        self.assertIn(SCRIPT, text)
        for name in ("paths", "functions", "ranks", "nodes.metrics", "communication"):
            text = self.check(profile.table(name)._repr_html_())
        self.check(profile.compare(vftrace.read(FOUR_RANKS))._repr_html_())

    def test_svg(self):
        for by in ("time", "calls"):
            svg = self.profile().flame_graph(by=by)
            self.check(svg)
            root = ElementTree.fromstring(svg)
            titles = [title.text for title in root.iter("{http://www.w3.org/2000/svg}title")]
            self.assertTrue(any(title.startswith("<img src=x onerror=alert(1)>\n") for title in titles), titles)
            self.assertTrue(any("\\x1b[2J\\u202eevil\\x00\\n\\ttwo" in title for title in titles), titles)

    def test_text(self):
        profile = self.profile()
        for text in (repr(profile), repr(profile.run), profile.table("paths").text(), profile.table("ranks").text()):
            self.assertNotRegex(text, "[\x00-\x09\x0b-\x1f\x7f\u202e]")
        everything(profile)

    def test_values_are_not_changed(self):
        """Data are as in the file; only what is shown is escaped."""
        self.assertLessEqual(set(HOSTILE), set(self.profile().table("functions")["name"]) | {HOSTILE[-1]})

    def test_name_of_the_file(self):
        folder = scratch_folder()
        path = folder / "a\x1b\nb<c>"
        path.write_text("x")
        with self.assertRaisesRegex(vftrace.ProfileError, r"a\\x1b\\nb<c>: is not a profile"):
            vftrace.read(path)


class Pictures(unittest.TestCase):
    def boxes(self, svg):
        root = ElementTree.fromstring(svg)
        return {group[0].text.split("\n")[0]: group[1] for group in root.iter("{http://www.w3.org/2000/svg}g")}

    def test_widths_are_times(self):
        profile = vftrace.read(FOUR_RANKS)
        svg = profile.flame_graph(width=1016)
        boxes = self.boxes(svg)
        times = {row["function"]: row for row in profile.table("functions")}
        whole = sum(row["exclusive_ns"] for row in times.values())
        for name in ("compute", "exchange", "MPI_Waitall"):
            self.assertAlmostEqual(float(boxes[name].get("width")) + 0.4, 1000 * times[name]["inclusive_ns"] / whole, delta=0.02)
        self.assertLess(float(boxes["compute"].get("y")), float(boxes["main"].get("y")))
        self.assertEqual(svg, vftrace.read(FOUR_RANKS).flame_graph(width=1016))
        self.assertEqual(svg._repr_svg_(), svg)

    def test_boxes_are_above_their_callers(self):
        """Side by side, and within the box of the caller."""
        profile = profile_of(generated(8, paths=300)[0])
        places = {}
        for node, x, width in vftrace.flame_graph.Graph(profile._paths, "time").boxes(10_000, 1000, 100):
            places[node] = (x, x + width)
        self.assertEqual(len(places), 300)
        by_caller = {}
        for node, (begin, end) in places.items():
            parent = profile.core.parents[node]
            by_caller.setdefault(parent, []).append((begin, end))
            if parent >= 0:
                self.assertGreaterEqual(begin, places[parent][0] - 1e-6)
                self.assertLessEqual(end, places[parent][1] + 1e-6)
        for boxes in by_caller.values():
            for (_, end), (begin, _) in zip(sorted(boxes), sorted(boxes)[1:]):
                self.assertLessEqual(end, begin + 1e-6)

    def test_number_of_boxes(self):
        """The largest ones are drawn, and how many are not is written."""
        profile = profile_of(generated(3, paths=2000, functions=50)[0])
        for most in (1, 10, 100):
            svg = profile.flame_graph(boxes=most)
            self.assertEqual(svg.count("<g>"), most)
            # The root does not have time, so that it does not count; all others have some.
            left_out, percent = re.search(r"([\d,]+) call paths are not drawn \(together (\d+) %\)", svg).groups()
            self.assertEqual(left_out, f"{2000 - most:,}")
            self.assertGreater(int(percent), 50)
        self.assertLessEqual(len(profile.flame_graph().encode()), 400_000)

    def test_nothing_to_show(self):
        document, _, _ = generated(3, paths=1)
        self.assertIn("the profile does not have time", profile_of(document).flame_graph())
        self.assertIn("the profile does not have samples", profile_of(generated(3)[0]).flame_graph(by="samples"))
        for words in ({"by": "x"}, {"width": 10}):
            with self.assertRaises(ValueError):
                vftrace.read(FOUR_RANKS).flame_graph(**words)


class Tables(unittest.TestCase):
    def setUp(self):
        self.table = vftrace.read(FOUR_RANKS).table("paths")

    def test_rows_and_columns(self):
        table = self.table
        self.assertEqual(len(list(table)), len(table))
        self.assertEqual(table[0]["function"], "init")
        self.assertEqual(table[-1], list(table)[-1])
        self.assertEqual([row["node"] for row in table[2:4]], [2, 3])
        self.assertEqual(table["exclusive_s"], [ns / 1e9 for ns in table["exclusive_ns"]])
        with self.assertRaises(IndexError):
            table[99]
        with self.assertRaisesRegex(vftrace.NoTable, "does not have a column 'time'; it has: path, function"):
            table["time"]
        longest = table.sorted_by("exclusive_ns").head(1)
        self.assertEqual(longest["exclusive_ns"][0], max(table["exclusive_ns"]))
        self.assertEqual({row["kind"] for row in table.where(lambda row: row["kind"] == "mpi")}, {"mpi"})

    def test_unknown_values_are_last(self):
        table = vftrace.Table("t", 4, {"x": lambda: [None, 2, None, 3]})
        self.assertEqual(table.sorted_by("x")["x"], [3, 2, None, None])
        self.assertEqual(table.sorted_by("x", descending=False)["x"], [2, 3, None, None])
        self.assertEqual(table.to_csv(), 'x\n\n2\n\n3\n')

    def test_csv(self):
        path = scratch_folder() / "t.csv"
        self.table.to_csv(str(path))
        self.assertEqual(path.read_text(), self.table.to_csv())

    def test_columns_are_lazy(self):
        """A column is made when it is asked for, once."""
        made = []
        table = vftrace.Table("t", 1, {name: (lambda name=name: made.append(name) or [name]) for name in "ab"})
        self.assertEqual((len(table), table.columns, made), (1, ("a", "b"), []))
        self.assertEqual((table["b"], table["b"], made), (["b"], ["b"], ["b"]))

    def test_names_of_tables(self):
        profile = vftrace.read(FOUR_RANKS)
        self.assertEqual(profile.tables, ("paths", "functions", "run.overhead", "modules", "nodes", "ranks", "communication",
                                          "message_sizes"))
        for name, message in (("gpu.work", "does not have the table gpu.work: the run had nothing for it"),
                              ("lines", r"Tables that only the command computes: profile.report\('lines'\)")):
            with self.assertRaisesRegex(vftrace.NoTable, message):
                profile.table(name)

    def test_every_list_of_the_schema_is_a_table(self):
        """Those of the page: a new one must be described."""
        page = (HERE.parent / "doc" / "profile-json.md").read_text()
        keys = re.findall(r"^\| `(\w+)` \| array \|", page.split("## Notices")[0], re.M)
        self.assertGreater(len(keys), 30)
        known = {*vftrace.schema.TABLES, *(name.partition(".")[2] for name in vftrace.schema.TABLES)}
        members = {"warnings", "arguments"}  # of other lists, or of texts
        self.assertEqual([key for key in keys if key not in known | members], [])

    def test_series(self):
        document = four_ranks()
        document["metrics"] = [{"name": "memory.rss", "unit": "B", "reduction": "max", "scope": "series"}]
        document["series"] = [{"rank": 1, "metric": 0, "time_ns": [5, 10], "values": [1.5, None]},
                              {"rank": 2, "metric": 0, "node": 3, "time_ns": [7], "values": [8], "missed": 2}]
        profile = profile_of(document)
        one, other = profile.series
        self.assertEqual(one, (1, "memory.rss", "B", None, None, [5, 10], [1.5, None], 0))
        self.assertEqual((other.function, other.path, other.missed), ("exchange", profile.table("paths")["path"][3], 2))
        self.assertEqual([row["time_ns"] for row in profile.table("series.points")], [5, 10, 7])
        document["series"][0]["values"] = [1]
        with self.assertRaisesRegex(vftrace.ProfileError, "time_ns and values do not have the same length"):
            profile_of(document).series

    def test_bins(self):
        document = four_ranks()
        document["latencies"] = [{"node": 3, "calls": 9, "longest": {"time_ns": 5000, "end_ns": 9, "rank": 1}, "bins": [40, 47],
                                  "counts": [4, 5]}]
        rows = profile_of(document).table("latencies.bins")
        self.assertEqual([(row["begin_ns"], row["end_ns"], row["calls"]) for row in rows], [(1024, 1280, 4), (1792 * 2, 4096, 5)])


    def test_addresses(self):
        """The file has distances."""
        document = four_ranks()
        document["addresses"] = [{"node": 3, "module": 0, "time_ns": 9, "offsets": [4096, 4, 16], "samples": [1, 2, 3]},
                                 {"node": 3, "time_ns": 9, "offsets": [255], "samples": [4]}]
        rows = profile_of(document).table("addresses.samples")
        self.assertEqual([(row["module"], row["address"], row["samples"]) for row in rows],
                         [("/home/user/halo", "1000", 1), ("/home/user/halo", "1004", 2), ("/home/user/halo", "1014", 3), (None, "ff", 4)])


class OnRealRuns(unittest.TestCase):
    """All that vftrace records of a run is read."""

    def test_files_memory_locks_latencies(self):
        need_part("BUILD_TOOLS")
        found = set()
        for source in ("contended_locks.c", "heap_series.c", "latencies.c"):
            program = compile_program(source, ("-O1", "-g"))
            result = run([COMMAND, "run", "--io", "--memory", "--waiting", "--", program], preload=False)
            profile = vftrace.read(next(result.folder.glob(f"{source[:-2]}_all.json")))
            everything(profile)
            found |= set(profile.tables)
            self.assertEqual(sorted(profile.report("file_calls")["calls"]), sorted(profile.table("file_calls")["calls"]))
            stids = profile.table("paths")["stid"]
            calls = {stids[row["node"]]: row["calls"] for row in profile.table("latencies")}
            for row in profile.report("latencies"):
                self.assertEqual(row["calls"], calls[row["stack_id"]])
            bins = profile.table("latencies.bins")
            for row in profile.table("latencies"):
                self.assertLessEqual(sum(one["calls"] for one in bins if one["node"] == row["node"]), row["calls"])
            self.assertEqual(len(profile.table("series.points")), sum(len(series.values) for series in profile.series))
        self.assertLessEqual({"lock_waits", "heap_sites", "files", "series", "threads.nodes", "nodes.metrics"}, found)


class OtherPackages(unittest.TestCase):
    BLOCKED = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("numpy", "pandas", "orjson", "hatchet", "IPython"):
            raise ImportError(name + " is blocked")
sys.meta_path.insert(0, Blocked())
sys.path[:0] = sys.argv[1:3]
sys.dont_write_bytecode = True
import vftrace
"""

    def blocked(self, program, *arguments):
        result = subprocess.run([sys.executable, "-c", self.BLOCKED + program, MODULE, HERE / "shared", *map(str, arguments)],
                                capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def test_without_any(self):
        printed = self.blocked("""
profile = vftrace.read(sys.argv[3])
print(profile.table("paths").to_csv(), profile.by_rank("calls"))
profile._repr_html_(), profile.compare(profile).to_csv(), profile.to_literal()
runs = vftrace.read_many([sys.argv[3]] * 3)
print(len(runs.table), sum(runs.table["calls"]), runs.pivot()[0]["2"])
for wanted in ("profile.paths", "profile.functions", "profile.frame('ranks')", "profile.by_rank_frame()", "profile.to_hatchet()",
               "runs.frame()", "runs.pivot_frame()", "profile.table('paths').frame()"):
    try:
        eval(wanted)
    except vftrace.MissingPackage as error:
        print(wanted, error)
    else:
        sys.exit(wanted)
""", HERE / "corpus" / "mpi_uneven4.json.gz")
        self.assertIn("this needs pandas: install it with \"python3 -m pip install pandas\"; without it, the method table() returns",
                      printed)
        profile = vftrace.read(HERE / "corpus" / "mpi_uneven4.json.gz")
        self.assertTrue(printed.startswith(profile.table("paths").to_csv()))
        self.assertIn(str(vftrace.by_rank.by_rank(profile.core, "calls")), printed)

    def test_reading_imports_none(self):
        self.blocked("""
before = set(sys.modules)
vftrace.read(sys.argv[3])
assert not {"numpy", "pandas", "multiprocessing", "asyncio"} & set(sys.modules), sys.modules
""", FOUR_RANKS)

    def pandas(self):
        try:
            import pandas
        except ImportError:
            raise unittest.SkipTest("the Python module pandas is not installed")
        return pandas

    def test_frames(self):
        pandas = self.pandas()
        for file in (FOUR_RANKS, THREADS, *some_of(CORPUS, 6)):
            profile = vftrace.read(file)
            for name in profile.tables:
                frame, table = profile.frame(name), profile.table(name)
                self.assertEqual((list(frame.columns), len(frame)), (list(table.columns), len(table)))
                for column in table.columns:
                    ours = [value for value in table[column] if value is not None]
                    theirs = [value for value in frame[column] if isinstance(value, (list, dict)) or not pandas.isna(value)]
                    self.assertEqual(ours, theirs, (name, column))
        seconds = profile.frame("paths", seconds=True)
        self.assertEqual(list(seconds["exclusive_s"]), list(profile.paths["exclusive_ns"] / 1e9))
        self.assertNotIn("exclusive_ns", seconds)

    def test_what_is_not_known_in_frames(self):
        self.pandas()
        frame = vftrace.read(HERE / "corpus" / "awk.json.gz").paths
        self.assertTrue(frame["calls"].isna().all())
        values = vftrace.read(HERE / "corpus" / "mpi_uneven4.json.gz")
        array = values.by_rank()
        self.assertEqual((array.shape[1], str(array.dtype)), (4, "float64"))
        self.assertTrue(any(math.isnan(value) for value in array[:, 0]))
        frame = values.by_rank_frame("exclusive_s")
        self.assertEqual(list(frame.columns), ["function", 0, 1, 2, 3])
        self.assertFalse(frame.isna().any().any())

    def test_large_numbers_in_frames(self):
        self.pandas()
        document = four_ranks()
        document["nodes"][3]["calls"] = (1 << 64) - 1
        self.assertEqual(profile_of(document).paths["calls"][3], (1 << 64) - 1)


class Sources(unittest.TestCase):
    def trees(self):
        for path in sorted((MODULE / "vftrace").glob("*.py")):
            yield path, ast.parse(path.read_text(), feature_version=(3, 8))

    def test_everything_is_annotated(self):
        for path, tree in self.trees():
            for node in ast.walk(tree):
                if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    continue
                arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
                missing = [argument.arg for argument in arguments
                           if argument is not None and argument.annotation is None and argument.arg not in ("self", "cls")]
                self.assertEqual((missing, node.returns is None), ([], False), f"{path.name}:{node.lineno} {node.name}")
        self.assertTrue((MODULE / "vftrace" / "py.typed").exists())

    def test_small_files_that_say_what_they_are_for(self):
        for path, tree in self.trees():
            self.assertIsNotNone(ast.get_docstring(tree), path.name)
            self.assertLessEqual(path.read_text().count("\n"), 400, path.name)

    def test_no_dependency(self):
        """Only the standard library; pandas and numpy inside functions."""
        allowed = {*getattr(sys, "stdlib_module_names", ()), "orjson"}
        if len(allowed) == 1:
            raise unittest.SkipTest("Python 3.10 is the first that lists the modules of its library")
        for path, tree in self.trees():
            for node in tree.body:
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else \
                    [node.module] if isinstance(node, ast.ImportFrom) and not node.level else []
                self.assertLessEqual({name.partition(".")[0] for name in names}, allowed, path.name)

    @pytest.mark.full
    def test_mypy(self):
        command = [sys.executable, "-m", "mypy", "--strict", "--no-warn-return-any", "--no-warn-unused-ignores",
                   "--ignore-missing-imports", "--no-incremental", "--cache-dir", scratch_folder(), MODULE / "vftrace"]
        result = subprocess.run(command, capture_output=True, text=True)
        if "No module named mypy" in result.stderr:
            raise unittest.SkipTest("mypy is not installed")
        self.assertEqual(result.stdout.splitlines()[-1][:8], "Success:", result.stdout)
