// Several runs of a program: how their times depend on the number of processors.
import { useMemo } from "preact/hooks";
import { set_address, use_address } from "../address.ts";
import { count, seconds } from "../format.ts";
import { Plot } from "../plot.tsx";
import { growth_of_functions, scaling_runs } from "../scaling.ts";
import { matching } from "../search.ts";
import { Search } from "../selection.tsx";
import { text_column, time_column, Table, type TableColumn } from "../table.tsx";
import type { View, ViewProps } from "../view.ts";

function Scaling({ report }: ViewProps) {
  const address = use_address();
  const runs = useMemo(() => scaling_runs(report.profiles), [report]);
  const rows = useMemo(() => growth_of_functions(runs), [runs]);
  const last = runs.length - 1;
  const matches = useMemo(() => matching(rows.map((row) => row.name), address.q ?? ""), [rows, address.q]);
  const x = useMemo(() => runs.map((run) => run.size), [runs]);
  const chosen = rows.findIndex((row) => row.key === address.grown);
  const speed_up = useMemo(() => [
    { name: "speed-up", values: runs.map((run) => run.speed_up), color: 0 },
    { name: "ideal", values: runs.map((run) => run.ideal), color: 1, dashed: true },
  ], [runs]);
  const shown = chosen >= 0 ? chosen : rows.reduce((best, row, i) => (row.ns[last] > rows[best].ns[last] ? i : best), 0);
  const of_function = useMemo(() => [{ name: rows[shown].name, values: rows[shown].ns.map((ns) => (ns > 0 ? ns / 1e9 : null)), color: 0 }], [rows, shown]);
  return (
    <>
      <Table id="runs" label="Runs" rows={runs.length} height={300}
        columns={[
          text_column("run", "Run", "File of the profile", (row) => runs[row].profile.label),
          { id: "date", title: "Date (UTC)", help: "Start of the run", left: true, value: (row) => runs[row].profile.date, width: 9.9 },
          { id: "ranks", title: "Ranks", help: "Of MPI", value: (row) => runs[row].profile.run.ranks },
          { id: "threads", title: "Threads", help: "Number of threads of the rank with most", value: (row) => runs[row].profile.run.threads },
          { id: "size", title: "Size", help: "Ranks times threads", value: (row) => runs[row].size },
          time_column("time", "Run time", "Without the estimated cost of measuring", (row) => runs[row].ns),
          { id: "speed_up", title: "Speed-up", help: "Run time of the smallest run, divided by that of this run", value: (row) => runs[row].speed_up, text: (row) => runs[row].speed_up.toFixed(2) },
          { id: "ideal", title: "Ideal", help: "Size, divided by that of the smallest run", value: (row) => runs[row].ideal, text: (row) => runs[row].ideal.toFixed(2) },
          { id: "efficiency", title: "Efficiency", unit: "%", help: "Speed-up as a percentage of the ideal one, if the problem is the same in all runs", value: (row) => runs[row].efficiency, text: (row) => runs[row].efficiency.toFixed(1), share: (row) => runs[row].efficiency / 100 },
        ]} />
      <div class="columns">
        <div><h3>Speed-up</h3><Plot name="speed-up" label="Speed-up over size" x_label="ranks times threads" y_label="speed-up" x={x} lines={speed_up} log /></div>
        <div><h3><bdi>{rows[shown].name}</bdi></h3><Plot name="function" label="Time of the chosen function over size" x_label="ranks times threads" y_label="exclusive time per processor [s]" x={x} lines={of_function} log /></div>
      </div>
      <h3>Functions</h3>
      <div class="tools"><Search label="Search for functions" /></div>
      <Table id="growth" label="Growth of functions" rows={rows.length} sort="-last" height={380} filter={(row) => !matches || matches[row] === 1} filter_key={address.q ?? ""}
        selected={shown} on_select={(row) => set_address({ grown: rows[row].key })}
        columns={[
          text_column("function", "Function", "Name of the function", (row) => rows[row].name),
          ...runs.map((run, i): TableColumn => ({
            id: i === last ? "last" : `run${i}`, title: `Size ${count(run.size)}`, unit: "s", help: `Time in the function itself in ${run.profile.label}, divided by the size of the run`,
            value: (row) => rows[row].ns[i] / 1e9, text: (row) => (rows[row].ns[i] > 0 ? seconds(rows[row].ns[i]) : ""),
          })),
          { id: "exponent", title: "Exponent", help: "p of time ~ size^p: -1 scales ideally with a fixed problem, 0 does not become faster, above 0 it grows. By least squares of the logarithms",
            value: (row) => rows[row].exponent ?? "", text: (row) => rows[row].exponent?.toFixed(2) ?? "" },
        ]} />
    </>
  );
}

export const scaling_view: View = {
  id: "scaling", title: "Scaling", help: "How the run time depends on the number of processors, and which functions prevent it from falling.",
  exists: (report) => report.profiles.length > 1 && new Set(scaling_runs(report.profiles).map((run) => run.size)).size > 1 && report.profiles.every((profile) => profile.count > 0), show: Scaling,
};
