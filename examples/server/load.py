#!/usr/bin/env python3
"""Sends requests to the server as its clients would, and prints how long they waited for the
replies.

    load.py [--seconds S] -- ./server           starts the server, and ends it
    load.py [--seconds S] --port PORT           uses a server that is already running

Readers, a writer and one client that searches each have a connection, and a time when each of their
requests is due. Latencies are measured from that time, because a client that waits for a reply also
delays its next requests. All replies are checked; the exit status is 1 if one is wrong, or if the
exit status of the server is not 0.
"""
import argparse
import asyncio
import random
import signal
import subprocess
import sys
import time

KINDS = ("add", "get", "similar")
LETTERS = "abcdefghijklmnopqrstuvwxyz "
SHARES = (50, 90, 99)
START = 0.2  # seconds until the first request is due
TIMEOUT = 60  # seconds


class Texts:
    """The same texts in every run, by their number."""

    def __init__(self, length):
        self.length = length
        self.made = []
        self.random = random.Random(1)

    def __getitem__(self, number):
        while len(self.made) <= number:
            self.made.append("".join(self.random.choices(LETTERS, k=self.length)))
        return self.made[number]

    def misspelt(self, number, chance):
        letters = list(self[number])
        for place in chance.sample(range(self.length), self.length // 20):
            letters[place] = "?"
        return "".join(letters)


class Load:
    def __init__(self, options):
        self.options = options
        self.texts = Texts(options.length)
        self.waited = {kind: [] for kind in KINDS}
        self.wrong = 0

    async def ask(self, connection, line, expected):
        reader, writer = connection
        writer.write(line.encode() + b"\n")
        reply = await asyncio.wait_for(reader.readline(), TIMEOUT)
        if reply != expected.encode() + b"\n":
            self.wrong += 1
            print(f"{line!r}: the reply is {reply!r}, not {expected!r}", file=sys.stderr)

    def connect(self):
        return asyncio.open_connection("127.0.0.1", self.options.port, limit=1 << 20)

    async def client(self, kind, interval, first, requests):
        connection = await self.connect()
        end = first + self.options.seconds
        due = first
        while due < end:
            await asyncio.sleep(due - time.monotonic())
            await self.ask(connection, *next(requests))
            self.waited[kind].append(time.monotonic() - due)
            due += interval
        connection[1].close()

    def adds(self, number):
        while True:
            yield f"add {self.texts[number]}", str(number)
            number += 1

    def gets(self, chance):
        while True:
            number = chance.randrange(self.options.texts)
            yield f"get {number}", self.texts[number]

    def searches(self, chance):
        while True:
            number = chance.randrange(self.options.texts)
            yield f"similar {self.texts.misspelt(number, chance)}", f"{number} {self.texts[number]}"

    async def run(self):
        options = self.options
        filling, requests = await self.connect(), self.adds(0)
        for _ in range(options.texts):
            await self.ask(filling, *next(requests))
        filling[1].close()
        first = time.monotonic() + START
        clients = [self.client("add", 0.005, first, requests), self.client("similar", 0.4, first, self.searches(random.Random(2)))]
        for reader in range(options.readers):
            clients.append(self.client("get", 0.02, first + 0.02 * reader / options.readers, self.gets(random.Random(3 + reader))))
        await asyncio.gather(*clients)

    def print(self):
        print(f"{'request':8} {'number':>7}", *(f"{f'{share}%[ms]':>9}" for share in SHARES), f"{'longest[ms]':>12}")
        for kind, waited in self.waited.items():
            waited.sort()
            shares = (waited[len(waited) * share // 100] for share in SHARES)
            print(f"{kind:8} {len(waited):7}", *(f"{1e3 * share:9.1f}" for share in shares), f"{1e3 * waited[-1]:12.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=6, help="how long requests are due (%(default)s)")
    parser.add_argument("--readers", type=int, default=8, help="clients that send a get each 20 ms (%(default)s)")
    parser.add_argument("--texts", type=int, default=1000, help="that are added before (%(default)s)")
    parser.add_argument("--length", type=int, default=200, help="letters in each text (%(default)s)")
    parser.add_argument("--port", type=int, help="of a server that runs already")
    parser.add_argument("server", nargs="*", help="command that starts the server")
    options = parser.parse_args()
    if bool(options.server) == bool(options.port):
        parser.error("either a command or --port is needed")
    server, status = None, 0
    if options.server:
        server = subprocess.Popen(options.server, stdout=subprocess.PIPE, text=True)
        listening = server.stdout.readline()
        if not listening:
            sys.exit(f"{options.server[0]} has not started")
        options.port = int(listening.split()[-1])
    load = Load(options)
    try:
        asyncio.run(load.run())
    finally:
        if server:
            server.send_signal(signal.SIGTERM)
            status = server.wait()
    load.print()
    return load.wrong > 0 or status != 0


if __name__ == "__main__":
    sys.exit(main())
