"""vftrace export --anonymise: profiles to be passed on have no string of the program."""
import csv
import gzip
import json
import os
import re
import socket
import stat
import subprocess

from command_support import CommandTest, command
from support import COMMAND, SOURCE, compile_program, need, run, scratch_folder

# Words that vftrace itself uses, or that everybody has.
COMMON = re.compile(r"(main|init|_\w+|vftrace\w*|ab|work|.{1,3})\Z")
SOURCE_TEXT = """
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <unistd.h>
#include <vector>
#include "vftrace.h"
namespace secret_solver {
template <class Value> struct SecretGrid {
    __attribute__((noinline)) Value secret_sweep(int n) { Value sum = 0; for (int i = 0; i < n; i++) sum += i * values[i % 100]; return sum; }
    std::vector<Value> values = std::vector<Value>(100, 1.5);
};
__attribute__((noinline)) double secret_step(SecretGrid<double>& grid) { return grid.secret_sweep(200000); }
}
int main(int argc, char** argv) {
    secret_solver::SecretGrid<double> grid;
    double sum = 0;
    vftrace_region_begin("secret region of the program");
    for (int i = 0; i < 50; i++)
        sum += secret_solver::secret_step(grid);
    vftrace_region_end("secret region of the program");
    FILE* file = std::fopen("secret_output.dat", "w");
    std::fprintf(file, "%g %s\\n", sum, argc > 1 ? argv[1] : "");
    std::fclose(file);
    return 0;
}
"""


class Anonymise(CommandTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        need("g++")
        cls.folder = scratch_folder()
        source = cls.folder / "secret_program.cpp"
        source.write_text(SOURCE_TEXT)
        subprocess.run(["g++", "-O1", "-g", "-finstrument-functions", f"-I{SOURCE / 'include'}", "-o", cls.folder / "secret_program",
                        source, f"-L{os.path.dirname(COMMAND)}/.libs", "-lvftrace", f"-Wl,-rpath,{os.path.dirname(COMMAND)}/.libs"],
                       check=True)
        for number in (1, 2):
            run([COMMAND, "run", "--memory", "--io", "--parameter", "secret_size=7", "--output-directory", cls.folder / str(number),
                 "--", cls.folder / "secret_program", "--secret-argument=x"], preload=False, folder=cls.folder)
        cls.profile = "1/secret_program_all.json"

    def anonymous(self, *words, file=None, key="key"):
        result = command("export", "--anonymise", "--key", key, *words, "-o", "-", file or self.profile, folder=self.folder)
        self.assertEqual(result.status, 0, result.stderr)
        return result.stdout

    def test_no_string_of_the_program_is_left(self):
        (self.folder / "key").unlink(missing_ok=True)
        made = command("export", "--anonymise", "--key", "key", "--names", "names.csv", "-o", "anonymous.json", self.profile,
                       folder=self.folder)
        self.assertEqual((made.status, made.stdout), (0, "anonymous.json\n"))
        self.assertEqual(made.stderr, "vftrace: key is a new key: keep it for yourself\n")
        self.assertEqual(stat.S_IMODE((self.folder / "key").stat().st_mode), 0o600)
        text = (self.folder / "anonymous.json").read_text()
        symbols = subprocess.run(["nm", "-C", "--defined-only", self.folder / "secret_program"], capture_output=True, text=True,
                                 check=True).stdout
        words = set(re.findall(r"\w{4,}", symbols)) | set(re.findall(r"\w{4,}", SOURCE_TEXT))
        secret = sorted(word for word in words if "secret" in word.lower())
        self.assertGreater(len(secret), 4)
        for word in (*secret, "secret", "Secret", socket.gethostname(), str(self.folder), "secret_program", "/tmp/", "home"):
            if len(word) > 3:
                self.assertNotIn(word, text)
        # What the owner of the key can look up.
        with open(self.folder / "names.csv", newline="", encoding="utf-8") as file:
            names = {row["anonymous"]: row["name"] for row in csv.DictReader(file)}
        self.assertIn("secret_solver::secret_step(secret_solver::SecretGrid<double>&)", names.values())
        self.assertIn("secret region of the program", names.values())
        for name in json.loads(text)["functions"]:
            if name["name"] in names:
                self.assertRegex(name["name"], r"\A\w+_[0-9a-f]{12}\Z")

    def test_figures_are_kept(self):
        before = json.loads((self.folder / self.profile).read_text())
        after = json.loads(self.anonymous())
        self.assertEqual([(node["calls"], node["exclusive_ns"], node.get("parent")) for node in before["nodes"]],
                         [(node["calls"], node["exclusive_ns"], node.get("parent")) for node in after["nodes"]])
        self.assertEqual(before["run"]["runtime_ns"], after["run"]["runtime_ns"])
        self.assertEqual(len(before["files"]), len(after["files"]))
        self.assertEqual(sorted(row.get("written", 0) for row in before["files"]), sorted(row.get("written", 0) for row in after["files"]))

    def test_same_key_same_names(self):
        """So that two profiles can be compared."""
        for number in (1, 2):
            (self.folder / f"a{number}.json").write_text(self.anonymous(file=f"{number}/secret_program_all.json"))
        difference = json.loads(command("diff", "--json", "--min-time", "0", "a1.json", "a2.json", folder=self.folder).stdout)
        self.assertTrue(all(row["a"] and row["b"] for row in difference["rows"]), difference["rows"])
        other = self.anonymous(key="other_key")
        names = [{row["name"] for row in json.loads(text)["functions"]} for text in ((self.folder / "a1.json").read_text(), other)]
        self.assertLess(len(names[0] & names[1]), 3)
        hashes = [{row["hash"] for row in json.loads(text)["nodes"] if "hash" in row}
                  for text in ((self.folder / self.profile).read_text(), other)]
        self.assertEqual(hashes[0] & hashes[1], set())

    def test_other_formats(self):
        (self.folder / "a.json").write_text(self.anonymous())
        for words in (("report", "--brief", "a.json"), ("report", "--all", "a.json"), ("report", "--findings", "a.json"),
                      ("report", "--files", "a.json")):
            result = command(*words, folder=self.folder)
            self.assertEqual(result.status, 0, result.stderr)
            self.assertNotIn("secret", result.stdout.lower())
        for name in ("collapsed", "csv", "hatchet", "speedscope", "darshan"):
            text = self.anonymous("--format", name)
            self.assertNotIn("secret", text.lower(), name)
            self.assertGreater(len(text), 100)

    def test_any_profile_can_be_read_again(self):
        """With MPI, GPUs, sections, tasks, regions, annotations: what was sorted by names is sorted again."""
        tried = 0
        for file in sorted((SOURCE / "test/corpus").glob("*.json.gz")):
            if "busy" in file.name:
                continue
            profile, target = self.folder / "corpus.json", self.folder / "again.json"
            profile.write_bytes(gzip.decompress(file.read_bytes()))
            made = command("export", "--anonymise", "--key", self.folder / "key2", "-o", target, profile)
            self.assertEqual(made.status, 0, f"{file}: {made.stderr}")
            again = command("report", "--brief", target)
            self.assertEqual(again.status, 0, f"{file}: {again.stderr}")
            tried += 1
        self.assertGreaterEqual(tried, 20)

    def test_wrong_arguments(self):
        (self.folder / "short").write_text("too short")
        for words, message in ((("--anonymise", self.profile), "--anonymise needs --key"), (("--key", "k", self.profile), "needs --anonymise"),
                               (("--names", "n", self.profile), "needs --anonymise"), ((self.profile,), "--format is required"),
                               (("--anonymise", "--key", "short", "-o", "-", self.profile), "at least 16 bytes"),
                               (("--anonymise", "--key", "missing/key", "-o", "-", self.profile), "missing/key: No such file"),
                               (("--anonymise", "--key", "key3", "--format", "chrome", "-o", "-", self.profile), "made from traces")):
            with self.subTest(words=words):
                self.fails("export", *[self.folder / word if word == self.profile else word for word in words], message=message,
                           **({"folder": self.folder} if "short" in words or "missing/key" in words else {}))
        self.assertFalse((self.folder / "key3").exists())
