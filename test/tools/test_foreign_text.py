"""Text of others: whatever is in the strings of a profile, a tree file or a trace, and in names of files, no command
lets a terminal obey it (doc/design/foreign-text.md)."""
import json
import os
import re
import signal
import subprocess

from command_support import CommandTest, command
from model_runs import write_runs
from page_features import features
from page_profiles import write_profile
from support import (COMMAND, HERE, LIBRARY, clean_environment, compile_program, run,
                     scratch_folder)
from test_ends import wait_until
from vfd_files import Vfd

PROFILES = [HERE / "profiles" / name for name in ("halo_4_ranks.json", "threads.json")]
ANALYSIS = HERE / "profiles" / "parameters" / "stencil_0.parameters.json"

# Colours and the title of the window by C0 and by C1 controls, the other direction of writing, ends of lines.
HOSTILE = ("\x1b[31m\x1b]0;title\x07\x9b31m\x9d0;t\x9c\x7f\u202eafter\u2066\u200f\u061c\u2028\u2029\x85"
           "\rFORGED\nFORGED\x0b\x0c\x08")
# Everything but "\n", "\t" and what is meant: the ends of lines of CSV.
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
TEXT_FORMATS = ("chrome", "speedscope", "collapsed", "callgrind", "hatchet", "extrap", "csv", "perfgraph", "geopm")
REPORTS = (["--all", "--callpath"], ["--all", "--full-names"], ["--group", "name"], ["--group", "module"],
           ["--format", "csv"], ["--format", "json"], ["--color", "always"])


def octal(text):
    """The text as a literal of C."""
    return '"' + "".join(f"\\{byte:03o}" for byte in text.encode()) + '"'


def views():
    """The options of vftrace report that show a view."""
    options = re.findall(r"^ +(?:-\w,)?--([a-z-]+)  ", command("report", "--help").stdout, re.M)
    others = {"help", "all", "callpath", "full-names", "no-pager", "html", "anonymous", "no-findings", "over-time",
              "exclusive", "inclusive"}
    assert len(options) > 20, options
    return [f"--{option}" for option in options if option not in others]


class ForeignText(CommandTest):
    def setUp(self):
        super().setUp()
        self.folder = scratch_folder()

    def shows(self, *arguments, statuses=(0, 1, 2), **options):
        """What the command prints is obeyed by no terminal."""
        words = [os.fspath(word) if isinstance(word, os.PathLike) else str(word) for word in arguments]
        process = subprocess.run([os.fspath(COMMAND), *words], cwd=self.folder, env=clean_environment(**options),
                                 capture_output=True, stdin=subprocess.DEVNULL, timeout=120, check=False)
        with self.subTest(words=[word[:40] for word in words]):
            self.assertIn(process.returncode, statuses, process.stderr)
            for output in (process.stdout, process.stderr):
                text = output.decode()  # fails if it is not UTF-8
                if "csv" in words:
                    text = text.replace("\r\n", "\n")
                if "always" in words:
                    text = re.sub("\x1b\\[[0-9;]*m", "", text)
                self.is_shown(text)
        return process.stdout.decode(errors="replace")

    def is_shown(self, text):
        found = OBEYED.search(text) or re.search("^FORGED", text, re.M)
        if found:
            self.fail(repr(text[max(0, found.start() - 200):found.end() + 60]))

    def write(self, name, document):
        path = self.folder / name
        path.write_text(json.dumps(document))
        return path

    def hostile_profile(self, document, name="hostile_all.json"):
        """A profile with everything hostile but the words that only have a few values, which are shown to be
        rejected cleanly, and kinds of functions, on which it depends what there is to show."""
        free = set()
        for path in sorted(set(paths_of_texts(document))):
            file = self.write(name, with_hostile_texts(document, {path}))
            self.shows("info", file)
            self.shows("report", file)
            if command("info", file).status == 0:
                free.add(path)
        self.assertGreater(len(free), 8)
        file = self.write(name, with_hostile_texts(document, free))
        for form in TEXT_FORMATS:
            self.shows("export", "--format", form, "-o", "-", file)
        return self.write(name, with_hostile_texts(document, free - {("functions", "kind")}))

    def everything_about(self, file, other):
        for arguments in REPORTS:
            self.shows("report", *arguments, file)
        for option in views():
            self.shows("report", option, file)
        for arguments in ([], ["--json"], ["--by", "path"], ["--threshold", "1"]):
            self.shows("diff", *arguments, file, other)
            self.shows("diff", *arguments, other, file)
        for arguments in ([], ["--json"]):
            self.shows("info", *arguments, file)
        for form in ("table", "vftrace", "json", "gcc", "scorep"):
            self.shows("filter", "--share", "0", "--min-overhead", "0", "--min-calls", "0", "-f", form, file)
        for form in TEXT_FORMATS:
            self.shows("export", "--format", form, "-o", "-", file)
        self.shows("merge", "-o", self.folder / "merged.json", file, other)
        self.shows("merge", "--runs", "sum", "-o", self.folder / "merged.json", file, file)
        self.shows("report", "--html", "-o", self.folder / "page.html", "--sources", "/nonexistent", file)
        self.shows("report", "--html", "-o", self.folder / "page.html", "--sources", self.folder, file)
        self.shows("model", file, other)

    def about_trace(self, file):
        for words in (["dump"], ["dump", "--threads"], ["info"], ["info", "--json"], ["analyze"],
                      ["analyze", "--format", "json"],
                      *(["export", "--format", form, "-o", "-"] for form in TEXT_FORMATS)):
            self.shows(*words, file)


def paths_of_texts(value, path=()):
    """Where the texts of a document are: keys, without indices."""
    if isinstance(value, dict):
        for key, below in value.items():
            yield from paths_of_texts(below, (*path, key))
    elif isinstance(value, list):
        for below in value:
            yield from paths_of_texts(below, path)
    elif isinstance(value, str):
        yield path


def with_hostile_texts(value, chosen, path=()):
    """The document with text added to the texts at the chosen paths."""
    if isinstance(value, dict):
        return {key: with_hostile_texts(below, chosen, (*path, key)) for key, below in value.items()}
    if isinstance(value, list):
        return [with_hostile_texts(below, chosen, path) for below in value]
    if isinstance(value, str) and path in chosen:
        return value + HOSTILE + " ,;|\"'\\"
    return value


class Profiles(ForeignText):
    def test_profiles(self):
        other = PROFILES[1]
        for document in (*(json.loads(file.read_text()) for file in PROFILES), self.profile_of_everything()):
            self.everything_about(self.hostile_profile(document), other)
            other = PROFILES[0]

    def profile_of_everything(self):
        file = self.folder / "everything_all.json"
        write_profile(file, 12, 4, functions=10, valued_paths=10, messages=True,
                      more=lambda made: features(made, sources=[self.folder / "x.c"]))
        document = json.loads(file.read_text())
        document["run"].update(ended="ended by signal 9", visible_gpus="0,1", parameters=[{"name": "n", "value": 7}],
                               notices=[{"code": "of a later version", "text": "Something.", "arguments": ["x", 3]}],
                               sample_period_ns=1000, sample_clock="processor time")
        document["run"]["overhead"] = [{"time_ns": 5, "code": "new", "label": "Something else"}]
        document["functions"][2].update(kind="of a later version", demangled="f(int)")
        document["ranks"][1]["ended"] = "ended by signal 15"
        document["threads"][0]["name"] = "worker"
        return document

    def test_names_of_files(self):
        file = self.folder / f"a{HOSTILE}_all.json"
        file.write_bytes(PROFILES[0].read_bytes())
        self.everything_about(file, PROFILES[1])
        for name in (f"missing{HOSTILE}", f"x{HOSTILE}.vfd", f"x{HOSTILE}.tree", f"x{HOSTILE}.tmpvfd"):
            for words in (["report"], ["info"], ["dump"], ["filter"], ["merge", "-o", "x"], ["diff", file], ["model"],
                          ["export", "--format", "csv"], ["analyze"], ["recover"], ["rollcall"], ["config", "check"],
                          ["filter", "--parameters"], ["run", "--"], ["snapshot"], ["mark"], ["parameters", "--"],
                          ["recover", "--list", "--directory"], ["recover", "--output"], ["export", "--format"], ["help"],
                          ["report", "--sort"], ["rollcall", "--hosts"], ["rollcall", "--job"], ["top"], ["top", "--job"],
                          [], ["report", "--html", "-o", file]):
                self.shows(*words, name, statuses=(0, 1, 2, 126, 127))
            (self.folder / name).write_text("{\"mpi\": " + HOSTILE)

    def test_models(self):
        files = write_runs(self.folder, [{"n": n} for n in (10, 20, 40, 80, 160)],
                           lambda n: {"main": 1, f"solve{HOSTILE}<main": n / 10, "idle<main": 0.5})
        for index, file in enumerate(sorted(files)):
            document = json.loads(open(file, encoding="utf-8").read())
            document["run"]["application"] += HOSTILE
            for parameter in document["run"]["parameters"]:
                parameter["name"] += HOSTILE
            if index == 0:
                document["run"]["ended"] = HOSTILE
            open(file, "w", encoding="utf-8").write(json.dumps(document))
        for arguments in ([], ["--format", "json"], ["--by", "path"]):
            self.shows("model", *arguments, *files)

    def test_analyses(self):
        document = json.loads(ANALYSIS.read_text())
        file = self.write("hostile.parameters.json", with_hostile_texts(document, set(paths_of_texts(document))))
        self.shows("filter", "--parameters", file)
        for path in sorted(set(paths_of_texts(document))):
            file = self.write("hostile.parameters.json", with_hostile_texts(document, {path}))
            self.shows("filter", "--parameters", file)
            self.shows("info", file)

    def test_logs(self):
        log = self.folder / "hostile_all.log"
        log.write_text((HERE / "expected" / "call_counts.log").read_text(errors="replace")
                       .replace("recurse", "re" + HOSTILE.replace("\n", "").replace("\r", "")))
        self.shows("diff", log, log)
        self.shows("diff", "--by", "path", log, PROFILES[0])

    def test_configurations(self):
        for text in ("{\"" + HOSTILE.replace("\n", "") + "\": 1}", json.dumps({HOSTILE: 1}),
                     json.dumps({"mpi": {HOSTILE: HOSTILE}}), json.dumps({"filter": {"exclude": "(" + HOSTILE}}),
                     json.dumps({"mpi": {"only_for_ranks": HOSTILE}}), "{\n\x1b[31m \x9b\n"):
            file = self.folder / "vftrace.json"
            file.write_text(text)
            self.shows("config", "check", file)

    def test_made_traces(self):
        vfd = Vfd(host=f"h{HOSTILE}", application=f"p{HOSTILE}")
        vfd.stack(0, f"f{HOSTILE}", file=f"/f{HOSTILE}.c", line=3)
        vfd.thread(0, f"t{HOSTILE}")
        vfd.enter(1, 1)
        vfd.exit(2, 1)
        file = vfd.write(self.folder / f"x{HOSTILE}.vfd")
        self.about_trace(file)



class Processes(ForeignText):
    def program(self):
        """A program of which everything has a hostile name."""
        name = "hostile_name_" + "x" * (len(HOSTILE.encode()) - len("hostile_name_"))
        built = compile_program("hostile_names.c", flags=("-O1", "-pthread", f"-DNAME={name}",
                                                          f"-DTEXT={octal(HOSTILE)}"))
        program = self.folder / f"p{HOSTILE}"
        program.write_bytes(built.read_bytes().replace(name.encode(), HOSTILE.encode()))
        program.chmod(0o755)
        return program

    def start(self, **variables):
        trees = self.folder / "trees"
        trees.mkdir(exist_ok=True)
        process = subprocess.Popen([os.fspath(self.program())], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL,
                                   env=clean_environment(LD_PRELOAD=LIBRARY, VFTR_TREE_FILE_DIRECTORY=trees,
                                                         VFTR_OVERHEAD_BUDGET=0, **variables))
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        process.stdout.readline()
        return process, trees

    def test_logs_and_messages_of_a_run(self):
        result = run([self.program(), "once"], folder=self.folder, VFTR_SAMPLING_ACTIVE="yes")
        self.assertEqual(result.status, 0)
        self.is_shown(result.stderr)
        profile, = self.folder.glob("*_all.json")
        trace, = self.folder.glob("*.vfd")
        for log in self.folder.glob("*.log"):
            self.is_shown(log.read_bytes().decode())
        self.everything_about(profile, PROFILES[0])
        self.about_trace(trace)
        self.shows("report", profile, trace)

    def test_trees(self):
        process, trees = self.start()
        pid = process.pid
        for words in (["rollcall"], ["rollcall", "--json"], ["snapshot", "--output", self.folder], ["mark"],
                      ["snapshot", "--since-mark", "--output", self.folder], ["start"], ["stop"],
                      ["top", "--once"], ["top", "--once", "--json"]):
            text = self.shows(*words, pid)
            self.assertTrue(words[0] in ("start", "stop") or text, words)
        process.send_signal(signal.SIGKILL)
        process.wait()
        tree, = trees.glob("*.tree")
        # Somebody else may have written what no process of this host has in its record.
        host = os.uname().nodename.encode()
        changed = self.folder / f"t{HOSTILE}.tree"
        changed.write_bytes(tree.read_bytes().replace(host + b"\0", (b"\x1b\n" + b"F" * len(host))[:len(host)] + b"\0"))
        for file in (tree, changed):
            for words in (["rollcall"], ["rollcall", "--json"], ["info"],
                          ["recover", "--keep", "--output", self.folder]):
                self.shows(*words, file)
        self.shows("recover", "--list", "--directory", self.folder, "--directory", trees)
        self.shows("recover", "--all", "--output", self.folder, "--directory", trees)
        self.assertEqual(list(trees.glob("*.tree")), [])

    def test_traces(self):
        process, trees = self.start(VFTR_SAMPLING_ACTIVE="yes", VFTR_TREE_FILE_ACTIVE="no")
        wait_until(lambda: any(file.stat().st_size > 1000 for file in self.folder.glob("*.tmpvfd")))
        self.shows("recover", "--list", "--directory", self.folder)
        process.send_signal(signal.SIGKILL)
        process.wait()
        trace, = self.folder.glob("*.tmpvfd")
        self.shows("info", trace)
        self.shows("recover", "--list", "--directory", self.folder)
        self.shows("recover", "--keep", "--output", trees, trace, statuses=(0,))
        self.about_trace(next(trees.glob("*.vfd")))
