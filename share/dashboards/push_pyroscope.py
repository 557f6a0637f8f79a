#!/usr/bin/env python3
"""Sends a profile to Pyroscope, by its HTTP interface for pprof.

    push_pyroscope.py --url http://localhost:4040 PROFILE.json [--name NAME] [--label KEY=VALUE]...

`vftrace export --format pprof` makes the file that is sent; vftrace must be in the PATH, or named by VFTRACE_COMMAND. A token
for the server, if it needs one, is read from PYROSCOPE_TOKEN.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request

BOUNDARY = "vftrace-profile-boundary"


class Problem(Exception):
    """What the user is told in one line."""


def name_of(text):
    """What Pyroscope accepts as the name of a service: everything else becomes an underscore."""
    return re.sub(r"[^A-Za-z0-9_.-]", "_", text) or "vftrace"


def label(text):
    key, _, value = text.partition("=")
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", key) or not re.fullmatch(r"[\w ./:@+-]*", value):
        raise Problem(f"--label {text}: must be KEY=VALUE")
    return f"{key}={value}"


def pprof_of(profile):
    command = [os.environ.get("VFTRACE_COMMAND", "vftrace"), "export", "--format", "pprof", "-o", "-", profile]
    try:
        result = subprocess.run(command, capture_output=True, check=False)
    except OSError as error:
        raise Problem(f"{command[0]}: {error.strerror}") from error
    if result.returncode != 0:
        raise Problem(result.stderr.decode(errors="replace").strip().removeprefix("vftrace: "))
    return result.stdout


def run_of(profile):
    try:
        with open(profile, encoding="utf-8", errors="replace") as file:
            run = json.load(file)["run"]
        return str(run["application"]), int(run["start_unix_ns"]) // 10**9, max(int(run["runtime_ns"]) // 10**9, 1)
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise Problem(f"{profile}: is not a profile of vftrace ({error})") from error


def push(url, profile, name, labels):
    if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
        raise Problem(f"--url {url}: must begin with http:// or https://")
    application, start, seconds = run_of(profile)
    service = name_of(name or application)
    if labels:
        service += "{" + ",".join(labels) + "}"
    query = urllib.parse.urlencode({"name": service, "from": start, "until": start + seconds, "format": "pprof"})
    data = (f"--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"profile\"; filename=\"profile.pprof\"\r\n"
            "Content-Type: application/octet-stream\r\n\r\n").encode() + pprof_of(profile) + f"\r\n--{BOUNDARY}--\r\n".encode()
    headers = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}", "User-Agent": "vftrace"}
    if os.environ.get("PYROSCOPE_TOKEN"):
        headers["Authorization"] = f"Bearer {os.environ['PYROSCOPE_TOKEN']}"
    request = urllib.request.Request(f"{url.rstrip('/')}/ingest?{query}", data, headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=60):
            pass
    except (OSError, ValueError) as error:
        raise Problem(f"{url}: {error}") from error
    print(f"{profile}: sent as {service}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--url", required=True)
    parser.add_argument("--name", help="of the service (default: the program)")
    parser.add_argument("--label", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("profile", metavar="PROFILE.json")
    arguments = parser.parse_args()
    push(arguments.url, arguments.profile, arguments.name, [label(text) for text in arguments.label])


if __name__ == "__main__":
    try:
        main()
    except Problem as problem:
        sys.exit(f"push_pyroscope: {problem}")
