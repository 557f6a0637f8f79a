// What `?` shows: the keys, and the meaning of each figure.
#pragma once

namespace vftrace {

// Lines of at most 78 columns; a heading begins without blanks.
inline constexpr const char* help_text[] = {
    "Keys",
    "  1 .. 9, 0, Tab  pane: functions, tree, threads, ranks, messages, GPUs,",
    "                  sections, tasks, open calls, roll call of a job",
    "  up down PgUp PgDn Home End   move      Enter, right, left   show or hide",
    "                  what a path of the tree calls;  + all,  - none",
    "  s S             sort by the next column, by the one before;  r  the other way",
    "  d               figures of the last interval, since the start, since the mark",
    "  m               mark: figures since now      Space  freeze the figures",
    "  /               show what matches a regular expression (Esc: all)",
    "  f               full names, with parameters  g      merge threads of like names",
    "  o               oldest open calls            w      save a snapshot (log, JSON)",
    "  p               save a report page (HTML)    q      quit: the program goes on",
    "",
    "Figures of the head",
    "  elapsed         since recording began, of the process that records longest",
    "  ranks           that are watched here, of those that the job has",
    "  threads         that have recorded something and have not ended",
    "  calls/s         calls that were counted, of all threads together",
    "  code            share of the recorded time of all threads in functions, regions",
    "                  and OpenMP constructs, less the three that follow",
    "  MPI             in MPI functions, waiting included",
    "  OpenMP waiting  in barriers, taskwaits, and for locks and critical sections",
    "  GPU waiting     in CUDA calls that wait: synchronisation, synchronous copies",
    "  overhead        what counting these calls has cost, as calibrated when the",
    "                  program started, of the recorded time",
    "  filtered        functions that are not recorded any more, by a filter or since",
    "                  measuring them would cost too much",
    "",
    "Figures of the panes",
    "  self            time in the function itself;  total: what it calls included.",
    "                  Times are as measured: the profile takes the overhead out.",
    "                  Calls that have not ended count with what there is so far.",
    "  for             since when the innermost call of a thread lasts. \">=\": it was",
    "                  not timed, and has been seen to last so long.",
    "  Job             the roll call: ranks at the same place together. 0 calls/s in",
    "                  all groups but one: those wait for this one.",
    "  Messages        collectives count as one message a call. Live messages of",
    "                  sections are not in the tree file: see the program's output.",
    "  GPUs            time of kernels and copies as far as records have come in:",
    "                  CUPTI gives them in batches, so figures lag behind.",
    "  Tasks           alive: created and not ended.",
};

}  // namespace vftrace
