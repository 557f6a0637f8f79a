"""The bundled server: it does not mention vftrace, replies the same with and without it, and its
profile shows what starves the event loop."""
import hashlib
import signal
import socket
import subprocess
import sys
import unittest

from support import (COMMAND, LIBRARY, SCRATCH, SOURCE, build_once, clean_environment, digest_of_headers, need, run,
                     scratch_folder)
from test_coroutines import COMPILERS, need_header
from test_task_adapters import rows_of

FOLDER = SOURCE / "examples" / "server"
TRACED = ("-I", SOURCE / "include", "-include", "vftrace/asio.hpp")
REQUESTS = ("similar nothing", "get 0", "add the first text", "add another one", "add ", "add third  with  blanks ",
            "get 0", "get 2", "get 3", "get 4", "get -1", "get 1x", "get", "similar an other", "similar ",
            "similar the fist texts", "remove 1", "", "add " + 60000 * "x", "get 4", "similar an other")
REPLIES = ["error: no texts", "error: no such text", "0", "1", "2", "3", "the first text", "", "third  with  blanks ",
           "error: no such text", "error: no such text", "error: no such text", "error: no such text", "1 another one",
           "2 ", "0 the first text", "error: no such request", "error: no such request", "4", 60000 * "x",
           "1 another one"]
TEXTS = 1500  # enough for a search to take far longer than any other run, even one that the system interrupts
LOAD = ("--seconds", "1.5", "--texts", TEXTS, "--readers", "4")
SESSIONS = 1 + 1 + 1 + 4  # one that fills, one that writes, one that searches, and the readers


def built(compiler, *flags):
    command = [compiler, "-std=c++20", "-O2", "-Wall", "-Wextra", "-pthread", *flags, FOLDER / "server.cpp"]
    sources = [(FOLDER / name).read_text() for name in ("server.cpp", "similarity.hpp")]
    text = "".join([*map(str, command), digest_of_headers(), *sources])
    return build_once(command, SCRATCH / "bin" / hashlib.sha1(text.encode()).hexdigest()[:12] / "server")


def served(program, *arguments, **variables):
    """(replies, exit status, errors) of a server that is sent the requests and then SIGTERM."""
    process = subprocess.Popen([program, *arguments], cwd=scratch_folder(), env=clean_environment(**variables), text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        port = int(process.stdout.readline().split()[-1])
        with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
            connection.sendall("".join(f"{request}\n" for request in REQUESTS).encode())
            with connection.makefile() as lines:
                replies = [lines.readline().removesuffix("\n") for _ in REQUESTS]
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    return replies, process.returncode, errors


def without_handlers(rows):
    """The types of coroutines. There is also the handler of the signal, a lambda expression."""
    handlers = {name for name in rows if "lambda" in name}
    assert len(handlers) == 1, handlers
    return set(rows) - handlers


class ServerExample(unittest.TestCase):
    def setUp(self):
        need("g++")
        need_header("asio.hpp")

    def test_sources_do_not_mention_vftrace(self):
        for name in ("server.cpp", "similarity.hpp"):
            self.assertNotIn("vftrace", (FOLDER / name).read_text().lower())

    def test_replies_are_the_same(self):
        for compiler in COMPILERS:
            traced = built(compiler, *TRACED)
            for arguments in ((), ("--pool",)):
                for program, variables in ((built("g++"), {}), (traced, {}), (traced, {"LD_PRELOAD": LIBRARY})):
                    with self.subTest(compiler=compiler, arguments=arguments, program=program, variables=variables):
                        self.assertEqual(served(program, *arguments, **variables), (REPLIES, 0, ""))

    def load(self, program, *arguments):
        """The tasks of a run under load by name, and the number of requests of each kind."""
        # load.py checks the replies and reports the result by its exit status.
        result = run([sys.executable, FOLDER / "load.py", *LOAD, "--", COMMAND, "run", "--", program, *arguments],
                     preload=False)
        self.assertEqual((result.status, result.stderr), (0, ""))
        requests = {line.split()[0]: int(line.split()[1]) for line in result.stdout.splitlines()[1:]}
        self.assertEqual(set(requests), {"add", "get", "similar"})
        self.assertGreater(min(requests.values()), 1)
        rows = rows_of(result)
        for kind, number in requests.items():
            number += TEXTS if kind == "add" else 0
            self.assertEqual((rows[kind]["tasks"], rows[kind]["completed"]), (number, number), kind)
        self.assertEqual((rows["session"]["tasks"], rows["session"]["stillborn"]), (SESSIONS, 0))
        self.assertEqual((rows["listener"]["tasks"], rows["listener"]["completed"]), (1, 0))
        self.assertEqual(sum(row["alive"] for row in rows.values()), 0)
        return result, rows, requests

    def check_longest(self, rows, name, below):
        """All other types have shorter runs and less time in total."""
        self.assertEqual(next(iter(rows)), name)
        own = rows.pop(name)
        for other, row in rows.items():
            self.assertGreater(own["longest_run[s]"], row["longest_run[s]"], other)
            self.assertGreater(own["own[s]"], row["own[s]"], other)
        self.assertGreaterEqual(min(rows[other]["with_children[s]"] for other in below), own["own[s]"])

    def test_profile_names_what_starves_the_loop(self):
        for compiler in COMPILERS:
            with self.subTest(compiler=compiler):
                result, rows, requests = self.load(built(compiler, *TRACED))
                self.assertEqual(without_handlers(rows), {"listener", "session", *requests})
                self.assertEqual(rows["similar"]["pauses"], 0)
                thread, = result.rows("Threads that run tasks")
                self.assertTrue(thread["Task of the longest run"].startswith("similar (server.cpp:"), thread)
                self.check_longest(rows, "similar", below=("session", "listener"))

    def test_repaired(self):
        result, rows, requests = self.load(built(COMPILERS[0], *TRACED), "--pool")
        self.assertEqual(without_handlers(rows), {"listener", "session", "search", *requests})
        self.assertEqual((rows["search"]["tasks"], rows["similar"]["pauses"]), (requests["similar"],) * 2)
        threads = {row["Task of the longest run"].partition(" (")[0]: int(row["Thread"])
                   for row in result.rows("Threads that run tasks")}
        self.assertNotEqual(threads.pop("search"), 0)
        self.assertEqual(list(threads.values()), [0])
        self.check_longest(rows, "search", below=("similar", "session", "listener"))
