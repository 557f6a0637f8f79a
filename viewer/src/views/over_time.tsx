// Values over time: power, memory and what else sources read again and again.
import { useMemo } from "preact/hooks";
import { set_address, use_address } from "../address.ts";
import { Plot, type PlotLine } from "../plot.tsx";
import { Choice } from "../selection.tsx";
import type { View, ViewProps } from "../views.ts";

const most_lines = 8;

function OverTime({ profile }: ViewProps) {
  const address = use_address();
  const series = profile.list("series");
  const metric = series.numbers("metric");
  const rank = series.numbers("rank");
  const metrics: { name: string; title: string; unit: string }[] = profile.block.head.metrics;
  // "task.ended:parse" is one subject of "task.ended", and has the subject as its title.
  const title_of = (index: number): string => {
    const { name, title } = metrics[index];
    const whole = name.includes(":") ? metrics.find((metric) => metric.name === name.slice(0, name.indexOf(":"))) : undefined;
    return whole ? `${whole.title}: ${title}` : title;
  };
  const shown = [...new Set(metric)];
  const chosen = shown.includes(Number(address.series)) ? Number(address.series) : shown[0];
  const { x, lines, left_out } = useMemo(() => {
    const points = series.numbers("points");
    const ns = profile.list("series_points").numbers("ns");
    const value = profile.list("series_points").numbers("value");
    const scale = metrics[chosen].unit === "B" ? 1 / 2 ** 20 : metrics[chosen].unit === "ns" ? 1e-9 : 1;
    const wanted: { rank: number; begin: number; end: number }[] = [];
    let at = 0;
    for (let i = 0; i < series.rows; i++) {
      if (metric[i] === chosen) wanted.push({ rank: rank[i], begin: at, end: at + points[i] });
      at += points[i];
    }
    const some = wanted.slice(0, most_lines);
    const times = [...new Set(some.flatMap((one) => [...ns.subarray(one.begin, one.end)]))].sort((a, b) => a - b);
    const place = new Map(times.map((time, i) => [time, i]));
    const result: PlotLine[] = some.map((one, i) => {
      const values: (number | null)[] = new Array(times.length).fill(null);
      for (let k = one.begin; k < one.end; k++) values[place.get(ns[k])!] = value[k] * scale;
      return { name: `rank ${one.rank}`, values, color: i };
    });
    return { x: times.map((time) => time / 1e9), lines: result, left_out: wanted.length - some.length };
  }, [profile, chosen]);
  const unit = metrics[chosen].unit === "B" ? "MiB" : metrics[chosen].unit === "ns" ? "s" : metrics[chosen].unit;
  return (
    <>
      <div class="tools">
        {shown.length > 8 ? (
          <label>Show <select data-choice="series" aria-label="Show" value={String(chosen)} onChange={(event) => set_address({ series: event.currentTarget.value })}>
            {shown.map((one) => <option key={one} value={String(one)}>{title_of(one)}</option>)}
          </select></label>
        ) : <Choice name="series" label="Show" values={shown.map((one) => [String(one), title_of(one)])} value={String(chosen)} />}
      </div>
      <Plot name="series" label={`${title_of(chosen)} over time`} x_label="time since the rank started recording [s]" y_label={`${title_of(chosen)}${unit ? ` [${unit}]` : ""}`} x={x} lines={lines} />
      {left_out > 0 && <p class="foot">{left_out} more ranks are not drawn.</p>}
    </>
  );
}

export const over_time_view: View = {
  id: "time", title: "Over time", help: "Figures that were read repeatedly while the program ran.",
  exists: (_, profile) => profile.list("series_points").rows > 0, show: OverTime,
};
