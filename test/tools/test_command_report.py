"""vftrace report: the tables of a profile, and messages about files that are not profiles."""
import json
import os
import re
import subprocess

from command_support import CommandTest, command
from support import COMMAND, HERE, compile_program, run, scratch_folder, table_rows, words_of

FOUR_RANKS = HERE / "profiles" / "halo_4_ranks.json"
THREADS = HERE / "profiles" / "threads.json"
COMMUNICATION = "Communication profile"
MATRIX = "Communication matrix (point-to-point and one-sided messages)"
SIZES = "Message sizes (point-to-point and one-sided messages)"


def number_of(cell):
    """A number, or one with a unit."""
    number, *unit = cell.split()
    unit = unit[0].removesuffix("/s") if unit else ""
    prefix = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "m": 1e-3, "u": 1e-6, "n": 1e-9, "": 1}
    return float(number) * prefix[unit[:-1]]


class Report(CommandTest):
    def setUp(self):
        super().setUp()
        result = run([compile_program("regions.c", ("-O1",))], preload=False,
                     VFTR_NAME_GROUPED_PROFILE_TABLE_SHOW_TABLE="yes",
                     VFTR_PROFILE_TABLE_SHOW_OVERHEAD="yes",
                     VFTR_PROFILE_TABLE_SHOW_CALLPATH="yes")
        self.log = result.text()
        self.json = result.folder / "regions_all.json"
        self.nodes = result.profile()["nodes"]

    def report(self, *options):
        result = command("report", self.json, *options)
        self.assertEqual((result.status, result.stderr), (0, ""))
        return result.stdout

    def test_prints_the_tables_of_the_log(self):
        printed = self.report("--callpath", "--overhead", "--stacks", "--no-findings", "--all")
        printed = printed[:printed.index("More of this profile:")]
        log = re.sub(r"Runtime profile \(Grouped.*?\n\n", "", self.log, flags=re.S)
        log = log[:log.index("\nVftrace configuration set by")]
        # The command aligns names to the left and writes no blanks at the ends of lines, unlike the log,
        # which has both as in Vftrace 2.0.
        self.assertEqual(words_of(printed), words_of(log))
        grouped = self.report("--group", "name")
        self.assertEqual(table_rows(grouped, "Runtime profile (Grouped by function name)"),
                         table_rows(self.log, "Runtime profile (Grouped by function name)"))

    def test_plain(self):
        printed = self.report()
        self.assertIn("Runtime profile\n", printed)
        for part in ("Global call stacks", "Callpath", "overhead[s]", "configuration", "Grouped"):
            self.assertNotIn(part, printed)
        self.assertIn("overhead[s]", self.report("--overhead"))
        self.assertIn("Callpath", self.report("--callpath"))
        self.assertIn("Global call stacks:", self.report("--stacks"))

    def test_sort(self):
        by_stid = {node["stid"]: node for node in self.nodes}
        for column, key in (("time_excl", "exclusive_ns"), ("time_incl", "inclusive_ns"),
                            ("calls", "calls"), ("stack_id", "stid"), ("overhead", "overhead_ns")):
            for ascending in ([], ["--ascending"]):
                with self.subTest(column=column, ascending=bool(ascending)):
                    # A name may look like columns, so only the last column is read.
                    printed = self.report("--sort", column, "--all", *ascending)
                    values = [by_stid[int(stid)][key]
                              for stid in re.findall(r"(\d+) \|$", printed, re.M)]
                    self.assertEqual(len(values), len(self.nodes))
                    self.assertEqual(values, sorted(values, reverse=not ascending))

    def test_sort_groups(self):
        rows = table_rows(self.report("--group", "name", "--sort", "calls", "--ascending"),
                          "Runtime profile (Grouped by function name)")
        calls = [int(row["Calls"]) for row in rows]
        self.assertEqual(calls, sorted(calls))
        self.assertEqual({row["Function"]: row["Calls"] for row in rows}["work"], "6")

    def test_limit(self):
        printed = self.report("--limit", "2")
        self.assertEqual(len(table_rows(printed, "Runtime profile")), 2)
        self.assertIn(f"({len(self.nodes) - 2} more rows)\n", printed)
        self.assertNotIn("more rows", self.report("--limit", len(self.nodes)))

    def many_functions(self, count):
        """A copy of the profile with this number of additional functions with long names."""
        profile = json.loads(self.json.read_text())
        leaf = dict(profile["nodes"][-1])
        first = len(profile["nodes"])
        for i in range(count):
            function = dict(profile["functions"][leaf["function"]])
            name = f"a_function_with_quite_a_long_name_{i}_of_{count}_" + "that_is_long" * 5
            function.update(name=name, display=name)
            profile["functions"].append(function)
            # All but the first are called by it, so that both names in a row are long.
            profile["nodes"].append({**leaf, "id": first + i, "parent": first if i else leaf["parent"],
                                     "function": len(profile["functions"]) - 1, "stid": 1000 + i,
                                     "exclusive_ns": 10 ** 9 + i})
        file = scratch_folder() / "many_all.json"
        file.write_text(json.dumps(profile))
        return file, len(profile["nodes"])

    def test_twenty_rows_and_how_to_see_more(self):
        file, rows = self.many_functions(30)
        printed = command("report", file).stdout
        self.assertEqual(len(table_rows(printed, "Runtime profile")), 20)
        self.assertIn(f"({rows - 20} more rows)\n", printed)
        self.assertRegex(printed, r"\nMore of this profile: --all \(all rows\), --group name, [^\0]*\n\Z")
        every = command("report", file, "--all").stdout
        self.assertEqual(len(table_rows(every, "Runtime profile")), rows)
        self.assertNotIn("--all", every)
        csv = command("report", file, "--table", "profile", "--format", "csv").stdout
        self.assertEqual(len(csv.strip().split("\n")), rows + 1)
        self.fails("report", file, "--all", "--limit", "3", message="--limit excludes --all")

    def test_width(self):
        file, _ = self.many_functions(3)

        def widest(*options):
            printed = command("report", file, "--no-findings", *options).stdout
            return max(len(line) for line in printed.split("\n") if line.startswith(("|", "+")))
        self.assertEqual(widest(), 160)
        self.assertEqual(widest("--width", "120"), 120)
        self.assertGreater(widest("--full-names"), 200)
        self.assertIn("a_function", command("report", file, "--width", "40").stdout)
        self.assertIn("...", command("report", file, "--width", "120").stdout)
        # A requested call path is not shortened.
        self.assertIn("that_is_long<", command("report", file, "--callpath", "--width", "80").stdout)
        for arguments, message in ((("--width", "39"), '"39" is not a number of columns (40 or more)'),
                                   (("--width", "80", "--full-names"), "excludes"),
                                   (("--width", "80", "--format", "csv"), "cannot be used with --format csv"),
                                   (("--width", "80", "--html"), "cannot be used with --html")):
            self.fails("report", file, *arguments, message=message)

    def test_names_are_left_aligned(self):
        row = re.search(r"^.*\| work +\|.*$", self.report(), re.M)
        self.assertIsNotNone(row, self.report())
        self.assertRegex(self.report(), r"\| Function +\| Caller +\|")

    def test_full_names(self):
        self.assertNotIn("x" * 10000, self.report())
        self.assertIn("x" * 10000, self.report("--full-names"))

    def test_wrong_arguments(self):
        file = self.json
        for arguments, message in (
                ([], "FILE is required (see vftrace report --help)"),
                ([file, "another"], "several files can be compared only with --efficiency"), ([file, "--sort", "speed"], "time_excl"),
                ([file, "--sort"], "--sort"), ([file, "--group", "caller"], "caller"),
                ([file, "--limit", "0"], '"0" is not a number of rows (1 or more)'),
                ([file, "--limit", "-1"], "--limit"), ([file, "--limit", "x"], '"x" is not a number'),
                ([file, "--group", "name", "--callpath"], "cannot be used with --group name"),
                ([file, "--group", "name", "--sort", "overhead"], "does not have an overhead to sort by"),
                ([file, "--unheard-of"], "unknown option --unheard-of (see vftrace report --help)"),
                ([file, "--stack"], 'unknown option --stack; did you mean "--stacks"?')):
            with self.subTest(arguments=arguments):
                self.fails("report", *arguments, message=message)

    def test_no_such_file(self):
        self.fails("report", "/nope.json", message="/nope.json: No such file or directory")
        self.fails("report", "/", message="/: Is a directory")
        self.fails("report", COMMAND, message="not valid JSON")

    def test_text_log_selects_the_profile_next_to_it(self):
        log = self.json.with_suffix(".log")
        for command_line in (["report", "--stacks"], ["filter"],
                             ["export", "--format", "collapsed", "-o", "-"]):
            of_log = command(command_line[0], log, *command_line[1:])
            self.assertEqual((of_log.status, of_log.stderr), (0, ""))
            self.assertEqual(of_log.stdout,
                             command(command_line[0], self.json, *command_line[1:]).stdout)
        folder = scratch_folder()
        for name in ("a_all.log", "a_all_mpi.log", "b_all.log", "a_3.log"):
            (folder / name).write_text(log.read_text())
        (folder / "a_all.json").write_text(self.json.read_text())
        self.assertEqual(command("report", folder / "a_all_mpi.log").stdout, self.report())
        self.fails("report", folder / "b_all.log", message=f"{folder}/b_all.json, which does not exist")
        self.fails("report", folder / "a_3.log", message="this is the text log of one rank; the "
                   f"profile of all ranks is {folder}/a_all.json")
        # The profile of another run must not be accepted instead.
        other = (folder / "a_all.json").read_text()
        (folder / "a_all.json").write_text(re.sub(r'"start_unix_ns": \d+', '"start_unix_ns": 1',
                                                  other))
        self.fails("report", folder / "a_all.log", message="is the profile of another run")

    def test_grouped_profile_comes_first_and_no_line_ends_with_a_blank(self):
        text = self.json.read_text()
        self.assertNotIn('"filtered"', text)
        profile = json.loads(text)
        profile["filtered"] = [{"function": 1, "reason": "excluded", "calls": 1,
                                "exclusive_ns": 1, "overhead_ns": 1}]
        file = scratch_folder() / "filtered.json"
        file.write_text(json.dumps(profile))
        printed = command("report", file, "--group", "name", "--stacks").stdout
        self.assertLess(printed.index("Runtime profile (Grouped by function name)\n"),
                        printed.index("Filtered functions: "))
        self.assertEqual([line for line in printed.splitlines() if line != line.rstrip()], [])

    def hostile(self, content):
        path = scratch_folder() / "hostile.json"
        path.write_bytes(content)
        self.fails("report", path, "--stacks", message=str(path))

    def test_truncated(self):
        content = self.json.read_bytes().rstrip()
        for length in range(0, len(content), max(1, len(content) // 60)):
            with self.subTest(length=length):
                self.hostile(content[:length])

    def test_more_than_one_document(self):
        self.hostile(self.json.read_bytes() * 2)
        self.hostile(self.json.read_bytes() + b"x")

    def test_not_a_profile(self):
        for content in (b"{}", b"[]", b"null", b"1", b'""', b"\0", b"\xff\xfe", b"[" * 1000000,
                        b'{"a":' * 100000, b'{"format": "vftrace-profile", "version": 2}',
                        b'{"format": "vftrace-profile", "version": 1}'):
            with self.subTest(content=content[:60]):
                self.hostile(content)

    def test_wrong_values(self):
        def change(edit):
            profile = json.loads(self.json.read_text())
            edit(profile)
            return json.dumps(profile).encode()

        def node(key, value):
            return lambda profile: profile["nodes"][1].update({key: value})
        edits = {
            "parent behind the child": node("parent", 5), "own parent": node("parent", 1),
            "negative parent": node("parent", -1), "parent is text": node("parent", "main"),
            "no such function": node("function", 10 ** 6), "half a call": node("calls", 0.5),
            "too many calls": node("calls", 2 ** 64), "huge number": node("calls", 1e300),
            "no stid": lambda profile: profile["nodes"][1].pop("stid"),
            "no nodes": lambda profile: profile.pop("nodes"),
            "nodes are an object": lambda profile: profile.update(nodes={}),
            "run is null": lambda profile: profile.update(run=None),
            "a kind that is no word": lambda profile: profile["functions"][1].update(kind=7),
            "no such module": lambda profile: profile["functions"][1].update(module=77),
            "another format": lambda profile: profile.update(format="other")}
        for name, edit in edits.items():
            with self.subTest(name):
                self.hostile(change(edit))

    def test_names_cannot_control_the_terminal(self):
        profile = json.loads(self.json.read_text())
        profile["functions"][1]["display"] = "\x1b[2J\n\r\x07evil"
        profile["run"]["application"] = "\x1b]0;evil\x07"
        path = scratch_folder() / "names.json"
        path.write_text(json.dumps(profile))
        result = command("report", path, "--stacks", "--callpath")
        self.assertEqual(result.status, 0, result.stderr)
        self.assertNotRegex(result.stdout, r"[\x00-\x09\x0b-\x1f\x7f]")

    def test_integers_beyond_a_double(self):
        profile = json.loads(self.json.read_text())
        profile["nodes"][1]["calls"] = 2 ** 53 + 1
        path = scratch_folder() / "large.json"
        path.write_text(json.dumps(profile))
        self.assertIn(f" {2 ** 53 + 1} ", command("report", path).stdout)

    def test_full_disk(self):
        with open("/dev/full", "w") as full:
            for arguments in (["report", self.json], ["config", "doc"], ["--version"]):
                result = subprocess.run([COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE,
                                        text=True)
                self.assertEqual(result.returncode, 2, arguments)
                self.assertRegex(result.stderr, r"\Avftrace: .*No space left on device\n\Z")


class ReportOfRanks(CommandTest):
    """A profile of four ranks, made by hand."""

    def report(self, *options, file=FOUR_RANKS):
        result = command("report", file, *options, TZ="UTC")
        self.assertEqual((result.status, result.stderr), (0, ""))
        return result.stdout

    def changed(self, edit):
        """The path of a profile that edit(profile) has changed."""
        profile = json.loads(FOUR_RANKS.read_text())
        edit(profile)
        path = scratch_folder() / "changed.json"
        path.write_text(json.dumps(profile))
        return path

    def test_all_tables(self):
        # After an intended change: run with VFTRACE_UPDATE_EXPECTED=1 and read the difference.
        folder = scratch_folder()  # next steps name the file as the command does
        (folder / FOUR_RANKS.name).write_bytes(FOUR_RANKS.read_bytes())
        result = command("report", FOUR_RANKS.name, "--imbalances", "--minmax", "--overhead", "--callpath", "--stacks",
                         TZ="UTC", folder=folder)
        self.assertEqual((result.status, result.stderr), (0, ""))
        printed = result.stdout
        printed += self.report("--matrix", "--sizes")
        printed = re.sub(r"^vftrace [\d.]+\n", "vftrace VERSION\n", printed, flags=re.M)
        self.assertIn("\n\nFindings\n", printed)
        path = HERE / "expected" / "halo_4_ranks.log"
        if os.environ.get("VFTRACE_UPDATE_EXPECTED"):
            path.write_text(printed, encoding="utf-8")
        self.assertEqual(printed, path.read_text(encoding="utf-8"))

    def test_plain(self):
        printed = self.report("--no-findings")
        for part in (COMMUNICATION, "MPI time by rank"):
            self.assertIn(f"\n{part}\n", printed)
        for part in ("Min/Max", "Imbalances", "Communication matrix", "Message sizes", "Callpath"):
            self.assertNotIn(part, printed)

    def test_sort_messages(self):
        for ascending in ([], ["--ascending"]):
            for column, header in (("messages", "Messages"), ("send_size", "avg send size"),
                                   ("recv_size", "avg recv size"),
                                   ("send_bw", "avg send BW"),
                                   ("recv_bw", "avg recv BW"),
                                   ("comm_time", "avg comm time"), ("stack_id", "STID")):
                with self.subTest(column=column, ascending=bool(ascending)):
                    rows = table_rows(self.report("--sort-messages", column, *ascending),
                                      COMMUNICATION)
                    values = [number_of(row[header]) for row in rows]
                    self.assertEqual(len(values), 5)
                    self.assertEqual(values, sorted(values, reverse=not ascending))

    def test_communication_is_sorted_by_total_time(self):
        """With units that people read; JSON has plain numbers, and logs the layout of Vftrace 2.0."""
        rows = table_rows(self.report(), COMMUNICATION)
        self.assertEqual([(row["Function"], row["avg send size"], row["comm time"]) for row in rows][:3],
                         [("MPI_Allreduce", "8 B", "205 ms"), ("MPI_Irecv", "0 B", "72 ms"), ("MPI_Isend", "7.81 KiB", "15 ms")])
        document = json.loads(self.report("--format", "json"))
        table = next(table for table in document["tables"] if table["id"] == "messages")
        place = [column["id"] for column in table["columns"]].index("total_time")
        times = [row[place] for row in table["rows"]]
        self.assertEqual(times, sorted(times, reverse=True))

    def test_first_screen(self):
        """In ten lines: run time, quality, where the time of three ranks went, and five functions."""
        lines = self.report().split("\n\n")[0].splitlines()
        self.assertLessEqual(len(lines), 10)
        self.assertEqual(lines[0], "halo: 1.99 s on 4 ranks. Quality of the measurement: good")
        bars = [re.fullmatch(r"  rank (\d) \((.*)\) +\|(#+)(M+) *\| code ([\d.]+) %, MPI ([\d.]+) %", line) for line in lines[1:4]]
        self.assertEqual([bar.group(1, 2) for bar in bars], [("0", "most code"), ("2", "median"), ("3", "least code")])
        for bar in bars:
            self.assertAlmostEqual(float(bar[5]) + float(bar[6]), 100, delta=0.2)
            self.assertAlmostEqual(len(bar[3]) / 40, float(bar[5]) / 100, delta=0.03)
        self.assertEqual([line.split()[2] for line in lines[5:]], ["compute", "MPI_Waitall", "MPI_Allreduce", "MPI_Init", "MPI_Isend"])
        self.assertNotIn("Quality of the measurement: good\n  rank", self.report("--no-findings"))

    def test_columns_of_zeros_give_way_to_names(self):
        """Names have 30 characters at least while columns have nothing but 0."""
        def edit(profile):
            for function in profile["functions"]:
                function["display"] = function["name"] = function["name"] + "_of_the_solver_of_the_shallow_water_equations"
            for node in profile["nodes"]:
                node["inclusive_ns"] = node["exclusive_ns"] = 0

        printed = self.report("--width", "72", file=self.changed(edit))
        table = printed[printed.index("\nRuntime profile\n"):].split("\n\n")[0]
        self.assertIn("(not shown, because it is 0 in all rows: ", table)
        self.assertGreaterEqual(max(len(cell.strip()) for cell in table.splitlines()[4].split("|")), 25, table)

    def test_title_names_the_ranks_of_the_run(self):
        for ranks, title in (("all", COMMUNICATION), ("0-2", COMMUNICATION + " for ranks: 0-2")):
            file = self.changed(lambda profile: profile["config"]["mpi"].update(
                only_for_ranks=ranks))
            self.assertIn(f"\n{title}\n", self.report(file=file))
        for config in (None, {}, {"mpi": []}, {"mpi": {"only_for_ranks": 3}}):
            file = self.changed(lambda profile: profile.update(config=config))
            self.assertIn(f"\n{COMMUNICATION}\n", self.report(file=file))

    def test_matrix(self):
        printed = self.report("--matrix")
        rows = table_rows(printed, MATRIX)
        sent = {}
        for element in json.loads(FOUR_RANKS.read_text())["communication"]:
            pair = (str(element["rank"]), str(element["peer"]))
            figures = sent.setdefault(pair, [0, 0])
            figures[0] += element.get("sent", {}).get("messages", 0)
            figures[1] += element.get("sent", {}).get("bytes", 0)
        self.assertEqual({(row["From"], row["To"]): [int(row["Sent"]), int(row["Sent[B]"])]
                          for row in rows}, sent)
        sizes = [int(row["Sent[B]"]) for row in rows]
        self.assertEqual(sizes, sorted(sizes, reverse=True))
        self.assertNotIn("Runtime profile", printed)
        self.assertNotIn("Message sizes", printed)

    def test_matrix_limit(self):
        printed = self.report("--matrix", "--limit", "3")
        self.assertEqual(len(table_rows(printed, MATRIX)), 3)
        self.assertIn("(7 more rows)\n", printed)

    def test_matrix_of_one_sided_messages_and_other_processes(self):
        huge = {"messages": 3, "bytes": 2 ** 40, "time_ns": 5, "bandwidth_sum": 1.0}
        file = self.changed(lambda profile: profile.update(communication=[
            {"rank": 1, "peer": -1, "node": 9, "sent": huge},
            {"rank": 2, "peer": 3, "node": 10, "received": {**huge, "bytes": 2 ** 41}}]))
        self.assertEqual([list(row.values())
                          for row in table_rows(self.report("--matrix", file=file), MATRIX)],
                         [["3", "2", "0", "0", "3", str(2 ** 41), f"{2 ** 41 / 3:.1f}"],
                          ["1", "outside", "3", str(2 ** 40), "0", "0", f"{2 ** 40 / 3:.1f}"]])

    def test_sizes(self):
        rows = [list(row.values()) for row in table_rows(self.report("--sizes"), SIZES)]
        self.assertEqual(rows[0], ["0 B", "3", "3", "#"])
        self.assertEqual(rows[1], ["1 B", "0", "0", ""])
        self.assertEqual(rows[2], ["2 - 3 B", "0", "0", ""])
        self.assertEqual(rows[-4], ["4 - 8 KiB", "600", "600", "#" * 40])
        self.assertEqual(rows[-1], ["32 - 64 KiB", "3", "3", "#"])

    def test_largest_sizes(self):
        def edit(profile):
            profile["message_sizes"] = [
                {"from_bytes": 512, "to_bytes": 1023, "sent": 0, "received": 2 ** 64 - 1},
                {"from_bytes": 1024, "to_bytes": 2047, "sent": 2 ** 63, "received": 0},
                {"from_bytes": 2 ** 63, "to_bytes": 2 ** 64 - 1, "sent": 1, "received": 0}]
        rows = [list(row.values())
                for row in table_rows(self.report("--sizes", file=self.changed(edit)), SIZES)]
        self.assertEqual(rows[0], ["512 - 1023 B", "0", str(2 ** 64 - 1), "#" * 40])
        self.assertEqual(rows[1], ["1 - 2 KiB", str(2 ** 63), "0", "#" * 20])
        self.assertEqual(rows[-1], ["8 - 16 EiB", "1", "0", "#"])
        self.assertEqual(len(rows), 55)

    def test_nothing_to_show(self):
        def edit(profile):
            del profile["communication"], profile["message_sizes"]
        file = self.changed(edit)
        self.assertEqual(self.report("--matrix", "--sizes", file=file),
                         f"{MATRIX}\nNone were recorded.\n\n{SIZES}\nNone were recorded.\n\n")

    def test_wrong_arguments(self):
        for option in (["--sort", "calls"], ["--ascending"], ["--group", "name"], ["--stacks"],
                       ["--sort-messages", "messages"], ["--callpath"], ["--full-names"],
                       ["--minmax"], ["--imbalances"], ["--overhead"]):
            for instead in ("--matrix", "--sizes", "--threads", "--openmp", "--cuda", "--offload"):
                if option == ["--full-names"] and instead in ("--threads", "--openmp", "--cuda",
                                                              "--offload"):
                    continue  # these tables have names
                with self.subTest(option=option, instead=instead):
                    self.fails("report", FOUR_RANKS, instead, *option,
                               message=f"{option[0]} cannot be used with --matrix")
        self.fails("report", FOUR_RANKS, "--cuda", message="this run did not use CUDA")
        self.fails("report", FOUR_RANKS, "--offload",
                   message="this run used neither OpenACC nor OpenMP target constructs")
        self.fails("report", FOUR_RANKS, "--sort-messages", "calls", message="recv_bw")
        self.fails("report", FOUR_RANKS, "--group", "name", "--imbalances",
                   message="cannot be used with --group name")

    def test_wrong_values(self):
        def element(key, value):
            return lambda profile: profile["communication"][0].update({key: value})
        edits = {
            "no such peer": element("peer", 4), "peer is text": element("peer", "one"),
            "no such rank": element("rank", 4), "no such node": element("node", 12),
            "sent is a list": element("sent", []), "no peer": element("peer", None),
            "not sorted": lambda profile: profile["communication"].reverse(),
            "twice": lambda profile: profile["communication"].insert(
                0, profile["communication"][0]),
            "ranks are a number": lambda profile: profile.update(ranks=4),
            "a rank twice": lambda profile: profile["ranks"][1].update(rank=0),
            "host is missing": lambda profile: profile["ranks"][1].pop("host"),
            "a size that is no power": lambda profile: profile["message_sizes"][1].update(
                from_bytes=4095),
            "spread over too many": lambda profile: profile["nodes"][1]["ranks"].update(count=5),
            "messages are a list": lambda profile: profile["nodes"][1].update(messages=[1])}
        for name, edit in edits.items():
            with self.subTest(name):
                self.fails("report", self.changed(edit), message="changed.json: ")


class ReportOfThreads(CommandTest):
    """From a program with a team of four threads, a separate thread and eight short ones."""

    def report(self, *options, file=THREADS):
        result = command("report", file, *options)
        self.assertEqual((result.status, result.stderr), (0, ""))
        return result.stdout

    def test_tables_of_the_log(self):
        printed = self.report()
        self.assertEqual([row["Thread"] for row in table_rows(printed, "Threads")],
                         ["0", "1", "2", "3", "4", "5"])
        row, = table_rows(printed, "OpenMP parallel regions")
        self.assertEqual((row["Entries"], row["Threads"], row["Imbalance[%]"], row["Region"]),
                         ("100", "4", "30.8", "omp parallel @heat.c:42"))

    def test_tables_alone(self):
        threads, openmp = self.report("--threads"), self.report("--openmp")
        self.assertTrue(threads.startswith("Threads\n+--"))
        self.assertTrue(openmp.startswith("OpenMP parallel regions\n+--"))
        self.assertEqual(self.report("--openmp", "--threads"), threads + openmp)
        for part in (threads, openmp):
            self.assertIn(part, self.report())

    def test_limit(self):
        rows = table_rows(self.report("--threads", "--limit", "2"), "Threads")
        self.assertEqual([(row["Thread"], row["Start"], row["Threads"]) for row in rows],
                         [("0", "main", "1"), ("1", "OpenMP worker", "1"),
                          ("...", "all others", "11")])
        self.assertAlmostEqual(sum(float(row["Time[s]"]) for row in rows), 8.22)

    def test_full_names(self):
        text = THREADS.read_text().replace("write_frames", "w" * 100)
        file = scratch_folder() / "long.json"
        file.write_text(text)
        self.assertNotIn("w" * 100, self.report("--threads", file=file))
        self.assertIn("w" * 100, self.report("--threads", "--full-names", file=file))

    def test_profiles_without_threads(self):
        # As older versions wrote them.
        printed = self.report("--threads", "--openmp", file=FOUR_RANKS)
        self.assertEqual(table_rows(printed, "Threads"), [])
        self.assertEqual(table_rows(printed, "OpenMP parallel regions"), [])
        self.assertNotIn("Threads\n", self.report(file=FOUR_RANKS))
