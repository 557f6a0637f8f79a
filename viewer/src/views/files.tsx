// Which call paths read and write files: a flame graph of time or bytes, when each rank does, and the
// tables of `vftrace report --files`.
import { useMemo, useState } from "preact/hooks";
import { use_address } from "../address.ts";
import { Canvas } from "../canvas.tsx";
import { faint, heat_color, ink, line } from "../colors.ts";
import { DataTables } from "../data_table.tsx";
import { bytes, count, number, time } from "../format.ts";
import type { Profile } from "../model.ts";
import { Choice, Scale } from "../selection.tsx";
import { rows_of, type SeriesRow, time_label } from "../series_plot.tsx";
import { SumsFlame } from "../sums_flame.tsx";
import { scale_of, tick_text } from "../plot_layout.ts";
import type { View, ViewProps } from "../view.ts";

// Columns of the list, and what they are called.
const figures: [string, string][] = [["time_ns", "time"], ["read", "bytes read"], ["written", "bytes written"], ["calls", "calls"]];

// The bytes of each rank in each of this many equally long parts of the run.
export function bytes_by_time(profile: Profile, metrics: string[], parts: number): { ranks: number[]; end: number; values: Float64Array[]; most: number } {
  const rows = metrics.flatMap((metric) => rows_of(profile, metric));
  const ns = profile.list("series_points").numbers("ns");
  const value = profile.list("series_points").numbers("value");
  const end = rows.reduce((latest, row) => Math.max(latest, ns[row.end - 1]), 0);
  const ranks = [...new Set(rows.map((row) => row.rank))].sort((a, b) => a - b);
  const values = ranks.map(() => new Float64Array(parts));
  const add = (row: SeriesRow): void => {
    const sums = values[ranks.indexOf(row.rank)];
    let before = 0;
    let from = 0;
    for (let k = row.begin; k < row.end; k++) {
      // Spread over the parts since the previous point, whose bytes were moved in between.
      const amount = value[k] - before;
      const first = Math.min(parts - 1, Math.floor((from / end) * parts));
      const last = Math.min(parts - 1, Math.floor((ns[k] / end) * parts));
      // Bytes are noted when a call ends: a long gap was without calls, so that they belong to its end.
      const begin = k > row.begin && last - first > 1 ? last : first;
      for (let part = begin; amount > 0 && part <= last; part++) sums[part] += amount / (last - begin + 1);
      before = value[k];
      from = ns[k];
    }
  };
  if (end > 0) rows.forEach(add);
  return { ranks, end, values, most: values.reduce((all, sums) => sums.reduce((a, b) => Math.max(a, b), all), 0) };
}

const directions: [string, string][] = [["both", "read and written"], ["read", "read"], ["written", "written"]];
const left = 68;
const bottom = 40;

function HeatMap({ profile }: { profile: Profile }) {
  const address = use_address();
  const [tip, set_tip] = useState<{ x: number; y: number; text: string } | undefined>();
  const direction = directions.some(([one]) => one === address.heat) ? address.heat! : "both";
  const parts = 200;
  const { ranks, end, values, most } = useMemo(
    () => bytes_by_time(profile, [...(direction !== "written" ? ["files.read_at"] : []), ...(direction !== "read" ? ["files.written_at"] : [])], parts),
    [profile, direction],
  );
  if (ranks.length === 0) return null;
  const row_height = Math.max(1, Math.min(24, 400 / ranks.length));
  const height = Math.ceil(row_height * ranks.length) + bottom;
  const seconds_of_part = end / 1e9 / parts;
  const rate = (value: number): string => `${bytes(value / (seconds_of_part || 1))}/s`;
  return (
    <div>
      <h3>Over time</h3>
      <div class="tools"><Choice name="heat" label="Bytes" values={directions} value={direction} /></div>
      <Canvas name="heat" height={height} inputs={[values, ranks]} label={`Bytes ${direction === "both" ? "read and written" : direction} by each rank over time. The table Bytes by rank has their sums.`}
        draw={({ context, width }) => {
          const w = width - left - 18;
          context.font = "12px system-ui, sans-serif";
          context.fillStyle = heat_color(0);
          context.fillRect(left, 0, w, row_height * ranks.length);
          values.forEach((sums, i) => sums.forEach((value, part) => {
            if (value <= 0) return;
            context.fillStyle = heat_color(0.15 + (0.85 * Math.log1p(value)) / Math.log1p(most));
            context.fillRect(left + (part / parts) * w, i * row_height, Math.ceil(w / parts), Math.max(1, row_height - (row_height > 4 ? 1 : 0)));
          }));
          context.fillStyle = faint();
          context.textAlign = "right";
          context.textBaseline = "middle";
          const step = Math.max(1, Math.ceil(15 / row_height));
          for (let i = 0; i < ranks.length; i += step) context.fillText(`rank ${ranks[i]}`, left - 7, (i + 0.5) * row_height);
          context.textAlign = "center";
          context.textBaseline = "top";
          context.strokeStyle = line();
          for (const tick of scale_of([0, end / 1e9], false, 8, true).ticks) {
            const x = left + (tick / (end / 1e9)) * w;
            context.strokeRect(Math.round(x) + 0.5, row_height * ranks.length, 0, 4);
            context.fillText(tick_text(tick), x, row_height * ranks.length + 6);
          }
          context.fillStyle = ink();
          context.fillText(time_label, left + w / 2, row_height * ranks.length + 22, w);
        }}
        tip={tip}
        on_move={(x, y, width) => {
          const part = Math.floor(((x - left) / (width - left - 18)) * parts);
          const i = Math.floor(y / row_height);
          set_tip(part < 0 || part >= parts || i < 0 || i >= ranks.length ? undefined
            : { x, y, text: `rank ${ranks[i]}, ${number(part * seconds_of_part)} s\n${bytes(values[i][part])}, ${rate(values[i][part])}` });
        }}
        on_leave={() => set_tip(undefined)} />
      {most > 0 && <Scale least={rate(1)} most={`${rate(most)} (logarithmic)`} color={(share) => heat_color(0.15 + 0.85 * share)} />}
      <p class="foot">Bytes of ordinary files, noted when a call has ended; {ranks.length === 1 ? "one rank" : `${ranks.length} ranks`}, {parts} parts of {time(end / parts)}.</p>
    </div>
  );
}

export const files_view: View = {
  id: "files", title: "Files",
  help: "Which call paths read and write which files, when each rank does, and in what sizes.",
  exists: (_, profile) => profile.tables("files").length > 0,
  show: ({ profile }: ViewProps) => (
    <>
      <SumsFlame key={profile.label} profile={profile} name="files" label="Files" list="file_calls" path="node" figures={figures} texts={{ time_ns: time, calls: count }}
        help="what the calls of a path with files, pipes and sockets took or moved." />
      <HeatMap profile={profile} />
      <DataTables tables={profile.tables("files")} />
    </>
  ),
};
