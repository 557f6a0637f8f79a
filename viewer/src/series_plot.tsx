// The plot of a metric that was read repeatedly, for each rank.
import { useMemo } from "preact/hooks";
import { Plot, type PlotLine } from "./plot.tsx";
import type { Profile } from "./model.ts";

const most_lines = 8;

interface Metric { name: string; title: string; unit: string }

// The title of "task.ended:parse" is "Ended: parse", because it is one subject of "task.ended".
export function title_of(profile: Profile, metric: number): string {
  const metrics: Metric[] = profile.block.head.metrics;
  const { name, title } = metrics[metric];
  const whole = name.includes(":") ? metrics.find((other) => other.name === name.slice(0, name.indexOf(":"))) : undefined;
  return whole ? `${whole.title}: ${title}` : title;
}

// The metrics that were read repeatedly, by number.
export const metrics_over_time = (profile: Profile): number[] => [...new Set(profile.list("series").numbers("metric"))];

// One metric of each rank. If there are many ranks, those with the largest values are drawn.
export function SeriesPlot({ profile, metric, name }: { profile: Profile; metric: number; name: string }) {
  const { unit } = (profile.block.head.metrics as Metric[])[metric];
  const title = title_of(profile, metric);
  const { x, lines, ranks } = useMemo(() => {
    const series = profile.list("series");
    const of_metric = series.numbers("metric");
    const rank = series.numbers("rank");
    const points = series.numbers("points");
    const ns = profile.list("series_points").numbers("ns");
    const value = profile.list("series_points").numbers("value");
    const scale = unit === "B" ? 1 / 2 ** 20 : unit === "ns" ? 1e-9 : 1;
    const all: { rank: number; begin: number; end: number; most: number }[] = [];
    let at = 0;
    for (let i = 0; i < series.rows; i++) {
      if (of_metric[i] === metric)
        all.push({ rank: rank[i], begin: at, end: at + points[i], most: value.subarray(at, at + points[i]).reduce((a, b) => Math.max(a, b), -Infinity) });
      at += points[i];
    }
    const some = [...all].sort((a, b) => b.most - a.most).slice(0, most_lines).sort((a, b) => a.rank - b.rank);
    const times = [...new Set(some.flatMap((one) => [...ns.subarray(one.begin, one.end)]))].sort((a, b) => a - b);
    const place = new Map(times.map((time, i) => [time, i]));
    const result: PlotLine[] = some.map((one, i) => {
      const values: (number | null)[] = new Array(times.length).fill(null);
      for (let k = one.begin; k < one.end; k++) values[place.get(ns[k])!] = value[k] * scale;
      return { name: `rank ${one.rank}`, values, color: i };
    });
    return { x: times.map((time) => time / 1e9), lines: result, ranks: all.length };
  }, [profile, metric]);
  const shown_unit = unit === "B" ? "MiB" : unit === "ns" ? "s" : unit;
  return (
    <>
      <Plot name={name} label={`${title} over time`} x_label="time since the rank started recording [s]" y_label={`${title}${shown_unit ? ` [${shown_unit}]` : ""}`} x={x} lines={lines} />
      {ranks > lines.length && <p class="foot">{lines.length} of {ranks} ranks are drawn: those with the largest values.</p>}
    </>
  );
}
