// A profile in the browser: call paths in the order of the page, each before those below it, with
// the times that follow from this order.
import { type Block, List, no_list } from "./blocks.ts";

export const path_thinned = 8;
export const path_combined = 32;
const path_paused = 4;

export interface TableColumn {
  id: string;
  title: string;
  unit?: string;
  type: "text" | "integer" | "number";
}
export interface TableData {
  id: string;
  title: string;
  columns: TableColumn[];
  rows: any[][];
}

// The figures of functions over all their paths.
export interface FunctionTimes {
  calls: Float64Array;
  exclusive: Float64Array; // ns
  inclusive: Float64Array; // ns, of its outermost activations
  paths: Uint32Array; // number of paths
}

export class Profile {
  readonly label: string;
  readonly run: any;
  readonly count: number; // paths
  readonly names: string[]; // of functions
  readonly keys: string[]; // of functions: the same in all runs
  readonly kinds: string[];
  readonly functions: List;
  readonly func: Uint32Array; // the function of each path
  readonly depth: Uint16Array | Uint32Array;
  readonly parent: Int32Array;
  readonly end: Uint32Array; // the first path that is not below it
  readonly calls: Float64Array;
  readonly exclusive: Float64Array; // ns; 0 for pauses
  readonly total: Float64Array; // ns: exclusive times of the path and all below it
  readonly inclusive: Float64Array; // ns, as in the profile
  readonly start: Float64Array; // ns: where its box begins in a flame graph
  readonly flags: Float64Array;
  readonly max_depth: number;

  constructor(readonly block: Block) {
    const { head } = block;
    this.label = head.label;
    this.run = head.run;
    this.functions = this.list("functions");
    this.names = this.functions.texts("name");
    this.kinds = this.functions.texts("kind");
    const keys = this.functions.texts("key");
    this.keys = this.names.map((name, i) => `${this.kinds[i]} ${keys[i] || name}`);
    const paths = this.list("paths");
    const count = (this.count = paths.rows);
    const depths = paths.numbers("depth");
    this.func = Uint32Array.from(paths.numbers("function"));
    this.calls = paths.numbers("calls");
    this.flags = paths.numbers("flags");
    this.depth = Uint32Array.from(depths);
    const own = paths.numbers("exclusive_ns");
    this.inclusive = paths.numbers("inclusive_rest_ns").slice();
    this.exclusive = new Float64Array(count);
    this.parent = new Int32Array(count).fill(-1);
    this.end = new Uint32Array(count).fill(count);
    this.start = new Float64Array(count);
    const open: number[] = [];
    let deepest = 0;
    for (let i = 0; i < count; i++) {
      const depth = depths[i];
      if (depth > deepest) deepest = depth;
      while (open.length > depth) this.end[open.pop()!] = i;
      if (depth > 0) this.parent[i] = open[depth - 1];
      open.push(i);
      this.inclusive[i] += own[i];
      this.exclusive[i] = this.flags[i] & path_paused ? 0 : Math.max(0, own[i]);
    }
    this.max_depth = deepest;
    this.total = this.exclusive.slice();
    for (let i = count - 1; i > 0; i--) {
      this.total[this.parent[i]] += this.total[i];
      this.inclusive[this.parent[i]] += this.inclusive[i];
    }
    const next = new Float64Array(count);
    for (let i = 1; i < count; i++) {
      const parent = this.parent[i];
      this.start[i] = this.start[parent] + next[parent];
      next[parent] += this.total[i];
    }
  }

  list(name: string): List {
    return this.block.lists.get(name) ?? no_list;
  }
  name(path: number): string {
    return this.names[this.func[path]];
  }
  kind(path: number): string {
    return this.kinds[this.func[path]];
  }
  is_paused(path: number): boolean {
    return (this.flags[path] & path_paused) !== 0;
  }
  // The paths from the root to this one.
  line(path: number): number[] {
    const line: number[] = [];
    for (let i = path; i >= 0; i = this.parent[i]) line.push(i);
    return line.reverse();
  }
  // The tables of one of the views of `vftrace report`.
  tables(view: string): TableData[] {
    const tables = this.block.head.views?.[view]?.tables ?? [];
    return tables.filter((table: TableData) => table.rows.length > 0);
  }
  get date(): string {
    const ns = this.run.start_unix_ns;
    return ns ? new Date(ns / 1e6).toISOString().slice(0, 16).replace("T", " ") : "unknown date";
  }
  get all_ns(): number {
    return this.count > 0 ? this.total[0] : 0;
  }

  #times?: FunctionTimes;
  // If a function calls itself, the inclusive time is that of the outermost activations.
  get times(): FunctionTimes {
    if (this.#times) return this.#times;
    const functions = this.names.length;
    const times: FunctionTimes = {
      calls: new Float64Array(functions), exclusive: new Float64Array(functions),
      inclusive: new Float64Array(functions), paths: new Uint32Array(functions),
    };
    const active_until = new Uint32Array(functions); // the end of the outermost path that is open
    for (let i = 0; i < this.count; i++) {
      const f = this.func[i];
      times.calls[f] += this.calls[i];
      times.exclusive[f] += this.exclusive[i];
      times.paths[f]++;
      if (i >= active_until[f]) {
        times.inclusive[f] += this.is_paused(i) ? 0 : this.inclusive[i];
        active_until[f] = this.end[i];
      }
    }
    return (this.#times = times);
  }
}
