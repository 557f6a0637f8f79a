// Threads, parallel regions of OpenMP, and GPUs.
import { DataTables } from "../data_table.tsx";
import { percent } from "../format.ts";
import type { Profile } from "../model.ts";
import { count_column, text_column, time_column, Table } from "../table.tsx";
import type { View, ViewProps } from "../view.ts";

function ThreadList({ profile }: { profile: Profile }) {
  const list = profile.list("threads");
  const column = (name: string): Float64Array => list.numbers(name);
  const rank = column("rank");
  const number = column("number");
  const name = list.texts("name");
  const worker = column("openmp_worker");
  const threads = column("threads");
  const lifetime = column("lifetime_ns");
  const spent = column("time_ns");
  const parallel = column("parallel_ns");
  const waiting = column("waiting_ns");
  const start = column("start");
  const calls = column("calls");
  const most = spent.reduce((a, b) => Math.max(a, b), 0);
  const label = (row: number): string =>
    number[row] < 0 ? "others, combined"
    : name[row] || (worker[row] ? `OpenMP worker ${number[row]}` : number[row] === 0 ? "main thread" : `thread ${number[row]}`);
  return (
    <>
      <h3>Threads</h3>
      <Table id="threads" label="Threads" rows={list.rows} sort="-time" height={380}
        columns={[
          { id: "rank", title: "Rank", help: "In MPI_COMM_WORLD", value: (row) => (rank[row] < 0 ? "" : rank[row]) },
          text_column("thread", "Thread", "Name of the thread, or its number in the order of first events", label),
          { id: "threads", title: "Threads", help: "Threads that ended and started with the same call share one row", value: (row) => threads[row] },
          time_column("time", "In calls", "Time in everything that was recorded", (row) => spent[row], { share: (row) => spent[row] / (most || 1) }),
          time_column("parallel", "In parallel regions", "Part of it in OpenMP parallel regions, including waiting", (row) => parallel[row]),
          time_column("waiting", "Waiting", "Part of it in OpenMP barriers, locks and other waits", (row) => waiting[row]),
          { id: "waiting_share", title: "Waiting", unit: "%", help: "Of its time in parallel regions", value: (row) => (100 * waiting[row]) / (parallel[row] || 1), text: (row) => percent(waiting[row], parallel[row]) },
          time_column("lifetime", "Lifetime", "From first event to end", (row) => lifetime[row]),
          { id: "busy", title: "Busy", unit: "%", help: "Time in calls without waiting, as a share of the lifetime", value: (row) => (100 * (spent[row] - waiting[row])) / (lifetime[row] || 1), text: (row) => percent(spent[row] - waiting[row], lifetime[row]) },
          count_column("calls", "Calls", "Calls of functions, regions, MPI and OpenMP", (row) => calls[row]),
          text_column("start", "First function", "The function that it started with", (row) => (start[row] > 0 && start[row] < profile.count ? profile.name(start[row]) : "")),
        ]} />
    </>
  );
}

function ParallelRegions({ profile }: { profile: Profile }) {
  const list = profile.list("parallel_regions");
  if (list.rows === 0) return null;
  const column = (name: string): Float64Array => list.numbers(name);
  const node = column("node");
  const busy = column("busy_ns");
  const most = column("busy_max_ns");
  const waiting = column("waiting_ns");
  const threads = column("threads");
  const entries = column("entries");
  // Mean busy time of the threads, as a percentage of that of the busiest thread.
  const balance = (row: number): number => (most[row] > 0 ? (100 * busy[row]) / (threads[row] * most[row]) : 0);
  return (
    <>
      <h3>Parallel regions of OpenMP</h3>
      <Table id="parallel" label="Parallel regions of OpenMP" rows={list.rows} sort="-waiting" height={380}
        columns={[
          text_column("region", "Region", "The construct", (row) => profile.name(node[row])),
          text_column("caller", "Caller", "The function that it is in", (row) => (profile.parent[node[row]] >= 0 ? profile.name(profile.parent[node[row]]) : "")),
          count_column("entries", "Entries", "How often a team was formed", (row) => entries[row]),
          { id: "threads", title: "Threads", help: "Different threads in all teams, summed over ranks", value: (row) => threads[row] },
          time_column("busy", "Busy", "Time of implicit tasks without waiting, sum over threads", (row) => busy[row]),
          time_column("most", "Busiest thread", "The same for the thread with most of it", (row) => most[row]),
          time_column("waiting", "Waiting", "In barriers and other waits in the region, sum over threads", (row) => waiting[row]),
          { id: "waiting_share", title: "Waiting", unit: "%", help: "Of busy time and waiting", value: (row) => (100 * waiting[row]) / (waiting[row] + busy[row] || 1), text: (row) => percent(waiting[row], waiting[row] + busy[row]), share: (row) => waiting[row] / (waiting[row] + busy[row] || 1) },
          { id: "balance", title: "Load balance", unit: "%", help: "Mean busy time of threads, divided by that of the busiest one", value: balance, text: (row) => balance(row).toFixed(1) },
        ]} />
    </>
  );
}

function Threads({ profile }: ViewProps) {
  return (
    <>
      {profile.list("threads").rows > 0 && <ThreadList profile={profile} />}
      <ParallelRegions profile={profile} />
      {["cuda", "accprof", "omptarget"].map((view) => <DataTables key={view} tables={profile.tables(view)} />)}
    </>
  );
}

export const threads_view: View = {
  id: "threads", title: "Threads and GPUs", help: "What threads did, how the work of OpenMP parallel regions was spread over them, and the work of GPUs.",
  exists: (_, profile) => profile.list("threads").rows > profile.run.summed_ranks || profile.list("parallel_regions").rows > 0 ||
    ["cuda", "accprof", "omptarget"].some((view) => profile.tables(view).length > 0),
  show: Threads,
};
