// Wait states as the views show them: sums over ranks, paths and kinds of waiting.
import type { Profile } from "./model.ts";

// What ranks wait for; the keys are the words in the profile (doc/waits.md).
export const patterns: Record<string, string> = {
  "late-sender": "A receive started before the message was sent",
  "wrong-order": "A receive waited for a message while an earlier one from the same sender was available",
  "late-receiver": "A send could not end because the receive was not posted yet",
  barrier: "At a barrier, until the last rank arrived",
  "all-to-all": "At an all-to-all collective, until the last rank arrived",
  "late-broadcast": "At a broadcast or scatter, until the root arrived",
  "early-reduce": "The root of a reduction or gather, until the last rank arrived",
  "early-scan": "At a scan, until the last rank with a lower number arrived",
};

export interface Wait {
  pattern: string; // "": of several
  path: number; // -1: of several; for causes: where the late rank was
  waiting: number; // for causes, the path that waits; otherwise -1
  rank: number; // -1: of several
  waits: number;
  ns: number;
  longest_ns: number;
  most_ns: number; // of one rank
  most_rank: number;
  ranks: number; // number of ranks
}

export interface Waits {
  states: Wait[];
  causes: Wait[];
}

export function waits_of(profile: Profile): Waits {
  const read = (name: string): Wait[] => {
    const list = profile.list(`waits.${name}`);
    const pattern = list.texts("pattern");
    const path = list.numbers("node");
    const rank = list.numbers("rank");
    const waiting = list.has("waiting_node") ? list.numbers("waiting_node") : undefined;
    const waits = list.numbers("waits");
    const ns = list.numbers("time_ns");
    const longest = list.numbers("longest_ns");
    return pattern.map((one, i) => ({
      pattern: one, path: path[i], waiting: waiting?.[i] ?? -1, rank: rank[i], waits: waits[i], ns: ns[i], longest_ns: longest[i],
      most_ns: ns[i], most_rank: rank[i], ranks: 1,
    }));
  };
  return { states: read("states"), causes: read("causes") };
}

// Adds up rows with the same key; members that differ are set to "of several".
export function group_waits(rows: Wait[], key: (wait: Wait) => string): Wait[] {
  const groups = new Map<string, { sum: Wait; by_rank: Map<number, number> }>();
  for (const row of rows) {
    const name = key(row);
    let group = groups.get(name);
    if (!group) groups.set(name, (group = { sum: { ...row, waits: 0, ns: 0, longest_ns: 0 }, by_rank: new Map() }));
    const { sum, by_rank } = group;
    sum.waits += row.waits;
    sum.ns += row.ns;
    sum.longest_ns = Math.max(sum.longest_ns, row.longest_ns);
    if (sum.pattern !== row.pattern) sum.pattern = "";
    if (sum.path !== row.path) sum.path = -1;
    if (sum.waiting !== row.waiting) sum.waiting = -1;
    if (sum.rank !== row.rank) sum.rank = -1;
    by_rank.set(row.rank, (by_rank.get(row.rank) ?? 0) + row.ns);
  }
  return [...groups.values()].map(({ sum, by_rank }) => {
    sum.ranks = by_rank.size;
    sum.most_ns = -1;
    for (const [rank, ns] of by_rank)
      if (ns > sum.most_ns) {
        sum.most_ns = ns;
        sum.most_rank = rank;
      }
    return sum;
  });
}

export interface Critical {
  path: number;
  rank: number; // -1: of several
  ranks: number;
  ns: number;
  imbalance_ns: number;
  most_rank: number; // the rank with most of it
}

export function critical_path(profile: Profile, by_rank: boolean): Critical[] {
  const list = profile.list("waits.critical_path");
  const path = list.numbers("node");
  const rank = list.numbers("rank");
  const ns = list.numbers("time_ns");
  const imbalance = list.numbers("imbalance_ns");
  const rows = new Map<string, Critical & { most: number }>();
  for (let i = 0; i < list.rows; i++) {
    const key = by_rank ? `${path[i]} ${rank[i]}` : String(path[i]);
    let row = rows.get(key);
    if (!row) rows.set(key, (row = { path: path[i], rank: rank[i], ranks: 0, ns: 0, imbalance_ns: 0, most_rank: -1, most: -1 }));
    row.ns += ns[i];
    row.imbalance_ns += imbalance[i];
    row.ranks++; // a path and rank have one row
    if (row.rank !== rank[i]) row.rank = -1;
    if (ns[i] > row.most) {
      row.most = ns[i];
      row.most_rank = rank[i];
    }
  }
  return [...rows.values()];
}

export interface RankWaits {
  waited_ns: number;
  caused_ns: number;
  critical_ns: number;
  imbalance_ns: number;
}

export function waits_by_rank(profile: Profile, waits: Waits): RankWaits[] {
  const rows = Array.from({ length: profile.run.ranks }, (): RankWaits => ({ waited_ns: 0, caused_ns: 0, critical_ns: 0, imbalance_ns: 0 }));
  for (const one of waits.states) if (rows[one.rank]) rows[one.rank].waited_ns += one.ns;
  for (const one of waits.causes) if (rows[one.rank]) rows[one.rank].caused_ns += one.ns;
  for (const one of critical_path(profile, true)) {
    const row = rows[one.rank];
    if (!row) continue;
    row.critical_ns += one.ns;
    row.imbalance_ns += one.imbalance_ns;
  }
  return rows;
}
