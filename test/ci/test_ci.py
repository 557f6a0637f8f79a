"""share/ci: comments, badges and metrics of `vftrace ab`, with recorded events and a server on loopback that plays the forge."""
import html.parser
import json
import os
import re
import subprocess
import unittest
import xml.etree.ElementTree

from command_support import CommandTest
from loopback_server import Handler, served
from support import BUILD, SOURCE, clean_environment, compile_program, need, scratch_folder

try:
    import yaml
except ImportError:
    yaml = None

CI = SOURCE / "share/ci"
HOSTILE = "x|</code><script>alert(1)</script> @everyone [a](http://b) `c` <!-- vftrace ab --> \x1b[31m\n# head"


def measured(**changes):
    figures = {"first_seconds": 0.5, "second_seconds": 0.55, "pairs": 14, "ratio": 1.1, "ratio_low": 1.08, "ratio_high": 1.12}
    function = {"function": "stencil", **figures, "first_calls": 10, "second_calls": 12, "in_first": True, "in_second": True,
                "time_changed": True, "calls_changed": True}
    return {"format": "vftrace-ab", "version": 1, "first": ["./old"], "second": ["./new"], "verdict": "slower",
            "sentence": "The second program is slower by 10.0 % of wall time.", "threshold": 0.02, "judged": "wall_time", "pairs": 14,
            "confidence": 0.99, "wall_time": figures, "processor_time": figures, "output": "same", "functions": [function], **changes}


def ci(*words, folder, **variables):
    environment = {key: value for key, value in clean_environment().items() if not key.startswith(("GITHUB_", "CI_", "GITLAB_"))}
    return subprocess.run(["python3", CI / "vftrace_ci.py", *map(str, words)], cwd=folder, capture_output=True, text=True,
                          env={**environment, **{key: str(value) for key, value in variables.items()}}, timeout=60)


def file_of(document, name="ab.json"):
    file = scratch_folder() / name
    file.write_text(document if isinstance(document, str) else json.dumps(document))
    return file


class Tags(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.seen = set()

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)

    def handle_comment(self, data):
        self.seen.add("comment")


class Comment(unittest.TestCase):
    def comment(self, document, *words):
        result = ci("comment", file_of(document), *words, folder=scratch_folder())
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def test_what_it_says(self):
        text = self.comment(measured())
        self.assertTrue(text.startswith("### vftrace: slower\n\nThe second program is slower by 10.0 % of wall time.\n"), text)
        self.assertIn("| wall (judged) | 0.5 | 0.55 | +10.0 % | +8.0 % to +12.0 % |\n", text)
        self.assertIn("| <code>stencil</code> | 0.5 | 0.55 | +10.0 % | +8.0 % to +12.0 % | 10 &rarr; 12 |\n", text)
        self.assertIn("14 pairs of runs in turn; intervals of 99 %.", text)

    def test_names_are_shown(self):
        row = {**measured()["functions"][0], "function": HOSTILE}
        history = file_of({"format": "vftrace-history", "version": 1, "runs": [], "time_changes": [],
                           "call_changes": [{"commit": HOSTILE, "function": HOSTILE, "calls_before": 1, "calls_after": 2}]})
        text = self.comment(measured(functions=[row], sentence=HOSTILE), "--history", history)
        tags = Tags()
        tags.feed(text)
        self.assertEqual(tags.seen, {"code", "sub"})
        for sign in ("@everyone", "](", "`", "\x1b", "\n# head"):
            self.assertNotIn(sign, text)
        table = [line for line in text.splitlines() if line.startswith("| <code>")]
        self.assertEqual([line.count("|") for line in table], [7])

    def test_ten_rows(self):
        rows = [{**measured()["functions"][0], "function": f"f{i}", "calls_changed": i == 14} for i in range(15)]
        text = self.comment(measured(functions=rows))
        self.assertEqual(text.count("<code>f"), 10)
        self.assertIn("5 more functions have changed.", text)
        self.assertIn("<code>f14</code>", text)  # other calls come first

    def test_documents_that_are_not_ours(self):
        """Those of a pull request may contain anything: never a traceback, and never a number that is none."""
        for wrong in ("", "[]", "{}", "[" * 100000, '{"format": "vftrace-ab", "version": 2}', '{"format": "vftrace-profile", "version": 1}'):
            result = ci("comment", file_of(wrong), folder=scratch_folder())
            self.assertEqual((result.returncode, result.stdout), (1, ""), wrong[:20])
            self.assertRegex(result.stderr, r"\Avftrace_ci: .*\n\Z")
        odd = {"format": "vftrace-ab", "version": 1, "verdict": ["x"], "sentence": 5, "wall_time": [], "processor_time": {"ratio": "1"},
               "functions": [3, {"time_changed": True, "ratio": 1e999, "first_calls": True}], "pairs": "many"}
        for command in ("comment", "badge", "metrics"):
            result = ci(command, file_of(json.dumps(odd)), folder=scratch_folder())
            self.assertEqual((result.returncode, result.stderr), (0, ""), command)
            self.assertNotIn("inf", result.stdout)
        self.assertIn("not known", self.comment(odd))

    def test_badge(self):
        badge = ci("badge", file_of(measured()), folder=scratch_folder()).stdout
        root = xml.etree.ElementTree.fromstring(badge)
        self.assertEqual([text.text for text in root.iter("{http://www.w3.org/2000/svg}text")], ["vftrace", "slower +10.0 %"])

    def test_metrics(self):
        row = {**measured()["functions"][0], "function": 'a"b\\c\nx'}
        text = ci("metrics", file_of(measured(functions=[row, row])), folder=scratch_folder()).stdout
        self.assertEqual(text.count("vftrace_own_seconds{"), 1)
        self.assertIn('vftrace_own_seconds{function="a\\"b\\\\c\\nx"} 0.55\n', text)
        self.assertIn('vftrace_seconds{time="wall"} 0.55\n', text)
        self.assertTrue(text.endswith("# EOF\n"))
        for line in text.splitlines():
            self.assertRegex(line, r'\A(# (TYPE|UNIT|HELP) vftrace_\w+ .+|# EOF|vftrace_\w+\{\w+="(\\.|[^"\\])*"\} [\d.e+-]+)\Z')


class Forge(Handler):
    """A list of comments, as GitHub and GitLab offer it."""

    def answer(self, value, status=200):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def body(self):
        return json.loads(self.rfile.read(int(self.headers["Content-Length"])))

    def handle_one(self):
        server = self.server
        server.requests.append((self.command, self.path, self.headers.get("Authorization") or self.headers.get("PRIVATE-TOKEN")))
        if self.command != "GET" and server.forbidden:
            return self.answer({"message": "Resource not accessible by integration"}, 403)
        if self.command == "GET":
            page = int(re.search(r"&page=(\d+)", self.path)[1])
            return self.answer(server.comments[100 * (page - 1):100 * page])
        if self.command == "POST":
            server.comments.append({"id": len(server.comments) + 1, **self.body()})
            return self.answer({}, 201)
        number = int(self.path.rsplit("/", 1)[1])
        server.comments[number - 1].update(self.body())
        return self.answer({})

    do_GET = do_POST = do_PATCH = do_PUT = handle_one


def forge(comments=(), forbidden=False):
    return served(Forge, comments=list(comments), forbidden=forbidden)


class Post(unittest.TestCase):
    def setUp(self):
        self.folder = scratch_folder()
        self.text = file_of("### vftrace: slower\n", "comment.md")

    def github(self, server, event=None, **variables):
        payload = event or {"action": "synchronize", "pull_request": {"number": 7, "head": {"repo": {"fork": False}}}}
        environment = {"GITHUB_EVENT_PATH": file_of(payload, "event.json"), "GITHUB_REPOSITORY": "owner/heat", "GITHUB_TOKEN": "secret",
                       "GITHUB_API_URL": f"http://127.0.0.1:{server.server_port}", "GITHUB_STEP_SUMMARY": self.folder / "summary.md"}
        environment = {key: value for key, value in {**environment, **variables}.items() if value is not None}
        return ci("post", self.text, folder=self.folder, **environment)

    def test_one_comment_that_is_edited(self):
        others = [{"id": i + 1, "body": f"comment {i}"} for i in range(150)]
        with forge(others) as server:
            for text in ("first\n", "second\n"):
                self.text.write_text(text)
                result = self.github(server)
                self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
            self.assertEqual(len(server.comments), 151)
            self.assertEqual(server.comments[150]["body"], "<!-- vftrace ab -->\nsecond\n")
            self.assertEqual([request[0] for request in server.requests], ["GET", "GET", "POST", "GET", "GET", "PATCH"])
            self.assertEqual(server.requests[2][1:], ("/repos/owner/heat/issues/7/comments", "Bearer secret"))
            self.assertEqual(server.requests[5][1], "/repos/owner/heat/issues/comments/151")
        self.assertFalse((self.folder / "summary.md").exists())

    def test_forks_get_the_summary(self):
        """Their token may only read."""
        with forge(forbidden=True) as server:
            result = self.github(server)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("the token may not write comments (403)", result.stdout)
        self.assertEqual((self.folder / "summary.md").read_text(), "### vftrace: slower\n")

    def test_other_events(self):
        with forge() as server:
            result = self.github(server, event={"ref": "refs/heads/main"})
            self.assertIn("the event is not a pull request", result.stdout)
            self.assertIn("there is no GITHUB_TOKEN", self.github(server, GITHUB_TOKEN=None).stdout)
            for wrong in ({"pull_request": {"number": "7; rm"}}, {"pull_request": {}}):
                self.assertRegex(self.github(server, event=wrong).stderr, r"\Avftrace_ci: .*\n\Z")
            self.assertIn("OWNER/NAME", self.github(server, GITHUB_REPOSITORY="a/../b/c").stderr)
            self.assertEqual(server.requests, [])

    def test_gitlab(self):
        with forge() as server:
            variables = {"CI_API_V4_URL": f"http://127.0.0.1:{server.server_port}/api/v4", "CI_PROJECT_ID": 5, "CI_MERGE_REQUEST_IID": 9,
                         "VFTRACE_GITLAB_TOKEN": "secret"}
            for _ in range(2):
                result = ci("post", self.text, folder=self.folder, **variables)
                self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
            self.assertEqual([request[0] for request in server.requests], ["GET", "POST", "GET", "PUT"])
            self.assertEqual(server.requests[3][1:], ("/api/v4/projects/5/merge_requests/9/notes/1", "secret"))
        del variables["VFTRACE_GITLAB_TOKEN"]
        result = ci("post", self.text, folder=self.folder, **variables)
        self.assertIn("there is no VFTRACE_GITLAB_TOKEN", result.stdout)
        self.assertIn("### vftrace: slower", result.stdout)

    def test_nowhere(self):
        self.assertIn("this is not a job of", ci("post", self.text, folder=self.folder).stderr)
        self.assertIn("letters", ci("post", self.text, "--name", "a --> b", folder=self.folder).stderr)
        unreachable = {"GITHUB_EVENT_PATH": file_of({"pull_request": {"number": 1}}), "GITHUB_REPOSITORY": "a/b", "GITHUB_TOKEN": "x",
                       "GITHUB_API_URL": "http://127.0.0.1:9"}
        result = ci("post", self.text, folder=self.folder, **unreachable)
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"\Avftrace_ci: the comment could not be written: .*\n\Z")


class Job(CommandTest):
    """The script of both forges, from the programs to the comment."""

    def test_from_programs_to_the_comment(self):
        need("bash")
        program = compile_program("ab.c", ("-O1",))
        folder = scratch_folder()
        summary = folder / "summary.md"
        with forge() as server:
            environment = clean_environment(
                PATH=f"{BUILD}:{os.environ['PATH']}", VFTRACE_OLD=f"{program} 20 200000", VFTRACE_NEW=f"{program} 21 2000000",
                GITHUB_EVENT_PATH=file_of({"pull_request": {"number": 7}}), GITHUB_REPOSITORY="owner/heat", GITHUB_TOKEN="secret",
                GITHUB_API_URL=f"http://127.0.0.1:{server.server_port}", GITHUB_STEP_SUMMARY=summary)
            result = subprocess.run([CI / "ab.sh", folder / "out", "--no-repeat"], cwd=folder, env=environment, text=True,
                                    capture_output=True, timeout=100)
            self.assertEqual((result.returncode, result.stderr), (1, ""), result.stdout)
            comment, = server.comments
        self.assertIn("### vftrace: slower", comment["body"])
        self.assertIn("| <code>work</code> |", comment["body"])
        self.assertIn("20 &rarr; 21 |", comment["body"])
        self.assertIn("**The programs print different things.**", comment["body"])
        made = {file.name for file in (folder / "out").iterdir()}
        self.assertLessEqual({"ab.json", "comment.md", "badge.svg", "metrics.txt", "profiles"}, made)
        self.assertFalse(summary.exists())

    def test_failing_program(self):
        folder = scratch_folder()
        environment = clean_environment(PATH=f"{BUILD}:{os.environ['PATH']}", VFTRACE_OLD="false", VFTRACE_NEW="true")
        result = subprocess.run([CI / "ab.sh", folder / "out"], cwd=folder, env=environment, text=True, capture_output=True, timeout=100)
        self.assertEqual(result.returncode, 2)
        self.assertIn("false ended with status 1", result.stderr)

    def test_action(self):
        """Inputs reach the script as variables only: text of others never becomes code."""
        if yaml is None:
            self.skipTest("needs python3-yaml")
        action = yaml.safe_load((SOURCE / ".github/actions/ab/action.yml").read_text())
        step = action["runs"]["steps"][0]
        self.assertNotIn("${{", step["run"])
        self.assertEqual({name for value in step["env"].values() for name in re.findall(r"inputs\.([\w-]+)", value)},
                         set(action["inputs"]))
        template = yaml.safe_load((CI / "gitlab.yml").read_text())
        self.assertIn("ab.sh", template[".vftrace-ab"]["script"][0])
