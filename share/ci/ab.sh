#!/usr/bin/env bash
# Compares two programs in a job of CI: `vftrace ab`, the page of the new one, a comment or the summary of the job.
#
#   VFTRACE_OLD="./old 500" VFTRACE_NEW="./new 500" ab.sh FOLDER [OPTIONS OF vftrace ab]
#
# The commands are words separated by blanks; what needs a shell is put into a script. Leaves ab.json, comment.md, badge.svg,
# metrics.txt and page.html in the folder. VFTRACE_STORE: a store whose history becomes part of the comment. The exit status is 1
# if the new program is slower, unless VFTRACE_FAIL_IF_SLOWER=no, and 2 if something failed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:?"usage: ab.sh FOLDER [OPTIONS]"}
shift
read -ra old <<<"${VFTRACE_OLD:?"VFTRACE_OLD: the command of the old program"}"
read -ra new <<<"${VFTRACE_NEW:?"VFTRACE_NEW: the command of the new program"}"
ci() { python3 "$here/vftrace_ci.py" "$@"; }

mkdir -p "$folder"
rm -rf "$folder/profiles"
status=0
vftrace ab --json --compare-output --keep "$folder/profiles" "$@" -- "${old[@]}" -- "${new[@]}" >"$folder/ab.json" || status=$?
[ "$status" -le 1 ] || exit 2

# The last run of the new program, if it has exactly one profile.
last=$(printf '%s\n' "$folder"/profiles/second-* | sort -V | tail -n 1)
profiles=("$last"/*_all.json)
if [ ${#profiles[@]} -eq 1 ] && [ -f "${profiles[0]}" ]; then
    vftrace report --html --anonymous --output "$folder/page.html" "${profiles[0]}" >"$folder/page.log" 2>&1 || true
fi
history=()
if [ -n "${VFTRACE_STORE:-}" ] && [ -f "$VFTRACE_STORE" ] && vftrace history --json >"$folder/history.json" 2>/dev/null; then
    history=(--history "$folder/history.json")
fi
ci comment "$folder/ab.json" ${history[@]+"${history[@]}"} >"$folder/comment.md"
ci badge "$folder/ab.json" >"$folder/badge.svg"
ci metrics "$folder/ab.json" >"$folder/metrics.txt"
ci post "$folder/comment.md" --name "${VFTRACE_COMMENT_NAME:-ab}"
[ "${VFTRACE_FAIL_IF_SLOWER:-yes}" = no ] || exit "$status"
