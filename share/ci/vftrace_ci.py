#!/usr/bin/env python3
"""Results of `vftrace ab --json` and `vftrace history --json` in pull and merge requests.

    vftrace_ci.py comment AB.json [--history HISTORY.json] [--link URL]   Markdown on standard output
    vftrace_ci.py post FILE [--name NAME]                                 as one comment, which is edited in place
    vftrace_ci.py badge AB.json                                           SVG on standard output
    vftrace_ci.py metrics AB.json                                         OpenMetrics text on standard output

`post` finds out by the variables of GitHub Actions or GitLab CI where it is. Without the right to write comments,
as in pull requests from forks, the text becomes part of the summary of the job instead, and the exit status is 0.
Names of functions and programs may be anybody's: they are shown, and never become Markdown, HTML or mentions.
"""
import argparse
import json
import math
import os
import re
import sys
import urllib.error
import urllib.parse
import urllib.request

MOST_ROWS = 10
MOST_BYTES = 60_000  # GitHub takes 65,536 characters
SYMBOLS = {"slower": "slower", "faster": "faster", "same": "no difference", "unknown": "not known"}
COLOURS = {"slower": "#c0392b", "faster": "#2e7d32", "same": "#2e7d32", "unknown": "#757575"}


class Problem(Exception):
    """What the user is told in one line."""


def read(path, kind):
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
    except (OSError, ValueError, RecursionError) as error:
        raise Problem(f"{path}: {error}") from error
    if not isinstance(document, dict) or document.get("format") != kind or document.get("version") != 1:
        raise Problem(f"{path}: is not a {kind} document of version 1")
    return document


def number(value):
    """A finite number, or None: files of others may contain anything."""
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value) else None


def escaped(text, most=80):
    """Text that Markdown and HTML show as it is: what could mean anything becomes a numeric reference."""
    text = text if isinstance(text, str) else "?"
    if len(text) > most:
        text = text[:most // 2] + "..." + text[-most // 2:]
    return "".join(char if char.isascii() and (char.isalnum() or char in " .,()+=%") else f"&#{ord(char)};" if char.isprintable()
                   else f"&#92;x{ord(char):02x}" for char in text)


def code(text, most=80):
    return f"<code>{escaped(text, most)}</code>"


def seconds(value):
    value = number(value)
    return "" if value is None else f"{value:.4g}"


def percent(ratio):
    ratio = number(ratio)
    return "" if ratio is None else f"{100 * (ratio - 1):+.1f} %"


def interval(row):
    low, high = percent(row.get("ratio_low")), percent(row.get("ratio_high"))
    return f"{low} to {high}" if low and high else ""


def objects(value):
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def verdict_of(ab):
    verdict = ab.get("verdict")
    return verdict if isinstance(verdict, str) and verdict in SYMBOLS else "unknown"


def judged_row(ab):
    row = ab.get("processor_time" if ab.get("judged") == "processor_time" else "wall_time")
    return row if isinstance(row, dict) else {}


def calls_text(row):
    first, second = number(row.get("first_calls")), number(row.get("second_calls"))
    if first is None or second is None:
        return ""
    return f"{first:.0f}" if first == second else f"{first:.0f} &rarr; {second:.0f}"


def function_rows(ab):
    """Those that explain something: other calls first, then changed times."""
    rows = [row for row in objects(ab.get("functions")) if row.get("calls_changed") is True or row.get("time_changed") is True]
    return sorted(rows, key=lambda row: row.get("calls_changed") is not True)


def comment(ab, history=None, link=None):
    lines = [f"### vftrace: {SYMBOLS[verdict_of(ab)]}", "", escaped(ab.get("sentence"), 400), ""]
    lines += ["| time | old [s] | new [s] | change | interval |", "|---|---:|---:|---:|---|"]
    for key, name in (("wall_time", "wall"), ("processor_time", "processor")):
        row = ab.get(key)
        if isinstance(row, dict):
            judged = " (judged)" if row is judged_row(ab) else ""
            lines.append(f"| {name}{judged} | {seconds(row.get('first_seconds'))} | {seconds(row.get('second_seconds'))} "
                         f"| {percent(row.get('ratio'))} | {interval(row)} |")
    rows = function_rows(ab)
    if rows:
        lines += ["", "| function | old [s] | new [s] | change | interval | calls |", "|---|---:|---:|---:|---|---:|"]
        lines += [f"| {code(row.get('function'))} | {seconds(row.get('first_seconds'))} | {seconds(row.get('second_seconds'))} "
                  f"| {percent(row.get('ratio'))} | {interval(row)} | {calls_text(row)} |" for row in rows[:MOST_ROWS]]
        if len(rows) > MOST_ROWS:
            lines.append(f"\n{len(rows) - MOST_ROWS} more functions have changed.")
    else:
        lines += ["", "No function has changed as far as the runs show."]
    if ab.get("output") == "different":
        lines += ["", "**The programs print different things.**"]
    if history:
        lines += history_lines(history)
    if link:
        lines += ["", f"[Page of the profile]({urllib.parse.quote(link, safe=':/?&=%#.-_~')})"]
    pairs, confidence = number(ab.get("pairs")), number(ab.get("confidence"))
    if pairs and confidence:
        lines += ["", f"<sub>{pairs:.0f} pairs of runs in turn; intervals of {100 * confidence:.0f} %.</sub>"]
    text = "\n".join(lines) + "\n"
    return text if len(text.encode()) <= MOST_BYTES else text.encode()[:MOST_BYTES].decode(errors="ignore") + "\n(cut)\n"


def history_lines(history):
    calls, times = objects(history.get("call_changes")), objects(history.get("time_changes"))
    if not calls and not times:
        return []
    lines = ["", f"Changes in the history of {len(objects(history.get('runs')))} runs, the latest ones:", ""]
    for row in times[-3:]:
        before, after = number(row.get("seconds_before")), number(row.get("seconds_after"))
        if before and after:
            lines.append(f"- {code(row.get('commit'), 20)}: {before:.4g} s &rarr; {after:.4g} s ({percent(after / before)})")
    for row in calls[-3:]:
        lines.append(f"- {code(row.get('commit'), 20)}: {code(row.get('function'))}: {number(row.get('calls_before')) or 0:.0f} "
                     f"&rarr; {number(row.get('calls_after')) or 0:.0f} calls")
    return lines


def badge(ab):
    verdict = verdict_of(ab)
    change = percent(judged_row(ab).get("ratio")) if verdict in ("slower", "faster") else ""
    right = f"{SYMBOLS[verdict]} {change}".strip()
    left_width, right_width = 58, 14 + 7 * len(right)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{left_width + right_width}" height="20" role="img" '
            f'aria-label="vftrace: {right}"><title>vftrace: {right}</title><rect width="{left_width}" height="20" fill="#444"/>'
            f'<rect x="{left_width}" width="{right_width}" height="20" fill="{COLOURS[verdict]}"/>'
            '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">'
            f'<text x="{left_width / 2:g}" y="14">vftrace</text>'
            f'<text x="{left_width + right_width / 2:g}" y="14">{right}</text></g></svg>\n')


def label(text):
    text = text if isinstance(text, str) else "?"
    return text.replace("\\", r"\\").replace("\n", r"\n").replace('"', r'\"')


def metrics(ab):
    """OpenMetrics 1.0, which GitLab compares between branches."""
    lines = ["# TYPE vftrace_seconds gauge", "# UNIT vftrace_seconds seconds",
             "# HELP vftrace_seconds Medians of the program that was measured second."]
    for key, kind in (("wall_time", "wall"), ("processor_time", "processor")):
        value = number(ab[key].get("second_seconds")) if isinstance(ab.get(key), dict) else None
        if value is not None:
            lines.append(f'vftrace_seconds{{time="{kind}"}} {value:.6g}')
    own = ["# TYPE vftrace_own_seconds gauge", "# UNIT vftrace_own_seconds seconds",
           "# HELP vftrace_own_seconds Own times of functions, medians."]
    calls = ["# TYPE vftrace_calls gauge", "# HELP vftrace_calls Calls of functions, where all of them were counted."]
    seen = set()
    for row in objects(ab.get("functions")):
        name = label(row.get("function"))
        if name in seen:
            continue
        seen.add(name)
        if number(row.get("second_seconds")) is not None:
            own.append(f'vftrace_own_seconds{{function="{name}"}} {number(row["second_seconds"]):.6g}')
        if number(row.get("second_calls")) is not None:
            calls.append(f'vftrace_calls{{function="{name}"}} {number(row["second_calls"]):.0f}')
    return "\n".join(lines + own + calls + ["# EOF"]) + "\n"


class Forge:
    """Where comments are: their list, a new one, another text of one."""

    def __init__(self, headers, comments, one_comment, text_key="body"):
        self.headers, self.comments, self.one_comment, self.text_key = headers, comments, one_comment, text_key

    def request(self, method, url, body=None):
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(url, data, {**self.headers, "Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read() or b"null")

    def own_comment(self, marker):
        """The number of the comment that begins with the marker; None: there is none."""
        for page in range(1, 31):
            comments = self.request("GET", f"{self.comments}?per_page=100&page={page}")
            for each in comments:
                if str(each.get(self.text_key, "")).startswith(marker):
                    return int(each["id"])
            if len(comments) < 100:
                return None
        return None

    def post(self, marker, text):
        known = self.own_comment(marker)
        body = {self.text_key: f"{marker}\n{text}"}
        if known is None:
            self.request("POST", self.comments, body)
        else:
            self.request(*self.one_comment(known), body)


def github():
    with open(os.environ["GITHUB_EVENT_PATH"], encoding="utf-8") as file:
        event = json.load(file)
    request, repository, token = event.get("pull_request"), os.environ["GITHUB_REPOSITORY"], os.environ.get("GITHUB_TOKEN")
    if not isinstance(request, dict):
        return None, "the event is not a pull request"
    if not token:
        return None, "there is no GITHUB_TOKEN"
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", repository):
        raise Problem("GITHUB_REPOSITORY is not OWNER/NAME")
    api = f"{os.environ.get('GITHUB_API_URL', 'https://api.github.com')}/repos/{repository}/issues"
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json", "User-Agent": "vftrace"}
    return Forge(headers, f"{api}/{int(request['number'])}/comments", lambda known: ("PATCH", f"{api}/comments/{known}")), None


def gitlab():
    token, merge_request = os.environ.get("VFTRACE_GITLAB_TOKEN"), os.environ.get("CI_MERGE_REQUEST_IID")
    if not merge_request:
        return None, "the job is not of a merge request"
    if not token:
        return None, "there is no VFTRACE_GITLAB_TOKEN"
    notes = (f"{os.environ['CI_API_V4_URL']}/projects/{int(os.environ['CI_PROJECT_ID'])}/merge_requests/"
             f"{int(merge_request)}/notes")
    return Forge({"PRIVATE-TOKEN": token, "User-Agent": "vftrace"}, notes, lambda known: ("PUT", f"{notes}/{known}")), None


def post(path, name):
    if not re.fullmatch(r"[\w.-]+", name):
        raise Problem("--name: only letters, digits, dots, dashes and underscores")
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (OSError, ValueError) as error:
        raise Problem(f"{path}: {error}") from error
    where = github if "GITHUB_EVENT_PATH" in os.environ else gitlab if "CI_API_V4_URL" in os.environ else None
    if not where:
        raise Problem("neither GITHUB_EVENT_PATH nor CI_API_V4_URL is set: this is not a job of GitHub Actions or GitLab CI")
    try:
        forge, reason = where()
        if forge:
            forge.post(f"<!-- vftrace {name} -->", text)
            return
    except urllib.error.HTTPError as error:
        # 401, 403 and 404 are what a token without the right to write gets, as in pull requests from forks.
        if error.code not in (401, 403, 404):
            raise Problem(f"the comment could not be written: {error}") from error
        reason = f"the token may not write comments ({error.code})"
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Problem(f"the comment could not be written: {error}") from error
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        with open(summary, "a", encoding="utf-8") as file:
            file.write(text)
    print(f"no comment, because {reason}: the result is in {'the summary of the job' if summary else 'this log'}")
    if not summary:
        print(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("comment", "badge", "metrics"):
        command = commands.add_parser(name)
        command.add_argument("ab", metavar="AB.json")
        if name == "comment":
            command.add_argument("--history", metavar="HISTORY.json")
            command.add_argument("--link", metavar="URL")
    posts = commands.add_parser("post")
    posts.add_argument("file", metavar="FILE")
    posts.add_argument("--name", default="ab", help="comments of different names are different comments")
    arguments = parser.parse_args()
    if arguments.command == "post":
        return post(arguments.file, arguments.name)
    ab = read(arguments.ab, "vftrace-ab")
    if arguments.command == "comment":
        if arguments.link and not arguments.link.startswith("https://"):
            raise Problem("--link: must begin with https://")
        history = read(arguments.history, "vftrace-history") if arguments.history else None
        sys.stdout.write(comment(ab, history, arguments.link))
    else:
        sys.stdout.write({"badge": badge, "metrics": metrics}[arguments.command](ab))
    return None


if __name__ == "__main__":
    try:
        main()
    except Problem as problem:
        sys.exit(f"vftrace_ci: {problem}")
