// The table of functions: a row for each, over all its call paths.
import { useMemo } from "preact/hooks";
import { set_address, use_address } from "../address.ts";
import { count, number, percent, seconds, time } from "../format.ts";
import { path_combined, path_thinned, type Profile } from "../model.ts";
import { ranks_of_functions } from "../rank_values.ts";
import { matching } from "../search.ts";
import { kind_title, number_of, open_function, Search } from "../selection.tsx";
import { count_column, text_column, time_column, Table, type TableColumn } from "../table.tsx";
import type { View, ViewProps } from "../view.ts";

function estimated(profile: Profile): Uint8Array {
  const marks = new Uint8Array(profile.names.length);
  for (let i = 0; i < profile.count; i++) if (profile.flags[i] & (path_thinned | path_combined)) marks[profile.func[i]] = 1;
  return marks;
}

function Functions({ profile }: ViewProps) {
  const address = use_address();
  const { times } = profile;
  const matches = useMemo(() => matching(profile.names, address.q ?? ""), [profile, address.q]);
  const columns = useMemo(() => {
    const marks = estimated(profile);
    const most = times.exclusive.reduce((a, b) => Math.max(a, b), 1);
    const about = (row: number) => (marks[row] ? "\u2248 " : "");
    const samples = new Float64Array(profile.names.length);
    profile.list("paths").numbers("samples").forEach((value, path) => (samples[profile.func[path]] += value));
    const overhead = profile.functions.numbers("overhead_ns");
    const spread = ranks_of_functions(profile);
    const files = profile.functions.texts("file");
    const lines = profile.functions.numbers("line");
    const modules = profile.list("modules").texts("path");
    const module = profile.functions.numbers("module");
    const result: TableColumn[] = [
      { id: "function", title: "Function", help: "Name of the function; double-click for callers and callees", left: true, value: (row) => profile.names[row], width: 20 },
      { id: "exclusive", title: "Exclusive", unit: "s", help: "Time in the function itself, without callees; sum over threads and ranks. \u2248: an estimate",
        value: (row) => times.exclusive[row] / 1e9, text: (row) => about(row) + seconds(times.exclusive[row]), share: (row) => times.exclusive[row] / most },
      { id: "share", title: "Share", unit: "%", help: "Share of the time of all functions", value: (row) => (100 * times.exclusive[row]) / (profile.all_ns || 1), text: (row) => percent(times.exclusive[row], profile.all_ns) },
      { id: "inclusive", title: "Inclusive", unit: "s", help: "Time from entry to exit of the outermost calls; sum over threads and ranks",
        value: (row) => times.inclusive[row] / 1e9, text: (row) => about(row) + seconds(times.inclusive[row]) },
      count_column("calls", "Calls", "Sum over all its call paths, threads and ranks", (row) => times.calls[row]),
      { id: "percall", title: "Per call", help: "Time in the function itself, divided by calls (in CSV: s)", unit: "",
        value: (row) => (times.calls[row] > 0 ? times.exclusive[row] / times.calls[row] / 1e9 : 0), text: (row) => (times.calls[row] > 0 ? time(times.exclusive[row] / times.calls[row]) : "") },
    ];
    if (samples.some((value) => value > 0))
      result.push({ id: "samples", title: "Samples", help: "Samples of the call stack in the function itself", value: (row) => samples[row], text: (row) => count(samples[row]) });
    if (spread)
      result.push(
        time_column("mean", "Rank mean", "Time in the function itself, divided by the number of ranks of the run", (row) => spread.mean[row]),
        { id: "max", title: "Largest (on rank)", unit: "s", help: "Time in the function itself on the rank with most of it (in brackets). For call paths without values by rank, the mean is used",
          value: (row) => spread.max[row] / 1e9, text: (row) => (spread.max[row] > 0 ? `${seconds(spread.max[row])} (${spread.max_rank[row]})` : "") },
        time_column("imbalance", "Imbalance", "Time saved if all ranks took the mean: most minus mean", (row) => Math.max(0, spread.max[row] - spread.mean[row])),
      );
    if (overhead.some((value) => value > 0))
      result.push({ id: "overhead", title: "Cost", unit: "s", help: "Estimated cost of measuring its calls; not included in the times", value: (row) => overhead[row] / 1e9, text: (row) => seconds(overhead[row]) });
    result.push(
      { id: "paths", title: "Paths", help: "Call paths that end in it", value: (row) => times.paths[row], text: (row) => number(times.paths[row]) },
      { id: "kind", title: "Kind", help: "Function, region, MPI, OpenMP, GPU ...", left: true, value: (row) => profile.kinds[row], text: (row) => kind_title(profile.kinds[row]), width: 4 },
      text_column("place", "Place", "Source file and line, or the module", (row) => (files[row] ? `${files[row].split("/").pop()}${lines[row] ? `:${lines[row]}` : ""}` : module[row] >= 0 ? (modules[module[row]] ?? "").split("/").pop()! : ""), 6),
    );
    return result;
  }, [profile]);
  const selected = number_of(address.function, profile.names.length);
  return (
    <>
      <div class="tools"><Search label="Search for functions" /></div>
      <Table id="functions" label="Functions" columns={columns} rows={profile.names.length} sort="-exclusive" height={Math.max(320, window.innerHeight - 300)}
        filter={(row) => times.paths[row] > 0 && (!matches || matches[row] === 1)} filter_key={address.q ?? ""}
        selected={selected < 0 ? undefined : selected} on_select={(row) => set_address({ function: String(row) })} on_open={open_function} />
    </>
  );
}

export const functions_view: View = {
  id: "functions", title: "Functions", help: "One row per function, over all its call paths. Click a header to sort; press Enter or double-click for callers and callees.",
  exists: (_, profile) => profile.count > 0, show: Functions,
};
