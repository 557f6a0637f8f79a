// How long the calls of a function took: a histogram over all of its paths, threads and ranks.
import { useMemo } from "preact/hooks";
import { count, percent, time } from "./format.ts";
import type { Profile } from "./model.ts";

export interface Latencies {
  from: number[]; // ns: the beginning of each bin, ascending
  to: number[]; // ns: its end
  calls: number[]; // in it
  short: number; // calls that are shorter than all bins
  longest: number; // ns
  longest_end: number; // ns since the start of its rank
  longest_rank: number;
}

// Bins without calls are between those with some. undefined: not known for this function.
export function latencies_of(profile: Profile, func: number): Latencies | undefined {
  const rows = profile.list("latencies");
  const node = rows.numbers("node");
  const result: Latencies = { from: [], to: [], calls: [], short: 0, longest: 0, longest_end: 0, longest_rank: 0 };
  let all = 0;
  for (let i = 0; i < rows.rows; i++) {
    if (profile.func[node[i]] !== func) continue;
    all += rows.numbers("calls")[i];
    const ns = rows.numbers("longest.time_ns")[i];
    if (ns <= result.longest) continue;
    result.longest = ns;
    result.longest_end = rows.numbers("longest.end_ns")[i];
    result.longest_rank = rows.numbers("longest.rank")[i];
  }
  if (all === 0) return undefined;
  const bins = profile.list("latency_bins");
  const path = bins.numbers("path");
  const from = bins.numbers("from_ns");
  const to = bins.numbers("to_ns");
  const calls = bins.numbers("calls");
  const sums = new Map<number, { to: number; calls: number }>();
  for (let i = 0; i < bins.rows; i++) {
    if (profile.func[path[i]] !== func) continue;
    const sum = sums.get(from[i]) ?? { to: to[i], calls: 0 };
    sum.calls += calls[i];
    sums.set(from[i], sum);
  }
  const starts = [...sums.keys()].sort((a, b) => a - b);
  for (const start of starts) {
    const { to: end, calls: here } = sums.get(start)!;
    // Four bins of the same width from each power of two to the next.
    for (let gap = result.to.at(-1); gap !== undefined && gap < start; gap = result.to.at(-1)) {
      result.from.push(gap);
      result.to.push(gap + 2 ** Math.floor(Math.log2(gap)) / 4);
      result.calls.push(0);
    }
    result.from.push(start);
    result.to.push(end);
    result.calls.push(here);
  }
  result.short = Math.max(0, all - result.calls.reduce((sum, here) => sum + here, 0));
  return result;
}

const height = 120;
const bar = 16;

export function LatencyHistogram({ profile, func }: { profile: Profile; func: number }) {
  const found = useMemo(() => latencies_of(profile, func), [profile, func]);
  if (!found) return null;
  const all = found.short + found.calls.reduce((sum, here) => sum + here, 0);
  const most = Math.max(found.short, ...found.calls, 1);
  // The square root: a few long calls, which matter, would not be visible otherwise.
  const height_of = (calls: number): number => (calls > 0 ? Math.max(2, Math.sqrt(calls / most) * height) : 0);
  const bars = [
    ...(found.short > 0 ? [{ calls: found.short, title: `less than ${time(found.from[0] ?? 1024)}`, label: "short" }] : []),
    ...found.calls.map((calls, i) => ({
      calls, title: `${time(found.from[i])} to ${time(found.to[i])}`, label: i % 4 === 0 || found.calls.length < 6 ? time(found.from[i]) : "",
    })),
  ];
  const width = bars.length * bar + 60;
  return (
    <div data-part="latencies">
      <h3>How long its calls took</h3>
      <div class="wide">
        <svg class="histogram" width={width} height={height + 22} role="img" aria-label={`Number of calls by their duration: ${count(all)} calls, the longest ${time(found.longest)}`}>
          {bars.map((one, i) => (
            <g key={i}>
              <rect x={i * bar + 1} y={height - height_of(one.calls)} width={bar - 2} height={height_of(one.calls)}>
                <title>{`${one.title}: ${count(one.calls)} calls, ${percent(one.calls, all)} %`}</title>
              </rect>
              {one.label && <text x={i * bar + 1} y={height + 14}>{one.label}</text>}
            </g>
          ))}
        </svg>
      </div>
      <p class="foot">
        {count(all)} calls; the height is the square root of their number. The longest took {time(found.longest)} and ended {time(found.longest_end)} after the start
        {profile.run.summed_ranks > 1 ? ` on rank ${found.longest_rank}` : ""}.
      </p>
    </div>
  );
}
