"""What dashboards get: text for Prometheus, the queries of the dashboard for Grafana, profiles for Pyroscope."""
import gzip
import json
import re
import sqlite3
import subprocess
import urllib.parse

from command_support import CommandTest, command
from loopback_server import Handler, served
from support import COMMAND, SOURCE, clean_environment, compile_program, need, need_part, run, scratch_folder

SHARE = SOURCE / "share/dashboards"


class Ingest(Handler):
    """The interface of Pyroscope that takes profiles."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.requests.append((self.path, dict(self.headers), body))
        self.send_response(self.server.status)
        self.send_header("Content-Length", "0")
        self.end_headers()


def pyroscope(status=200):
    return served(Ingest, status=status)


class Dashboards(CommandTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = scratch_folder()
        program = compile_program("ab.c", ("-O1",))
        run([COMMAND, "run", "--", program, 20, 100000], preload=False, folder=cls.folder)
        cls.profile = json.loads((cls.folder / "ab_all.json").read_text())

    def test_prometheus(self):
        names = [row["name"] for row in self.profile["functions"]]
        odd = json.loads(json.dumps(self.profile))
        for row in odd["functions"]:
            row.update({key: 'a"b\\c\nd' for key, value in row.items() if value == "work"})
        (self.folder / "odd.json").write_text(json.dumps(odd))
        for file, name in (("ab_all.json", "work"), ("odd.json", 'a\\"b\\\\c')):
            text = command("export", "--format", "prometheus", "-o", "-", file, folder=self.folder).stdout
            self.assertIn(f'vftrace_function_calls{{application="ab",function="{name}', text)
            self.assertRegex(text, r'function="%s[^"]*"} 20\n' % re.escape(name))
            for line in text.splitlines():
                self.assertRegex(line, r'\A(# (HELP|TYPE) \w+ .+|vftrace_\w+\{\w+="(\\.|[^"\\])*"(,\w+="(\\.|[^"\\])*")*\} [-+.\de]+)\Z')
        self.assertIn("main", names)
        need("promtool")
        checked = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True)
        self.assertEqual((checked.returncode, checked.stderr), (0, ""), checked.stdout)

    def test_queries_of_the_dashboard(self):
        """Each is valid for a store, and finds what is in it; values that are chosen are quoted by Grafana."""
        need_part("HAVE_SQLITE")
        self.assertEqual(command("store", "add", "ab_all.json", "--branch", "it's main", folder=self.folder).status, 0)
        dashboard = json.loads((SHARE / "grafana.json").read_text())
        values = {"application": "ab", "branch": "it's main", "function": "work"}

        def filled(sql):
            self.assertNotRegex(sql, r"'\$")
            return re.sub(r"\$\{(\w+):sqlstring\}", lambda match: "'" + values[match[1]].replace("'", "''") + "'", sql)

        queries = [(panel["title"], target["queryText"]) for panel in dashboard["panels"] for target in panel["targets"]]
        queries += [(row["name"], row["query"]) for row in dashboard["templating"]["list"] if row["type"] == "query"]
        self.assertGreaterEqual(len(queries), 9)
        rows = {}
        with sqlite3.connect(self.folder / "vftrace.db") as database:
            for title, sql in queries:
                with self.subTest(title=title):
                    rows[title] = database.execute(filled(sql)).fetchall()
        self.assertEqual(len(rows["Time of the run"]), 1)
        self.assertIn("work", [row[0] for row in rows["Functions with most own time in the latest run"]])
        self.assertEqual(len(rows["Own time of $function"]), 1)
        self.assertEqual(rows["application"], [("ab",)])
        self.assertEqual(rows["branch"], [("it's main",)])

    def push(self, server, *words, profile="ab_all.json", **variables):
        return subprocess.run(["python3", SHARE / "push_pyroscope.py", "--url", f"http://127.0.0.1:{server.server_port}", *words, profile],
                              cwd=self.folder, capture_output=True, text=True, timeout=60,
                              env=clean_environment(VFTRACE_COMMAND=COMMAND, **variables))

    def test_pyroscope(self):
        need_part("HAVE_PPROF")
        with pyroscope() as server:
            result = self.push(server, "--label", "branch=main", PYROSCOPE_TOKEN="secret")
            self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "ab_all.json: sent as ab{branch=main}\n", ""))
            path, headers, body = server.requests[0]
        parts = urllib.parse.urlsplit(path)
        query = dict(urllib.parse.parse_qsl(parts.query))
        start = self.profile["run"]["start_unix_ns"] // 10**9
        self.assertEqual((parts.path, query["name"], query["format"], int(query["from"])), ("/ingest", "ab{branch=main}", "pprof", start))
        self.assertGreater(int(query["until"]), start)
        self.assertEqual(headers["Authorization"], "Bearer secret")
        sent = body.partition(b"\r\n\r\n")[2].rpartition(b"\r\n--")[0]
        self.assertIn(b"work", gzip.decompress(sent))

    def test_what_cannot_be_sent(self):
        with pyroscope(status=401) as server:
            self.assertRegex(self.push(server).stderr, r"\Apush_pyroscope: .*401.*\n\Z")
            (self.folder / "empty.json").write_text("{}")
            self.assertIn("is not a profile of vftrace", self.push(server, profile="empty.json").stderr)
            self.assertIn("must be KEY=VALUE", self.push(server, "--label", "a}{b=c").stderr)
        with pyroscope() as server:
            server.server_port = 9
            self.assertRegex(self.push(server).stderr, r"\Apush_pyroscope: .*refused.*\n\Z")
