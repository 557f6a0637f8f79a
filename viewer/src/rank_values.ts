// The values of each rank in the paths that matter: calls and time in the path itself.
import type { Profile } from "./model.ts";

export interface RankValues {
  ranks: number;
  paths: number[]; // numbers of call paths, in the order of the profile
  exclusive: Float64Array; // ns; of path i on rank r at i * ranks + r
  calls: Float64Array;
}

const kept = new WeakMap<Profile, RankValues | null>();

export function rank_values(profile: Profile): RankValues | undefined {
  if (!kept.has(profile)) kept.set(profile, read(profile));
  return kept.get(profile) ?? undefined;
}

function read(profile: Profile): RankValues | null {
  const list = profile.list("rank_values");
  const ranks = profile.run.ranks;
  const has = list.numbers("ranks");
  const rows = [...has.keys()].filter((i) => has[i] === ranks);
  if (rows.length === 0) return null;
  const node = list.numbers("node");
  // Paths with values have them for all ranks, one path after the other.
  const values = profile.list("values_of_ranks");
  return { ranks, paths: rows.map((i) => node[i]), exclusive: values.numbers("exclusive_ns"), calls: values.numbers("calls") };
}

export interface RanksByTime {
  path: number;
  bins: Float64Array; // number of ranks with 2^(i - 1) to 2^i - 1 ns in the path itself; the first: 0 ns
}

// How many ranks spent how much time in a path, whatever the number of ranks.
export function ranks_by_time(profile: Profile): RanksByTime[] {
  const list = profile.list("rank_values");
  const bins = list.numbers("bins");
  const node = list.numbers("node");
  const ranks = profile.list("ranks_by_time").numbers("ranks");
  let at = 0;
  return Array.from(node, (path, i) => {
    const begin = at;
    at += bins[i];
    return { path, bins: ranks.subarray(begin, at) };
  });
}

export interface FunctionSpread {
  mean: Float64Array; // ns, by function
  max: Float64Array;
  max_rank: Int32Array;
}

// How the time of functions is spread over ranks.
export function ranks_of_functions(profile: Profile): FunctionSpread | undefined {
  const functions = profile.names.length;
  const ranks = profile.run.summed_ranks;
  const spread = profile.list("spread");
  const values = rank_values(profile);
  if (ranks < 2 || (spread.rows === 0 && !values)) return undefined;
  const result: FunctionSpread = {
    mean: profile.times.exclusive.map((ns) => ns / ranks), max: new Float64Array(functions), max_rank: new Int32Array(functions).fill(-1),
  };
  const path = spread.numbers("path");
  const max = spread.numbers("max_ns");
  const rank = spread.numbers("max_rank");
  for (let i = 0; i < spread.rows; i++) {
    const func = profile.func[path[i]];
    // For the other paths of the function, the mean is used.
    const most = max[i] + (profile.times.exclusive[func] - profile.exclusive[path[i]]) / ranks;
    if (most > result.max[func]) {
      result.max[func] = most;
      result.max_rank[func] = rank[i];
    }
  }
  if (!values) return result;
  const sums = new Map<number, Float64Array>();
  const rest = profile.times.exclusive.slice(); // for paths without values, the mean is used
  values.paths.forEach((one, place) => {
    const func = profile.func[one];
    let sum = sums.get(func);
    if (!sum) sums.set(func, (sum = new Float64Array(values.ranks)));
    rest[func] -= profile.exclusive[one];
    for (let r = 0; r < values.ranks; r++) sum[r] += values.exclusive[place * values.ranks + r];
  });
  for (const [func, sum] of sums)
    sum.forEach((valued, r) => {
      const ns = valued + Math.max(0, rest[func]) / ranks;
      if (ns > result.max[func]) {
        result.max[func] = ns;
        result.max_rank[func] = r;
      }
    });
  return result;
}
