// The text that `?` shows: the keys, and the meaning of each figure.
#pragma once

namespace vftrace {

// Lines of at most 78 columns; headings begin without blanks.
inline constexpr const char* help_text[] = {
    "Keys",
    "  1 .. 9, 0, M    pane: functions, tree, threads, ranks, messages, GPUs,",
    "  or Tab          sections, tasks, open calls, roll call of a job, memory",
    "  up down PgUp PgDn Home End   move      Enter, right, left   show or hide",
    "                  what a path of the tree calls;  + all,  - none",
    "  s S             sort by the next, the previous column;  r  reverse the order",
    "  d               switch figures: last interval, since start, since mark",
    "  m               mark: figures from now on    Space  freeze the figures",
    "  /               show what matches a regular expression (Esc: all)",
    "  f               full names, with parameters  g      merge threads by name",
    "  o               oldest open calls            w      save a snapshot",
    "  p               save a report page (HTML)    q      quit",
    "",
    "Figures of the head",
    "  elapsed         since recording began, in the process that began first",
    "  ranks           watched here, of all ranks of the job",
    "  threads         that have recorded something and have not ended",
    "  calls/s         calls counted, of all threads together",
    "  code            share of all threads' recorded time spent in functions,",
    "                  regions and OpenMP constructs, except for the next three",
    "  MPI             in MPI functions, waiting included",
    "  OpenMP waiting  in barriers, taskwaits, and for locks and critical sections",
    "  GPU waiting     in CUDA calls that wait: synchronisation, synchronous copies",
    "  overhead        cost of counting these calls, as calibrated when the program",
    "                  started, in percent of the recorded time",
    "  filtered        functions no longer recorded: excluded by a filter, or too",
    "                  expensive to measure",
    "",
    "Figures of the panes",
    "  t_excl, excl%   exclusive time: in the function itself",
    "  t_incl, incl%   inclusive time: with what it calls.",
    "                  Times are as measured; the profile subtracts the overhead.",
    "                  Open calls count with their time so far.",
    "  open for        how long the innermost call of a thread has been open. \">=\":",
    "                  its start was not timed; it has been seen for this long.",
    "  Job             the roll call: ranks in the same place share a row. If all",
    "                  groups but one make 0 calls/s, they wait for that one.",
    "  Messages        collectives count as one message per call.",
    "  Sections        message: what the program says about a section that is open.",
    "  GPUs            time of kernels and copies of which records have arrived:",
    "                  CUPTI delivers them in batches, so figures lag behind.",
    "  Tasks           alive: created and not ended yet.",
    "  Mem             live: allocated and not freed, +live: by how much that grew;",
    "                  alloc: allocated, also what was freed. From samples, or exact.",
};

}  // namespace vftrace
