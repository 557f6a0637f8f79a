"""Findings of recorded runs (test/corpus): of programs with planted faults and of others, each alone and beside two busy
loops. No finding that is said to be certain or likely is wrong, and planted faults are found in the runs alone."""
import gzip
import sys

from command_support import CommandTest, command
from support import HERE, scratch_folder
from waits_support import tables_of_json

sys.path.insert(0, str(HERE / "corpus"))
from runs import REMARKS, all_runs  # noqa: E402  (a folder of data with a description)


class Corpus(CommandTest):
    def findings(self, name):
        folder = scratch_folder()
        profile = folder / f"{name}.json"
        profile.write_bytes(gzip.decompress((HERE / "corpus" / f"{name}.json.gz").read_bytes()))
        report = command("report", profile, "--findings", "--format", "json")
        self.assertEqual(report.status, 0, report.stderr)
        return tables_of_json(report.stdout)["findings"]

    def check(self, suffix):
        runs = all_runs()
        self.assertGreaterEqual(len(runs), 40)
        for name, _, _, _, true, found in runs:
            with self.subTest(name + suffix):
                findings = self.findings(name + suffix)
                said = {row["rule"] for row in findings
                        if row["confidence"] != "possible" and row["rule"] not in REMARKS}
                self.assertLessEqual(said, true, [row["sentence"] for row in findings])
                causes = [row for row in findings if row["role"] == "cause"]
                self.assertLessEqual(sum(row["share"] for row in causes if row["saved"] > 0), 100.1)
                if not suffix:
                    self.assertLessEqual(found, {row["rule"] for row in findings})

    def test_alone(self):
        self.check("")

    def test_beside_busy_loops(self):
        self.check(".busy")
