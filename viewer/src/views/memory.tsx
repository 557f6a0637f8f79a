// Which call paths have memory: a flame graph of bytes, the memory over time, and the tables of
// `vftrace report --memory`.
import { useMemo } from "preact/hooks";
import { DataTables } from "../data_table.tsx";
import { count } from "../format.ts";
import type { Profile } from "../model.ts";
import { Plot } from "../plot.tsx";
import { lines_of, rows_of, type SeriesRow, time_label } from "../series_plot.tsx";
import { SumsFlame } from "../sums_flame.tsx";
import type { View, ViewProps } from "../view.ts";

// Columns of the list, and what they are called.
const figures: [string, string][] = [["at_peak", "at the peak"], ["live", "at the end"], ["allocated", "allocated"], ["calls", "allocations"]];

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
        <SumsFlame key={profile.label} profile={profile} name="memory" label="Memory" list="memory_of_paths" path="path" figures={figures} texts={{ calls: count }}
          help="what a call path and all that it calls had allocated when the rank had most, or did not free, or allocated in all." />
        <MemoryOverTime profile={profile} />
        <DataTables tables={profile.tables("memory")} />
      </>
    );
  },
};
