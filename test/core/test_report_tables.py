"""vftrace report --table and --format: the tables of a profile for scripts, as CSV and JSON."""
import csv
import json
import re

from command_support import CommandTest, command
from support import CORE, HERE, SOURCE, scratch_folder, table_rows

FOUR_RANKS = HERE / "profiles" / "halo_4_ranks.json"
THREADS = HERE / "profiles" / "threads.json"


class Tables(CommandTest):
    """The same tables for scripts: in CSV and JSON, and a single one by its id."""

    def report(self, *options, file=FOUR_RANKS):
        result = command("report", file, *options)
        self.assertEqual((result.status, result.stderr), (0, ""))
        return result.stdout

    def tables(self, *options, file=FOUR_RANKS):
        tables = json.loads(self.report("--format", "json", *options, file=file))["tables"]
        return {table["id"]: table for table in tables}

    def rows(self, table):
        ids = [column["id"] for column in table["columns"]]
        self.assertEqual(len(ids), len(set(ids)), ids)
        return [dict(zip(ids, row, strict=True)) for row in table["rows"]]

    def test_the_log_in_other_forms(self):
        text, tables = self.report(), self.tables()
        self.assertEqual(list(tables), ["profile", "messages", "ranks", "efficiency"])
        of_text = table_rows(text, "Runtime profile")
        rows = self.rows(tables["profile"])
        self.assertEqual([row["stack_id"] for row in rows], [int(row["STID"]) for row in of_text])
        for row, shown in zip(rows, of_text):
            self.assertEqual(row["function"], shown["Function"])
            self.assertAlmostEqual(row["time_excl"], float(shown["t_excl[s]"]), places=3)
        exact = {node["stid"]: node["exclusive_ns"]
                 for node in json.loads(FOUR_RANKS.read_text())["nodes"]}
        self.assertEqual([round(1e9 * row["time_excl"]) for row in rows],
                         [exact[row["stack_id"]] for row in rows])
        parts = self.report("--format", "csv").split("\n\n")
        self.assertEqual(len(parts), len(tables))
        for part, table in zip(parts, tables.values()):
            header, *lines = csv.reader(part.splitlines())
            self.assertEqual(header, [column["id"] + (f"[{column['unit']}]" if "unit" in column
                                                      else "") for column in table["columns"]])
            self.assertEqual(len(lines), len(table["rows"]))
            for line, row in zip(lines, table["rows"]):
                for cell, value in zip(line, row, strict=True):
                    self.assertEqual(cell, "" if value is None else value if isinstance(value, str)
                                     else str(value) if isinstance(value, int) else cell)
                    if isinstance(value, float):
                        self.assertEqual(float(cell), value)

    def test_one_table(self):
        alone = self.report("--table", "matrix")
        self.assertEqual(alone + "\n", self.report("--matrix"))
        table, = self.tables("--table", "minmax").values()
        self.assertEqual(table["sorted_by"], {"column": "time_max", "ascending": False})
        before = command("report", "--table", "matrix", FOUR_RANKS)  # the option takes one word
        self.assertEqual((before.status, before.stdout), (0, alone))
        both = self.tables("--table", "stacks", "--table", "names", "--sort", "calls",
                           "--ascending", "--limit", "3")
        self.assertEqual(list(both), ["names", "stacks"])  # in the order of the log
        calls = [row["calls"] for row in self.rows(both["names"])]
        self.assertEqual((len(calls), calls), (3, sorted(calls)))
        self.fails("report", FOUR_RANKS, "--table", "gpus",
                   message='this profile does not have a table "gpus"; it has profile, minmax, names, ')
        self.fails("report", FOUR_RANKS, "--table", "ranks", "--matrix",
                   message="--table cannot be used with --matrix")
        self.fails("report", FOUR_RANKS, "--format", "xml", message="xml")
        for option in ("--cuda", "--table=gpus"):  # nothing is printed before an error
            failed = command("report", FOUR_RANKS, "--table=ranks" if "=" in option else "--full-names", option,
                             "--format", "json")
            self.assertEqual((failed.status, failed.stdout), (2, ""), option)

    def test_all_rows(self):
        def edit(profile):
            rank = profile["ranks"][0]
            profile["ranks"] = [{**rank, "rank": i} for i in range(100)]
            profile["run"]["ranks"] = 100
        file = scratch_folder() / "many_ranks.json"
        profile = json.loads(FOUR_RANKS.read_text())
        edit(profile)
        file.write_text(json.dumps(profile))
        self.assertEqual(len(table_rows(self.report(file=file), "MPI time by rank")), 21)
        rows = self.rows(self.tables(file=file)["ranks"])
        self.assertEqual(sorted(int(row["rank"]) for row in rows), list(range(100)))

    def test_numbers_that_are_not_exact(self):
        profile = json.loads(THREADS.read_text())
        profile["nodes"][1]["flags"] = ["calls-until-removal"]
        profile["nodes"][2]["flags"] = ["calls-estimated"]
        file = scratch_folder() / "marked.json"
        file.write_text(json.dumps(profile))
        table, = self.tables("--table", "profile", "--sort", "stack_id", "--ascending",
                             file=file).values()
        marked = [row["calls"] for row in self.rows(table) if isinstance(row["calls"], dict)]
        counts = [profile["nodes"][i]["calls"] for i in (1, 2)]
        self.assertCountEqual(marked, [{"at_least": counts[0]}, {"about": counts[1]}])
        lines = self.report("--table", "profile", "--format", "csv", file=file)
        self.assertIn(f"\n>={counts[0]},", lines)
        self.assertIn(f"\n~{counts[1]},", lines)

    def test_names_with_commas(self):
        file = scratch_folder() / "commas.json"
        name = 'f<int, "x">'
        file.write_text(THREADS.read_text().replace("write_frames", json.dumps(name)[1:-1]))
        rows = csv.DictReader(self.report("--table", "profile", "--format", "csv",
                                          file=file).splitlines())
        self.assertIn(name, [row["function"] for row in rows])

    def test_ids_are_documented(self):
        text = (SOURCE / "doc" / "tables.md").read_text()
        known = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (`.*?) \|", text, re.M))))
        self.assertGreater(len(known), 20)
        sources = "".join(path.read_text() for path in (CORE / "report").glob("*.cpp"))
        ids = set(re.findall(r'TableSpec spec = \{\s*\.id = "(\w+)"', sources))
        self.assertGreater(len(ids), 15)
        self.assertLessEqual(ids, known)
        listed = command("report", FOUR_RANKS, "--table", "?")
        self.assertLessEqual(set(listed.stderr.split("it has ")[1].strip().split(", ")), known)
