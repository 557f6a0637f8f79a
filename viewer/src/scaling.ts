// How runs scale: speed-up and efficiency compared with the smallest run, and how functions grow.
import type { Profile } from "./model.ts";

export interface ScalingRun {
  profile: Profile;
  size: number; // ranks times threads
  ns: number; // run time without the overhead
  speed_up: number;
  ideal: number;
  efficiency: number; // percent
}

export function scaling_runs(profiles: Profile[]): ScalingRun[] {
  const runs = profiles.map((profile) => ({
    profile, size: Math.max(1, profile.run.ranks) * Math.max(1, profile.run.threads), ns: profile.run.application_ns,
    speed_up: 0, ideal: 0, efficiency: 0,
  }));
  runs.sort((a, b) => a.size - b.size || a.profile.run.start_unix_ns - b.profile.run.start_unix_ns);
  const first = runs[0];
  for (const run of runs) {
    run.speed_up = run.ns > 0 ? first.ns / run.ns : 0;
    run.ideal = run.size / first.size;
    run.efficiency = (100 * run.speed_up) / run.ideal;
  }
  return runs;
}

export interface Growth {
  key: string;
  name: string;
  // By run: time in the function itself, divided by the size of the run, which is its part of the
  // run time if it is spread evenly.
  ns: number[];
  // Exponent p of ns ~ size^p by least squares of the logarithms: -1 scales ideally with a fixed
  // problem, 0 does not become faster, above 0 it grows. undefined: fewer than two sizes.
  exponent: number | undefined;
}

export function growth_of_functions(runs: ScalingRun[]): Growth[] {
  const rows = new Map<string, Growth>();
  runs.forEach((run, i) => {
    const { times } = run.profile;
    run.profile.keys.forEach((key, f) => {
      if (times.paths[f] === 0) return;
      let row = rows.get(key);
      if (!row) rows.set(key, (row = { key, name: run.profile.names[f], ns: new Array(runs.length).fill(0), exponent: undefined }));
      row.ns[i] += times.exclusive[f] / run.size;
    });
  });
  for (const row of rows.values()) row.exponent = exponent_of(runs.map((run) => run.size), row.ns);
  return [...rows.values()];
}

export function exponent_of(sizes: number[], values: number[]): number | undefined {
  const points = sizes.map((size, i) => [Math.log(size), Math.log(values[i])]).filter(([, y]) => Number.isFinite(y));
  const n = points.length;
  const mean_x = points.reduce((sum, [x]) => sum + x, 0) / n;
  const mean_y = points.reduce((sum, [, y]) => sum + y, 0) / n;
  const variance = points.reduce((sum, [x]) => sum + (x - mean_x) ** 2, 0);
  if (n < 2 || variance < 1e-12) return undefined;
  return points.reduce((sum, [x, y]) => sum + (x - mean_x) * (y - mean_y), 0) / variance;
}
