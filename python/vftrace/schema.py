"""The lists of a profile, as doc/profile-json.md describes them: which columns they have, and what it means if a key is absent.

A column is written as its name (members of objects in the list as `object.member`), its type and what an absent key means:

    calls            an integer that is always there
    file:text?       a text; absent: not known, or it does not apply, which is None
    read=0           an integer; absent: 0
    node>nodes       an integer, the position of an element in another list

Types: whole numbers (the default), `number`, `text`, `yes` (boolean), `list`, `any`.
"""
from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional

REQUIRED = object()


class Column(NamedTuple):
    name: str
    type: str
    absent: Any  # REQUIRED: the key is always there
    refers: Optional[str]  # to the list that the value is a position in


def _column(word: str) -> Column:
    absent: Any = REQUIRED
    refers = None
    if word.endswith("?"):
        word, absent = word[:-1], None
    elif word.endswith("=0"):
        word, absent = word[:-2], 0
    elif word.endswith("=false"):
        word, absent = word[:-6], False
    word, _, kind = word.partition(":")
    if ">" in word:
        word, _, refers = word.partition(">")
    return Column(word, kind or "whole", absent, refers)


def _columns(text: str) -> List[Column]:
    return [_column(word) for word in text.split()]


def _message(prefix: str, absent: str) -> str:
    return " ".join(f"{prefix}{direction}.{figure}{absent}" for direction in ("sent", "received")
                    for figure in ("messages", "bytes", "time_ns", "bandwidth_sum:number"))


_SIZES = " ".join(f"sizes.{name}=0" for name in (
    "calls", "below_100", "below_1k", "below_10k", "below_100k", "below_1m", "below_4m", "below_10m", "below_100m", "below_1g",
    "larger"))
_TRANSFERS = " ".join(f"{where}.{figure}=0" for where in ("host_to_device", "device_to_host", "on_device")
                      for figure in ("count", "bytes"))

# By the place of the list in the file.
TABLES: Dict[str, List[Column]] = {place: _columns(text) for place, text in {
    "run.overhead": "code:text? label:text time_ns",
    "run.notices": "code:text arguments:list text:text ranks? first_rank? runs? of_runs?",
    "run.parameters": "name:text value:number",
    "run.counters": "name:text symbol:text",
    "run.observables": "name:text formula:text unit:text",
    "modules": "path:text build_id:text?",
    "functions": "kind:text name:text display:text symbol:text? demangled:text? module>modules? offset:text? level? file:text? line?",
    "metrics": "name:text unit:text reduction:text scope:text? part:text? title:text? formula:text?",
    "nodes": "id parent>nodes? function>functions stid hash:text calls samples=0 page_faults=0 kernel_ns? inclusive_ns exclusive_ns "
             "overhead_ns raw_inclusive_ns? raw_exclusive_ns? inclusive_error_ns=0 exclusive_error_ns=0 flags:list? metrics:list? "
             "ranks.count? ranks.min_rank? ranks.min_ns? ranks.max_rank? ranks.max_ns? " + _message("messages.", "?"),
    "filtered": "function>functions reason:text calls exclusive_ns overhead_ns moment_ns? still_called:yes",
    "threads": "rank? number? start>nodes? name:text? processors:text? core:text? openmp_worker:yes=false threads calls time_ns "
               "parallel_ns waiting_ns lifetime_ns metrics:list? nodes:list?",
    "rank_metrics": "rank metric>metrics value:number",
    "host_metrics": "host:text device:text? metric>metrics value:number",
    "regions": "host:text machine part:text function>functions? id processes runtime_ns entries:number overhead_ns=0 peak_bytes=0",
    "region_metrics": "host:text machine part:text id metric>metrics value:number",
    "annotations": "interface:text role:text name:text detail:text? events=0 merged=0 unmatched=0 crossed=0 bytes=0 live=0 peak=0 "
                   "values=0 sum:number=0 smallest:number=0 largest:number=0",
    "file_calls": "node>nodes file:text? kind:text calls failed=0 buffered=0 read=0 written=0 time_ns longest_ns placed=0 "
                  "sequential=0 consecutive=0 unaligned=0 " + _SIZES,
    "files": "file:text? kind:text file_system block ranks readers=0 writers=0 read_and_wrote=0 read=0 written=0 time_ns most_read=0 "
             "most_written=0 first_ns last_ns",
    "series": "rank metric>metrics node>nodes? time_ns:list values:list missed=0",
    "earlier_sections": "id:any parent:any name:text level place calls self_ns self_memory=0 longest_self_ns longest_total_ns",
    "task_loops": "rank? number? longest_task>nodes? threads busy_ns longest_run_ns lifetime_ns outside_ns?",
    "latencies": "node>nodes calls longest.time_ns? longest.end_ns? longest.rank? bins:list counts:list",
    "lock_waits": "lock:text? module>modules? offset:any? origin>nodes? kind:text node>nodes holder>nodes? waits time_ns longest_ns",
    "heap_sites": "node>nodes module>modules? offset:any file:text? line=0 allocated:number calls:number live=0 at_peak=0",
    "placement": "node>nodes module>modules? offset:any thread memory_node touches touches_seen touched near_uses far_uses other_uses",
    "addresses": "node>nodes module>modules? time_ns offsets:list samples:list",
    "parallel_regions": "node>nodes entries threads busy_ns busy_max_ns waiting_ns",
    "offload.nodes": "node>nodes " + _TRANSFERS,
    "offload.devices": "rank model:text host:yes number",
    "gpu.functions": "api cbid name:text",
    "gpu.work": "node>nodes function>functions? work:text count time_ns shortest_ns longest_ns bytes=0 timely waited_ns ranks.count? "
                "ranks.fewest? ranks.most?",
    "gpu.streams": "rank? device? context? stream? kernels copies bytes kernel_ns copy_ns span_ns",
    "gpu.devices": "rank number name:text kernel_ns copy_ns overlap_ns span_ns",
    "waits.states": "rank node>nodes pattern:text waits time_ns longest_ns",
    "waits.causes": "rank node>nodes pattern:text waiting_node>nodes time_ns",
    "waits.critical_path": "rank node>nodes time_ns imbalance_ns",
    "ranks": "rank host:text pid threads runtime_ns overhead_ns mpi_ns memory_bytes calls mpi_calls? delay_ns?",
    "rank_values": "node>nodes calls:list? exclusive_ns:list? histogram:list",
    "efficiencies": "function>functions? ranks processors elapsed_ns figures:list remark:text?",
    "communication": "rank peer node>nodes " + _message("", "=0"),
    "message_sizes": "from_bytes to_bytes sent received",
}.items()}

# What is computed from lists inside the elements of others.
DERIVED = {
    "paths": "the call paths with their names, numbers and what is known about their figures",
    "nodes.metrics": "the metrics of call paths, one row for each value",
    "threads.nodes": "what each thread did by call path",
    "threads.metrics": "the metrics of threads",
    "series.points": "the series, one row for each point",
    "latencies.bins": "the durations of calls, one row for each bin",
    "addresses.samples": "the addresses, one row for each address",
    "rank_values.ranks": "calls and time by rank, one row for each path and rank",
    "efficiencies.figures": "the efficiencies, one row for each figure",
}
