// Which call paths have memory: a flame graph of bytes, the memory over time, and the tables of
// `vftrace report --memory`.
import { useMemo, useState } from "preact/hooks";
import { use_address } from "../address.ts";
import { kind_color } from "../colors.ts";
import { DataTables } from "../data_table.tsx";
import { FlameChart } from "../flame_chart.tsx";
import { sums_tree } from "../flame_layout.ts";
import { bytes, count } from "../format.ts";
import type { Profile } from "../model.ts";
import { Choice, open_function } from "../selection.tsx";
import { Plot } from "../plot.tsx";
import { lines_of, rows_of, type SeriesRow, time_label } from "../series_plot.tsx";
import type { View, ViewProps } from "../view.ts";

// Columns of the list, and what they are called.
const figures: [string, string][] = [["at_peak", "at the peak"], ["live", "at the end"], ["allocated", "allocated"], ["calls", "allocations"]];

function MemoryFlame({ profile }: { profile: Profile }) {
  const address = use_address();
  const figure = figures.some(([one]) => one === address.memory) ? address.memory! : "at_peak";
  const { tree, all } = useMemo(() => {
    const list = profile.list("memory_of_paths");
    const path = list.numbers("path");
    const value = list.numbers(figure);
    return sums_tree(profile, (add) => path.forEach((one, i) => add(one, value[i])));
  }, [profile, figure]);
  const [zoom, set_zoom] = useState(-1);
  const [selected, set_selected] = useState(-1);
  return (
    <>
      <div class="tools"><Choice name="memory" label="Memory" values={figures} value={figure} /></div>
      {all > 0 ? (
        <FlameChart key={figure} name="memory" label="Flame graph of memory" tree={tree} names={(func) => profile.names[func]} whole={all} height={320}
          color={(id) => kind_color(profile.kinds[tree.func(id)], profile.names[tree.func(id)])} text={figure === "calls" ? count : bytes}
          zoom={zoom} selected={selected} on_zoom={(id) => set_zoom(id === zoom ? -1 : id)} on_select={set_selected}
          on_open={(id) => open_function(tree.func(id))} />
      ) : <p class="foot">There is none.</p>}
      <p class="foot">The width of a box is what a call path and all that it calls had allocated when the rank had most, or did not free, or allocated in all. Click a box to zoom in.</p>
    </>
  );
}

const most_lines = 8;

// The memory of all ranks, or of that with most and of its paths.
function MemoryOverTime({ profile }: { profile: Profile }) {
  const { all, x, lines, rank, left_out } = useMemo(() => {
    const by_most = (a: SeriesRow, b: SeriesRow): number => b.most - a.most;
    const all = rows_of(profile, "heap.live_at").sort(by_most);
    const rank = all.length > 0 ? all[0].rank : -1;
    const paths = rows_of(profile, "heap.path_live_at").filter((one) => one.rank === rank).sort(by_most);
    const shown = [...all.slice(0, paths.length > 0 ? 1 : most_lines), ...paths.slice(0, most_lines)];
    const name_of = ({ path, rank }: SeriesRow): string => {
      if (path < 0) return all.length > 1 ? `rank ${rank}` : "all";
      const caller = profile.parent[path];
      return caller >= 0 ? `${profile.name(path)} < ${profile.name(caller)}` : profile.name(path);
    };
    const { x, lines } = lines_of(profile, shown, "B", name_of);
    return { all, x, lines: lines.map((line) => ({ ...line, steps: true })), rank, left_out: Math.max(0, paths.length - most_lines) };
  }, [profile]);
  if (all.length === 0) return null;
  return (
    <div>
      <h3>Over time</h3>
      <Plot name="live" label="Live memory over time" x_label={time_label} y_label="Live memory [MiB]" x={x} lines={lines} />
      <p class="foot">
        {all.length > 1 && `Rank ${rank}, which had most. `}
        Memory is read when blocks are allocated or freed, at most every few milliseconds unless it changes much; a path, from when it has 1/32 of the peak.
        {left_out > 0 && ` ${left_out} smaller paths are not drawn.`}
      </p>
    </div>
  );
}

export const memory_view: View = {
  id: "memory", title: "Memory",
  help: "Which call paths had most memory at the peak and at the end, and which allocated most; by line and rank.",
  exists: (_, profile) => profile.tables("memory").length > 0,
  show: ({ profile }: ViewProps) => {
    return (
      <>
        <MemoryFlame key={profile.label} profile={profile} />
        <MemoryOverTime profile={profile} />
        <DataTables tables={profile.tables("memory")} />
      </>
    );
  },
};
