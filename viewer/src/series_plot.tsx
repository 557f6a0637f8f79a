// The plot of a metric that was read repeatedly, for each rank.
import { useMemo } from "preact/hooks";
import { Plot, type PlotLine } from "./plot.tsx";
import type { Profile } from "./model.ts";

const most_lines = 8;
export const time_label = "time since the rank started recording [s]";

interface Metric { name: string; title: string; unit: string }

// The title of "task.ended:parse" is "Ended: parse", because it is one subject of "task.ended".
export function title_of(profile: Profile, metric: number): string {
  const metrics: Metric[] = profile.block.head.metrics;
  const { name, title } = metrics[metric];
  const whole = name.includes(":") ? metrics.find((other) => other.name === name.slice(0, name.indexOf(":"))) : undefined;
  return whole ? `${whole.title}: ${title}` : title;
}

// The metrics of processes that were read repeatedly, by number.
export function metrics_over_time(profile: Profile): number[] {
  const series = profile.list("series");
  const path = series.numbers("node");
  return [...new Set(series.numbers("metric").filter((_, row) => !(path[row] >= 0)))];
}

// One series: its row in the list, and its points in that of all points.
export interface SeriesRow { row: number; rank: number; path: number; begin: number; end: number; most: number }

// The series of a metric. `path`: -1 in those of a process.
export function rows_of(profile: Profile, metric: string): SeriesRow[] {
  const series = profile.list("series");
  const metrics: Metric[] = profile.block.head.metrics;
  const value = profile.list("series_points").numbers("value");
  const of_metric = series.numbers("metric");
  const rank = series.numbers("rank");
  const path = series.numbers("node");
  const points = series.numbers("points");
  const rows: SeriesRow[] = [];
  let begin = 0;
  for (let row = 0; row < series.rows; row++) {
    const end = begin + points[row];
    if (metrics[of_metric[row]].name === metric)
      rows.push({ row, rank: rank[row], path: path[row] >= 0 ? path[row] : -1, begin, end, most: value.subarray(begin, end).reduce((a, b) => Math.max(a, b), -Infinity) });
    begin = end;
  }
  return rows;
}

// The times of the points of several series, in seconds, and a line of each.
export function lines_of(profile: Profile, rows: SeriesRow[], unit: string, name_of: (row: SeriesRow) => string): { x: number[]; lines: PlotLine[] } {
  const ns = profile.list("series_points").numbers("ns");
  const value = profile.list("series_points").numbers("value");
  const scale = unit === "B" ? 1 / 2 ** 20 : unit === "ns" ? 1e-9 : 1;
  const times = [...new Set(rows.flatMap((one) => [...ns.subarray(one.begin, one.end)]))].sort((a, b) => a - b);
  const place = new Map(times.map((time, i) => [time, i]));
  const lines = rows.map((one, i) => {
    const values: (number | null)[] = new Array(times.length).fill(null);
    for (let k = one.begin; k < one.end; k++) values[place.get(ns[k])!] = value[k] * scale;
    return { name: name_of(one), values, color: i };
  });
  return { x: times.map((time) => time / 1e9), lines };
}

// One metric of each rank. If there are many ranks, those with the largest values are drawn.
export function SeriesPlot({ profile, metric, name }: { profile: Profile; metric: number; name: string }) {
  const { unit, name: id } = (profile.block.head.metrics as Metric[])[metric];
  const title = title_of(profile, metric);
  const { x, lines, ranks } = useMemo(() => {
    const all = rows_of(profile, id).filter((one) => one.path < 0);
    const some = [...all].sort((a, b) => b.most - a.most).slice(0, most_lines).sort((a, b) => a.rank - b.rank);
    return { ...lines_of(profile, some, unit, (one) => `rank ${one.rank}`), ranks: all.length };
  }, [profile, metric]);
  const shown_unit = unit === "B" ? "MiB" : unit === "ns" ? "s" : unit;
  return (
    <>
      <Plot name={name} label={`${title} over time`} x_label={time_label} y_label={`${title}${shown_unit ? ` [${shown_unit}]` : ""}`} x={x} lines={lines} />
      {ranks > lines.length && <p class="foot">{lines.length} of {ranks} ranks are drawn: those with the largest values.</p>}
    </>
  );
}
