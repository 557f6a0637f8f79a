// The positions of the boxes of a flame graph. Boxes narrower than half a pixel are left out, with
// all boxes below them, so that the number of boxes is bounded by the size of the window.
import type { Profile } from "./model.ts";

export interface Box {
  id: number;
  row: number;
  x: number; // 0 to 1
  width: number; // the same
}

export interface FlameTree {
  readonly roots: number[];
  func(id: number): number;
  value(id: number): number;
  parent(id: number): number; // -1: a root
  children(id: number): number[];
  boxes(zoom: number, pixels: number): Box[];
}

// The call paths from the root.
export class PathTree implements FlameTree {
  readonly roots = [0];
  constructor(private readonly profile: Profile) {}
  func(id: number): number {
    return this.profile.func[id];
  }
  value(id: number): number {
    return this.profile.total[id];
  }
  parent(id: number): number {
    return this.profile.parent[id];
  }
  children(id: number): number[] {
    const result: number[] = [];
    for (let i = id + 1; i < this.profile.end[id]; i = this.profile.end[i]) result.push(i);
    return result;
  }
  boxes(zoom: number, pixels: number): Box[] {
    const { total, start, end, depth } = this.profile;
    const boxes: Box[] = [];
    for (let i = this.profile.parent[zoom]; i >= 0; i = this.profile.parent[i])
      boxes.unshift({ id: i, row: depth[i], x: 0, width: 1 });
    const whole = total[zoom];
    if (!(whole > 0)) {
      boxes.push({ id: zoom, row: depth[zoom], x: 0, width: 1 });
      return boxes;
    }
    const least = (0.5 / Math.max(1, pixels)) * whole;
    for (let i = zoom; i < end[zoom]; ) {
      if (total[i] < least) {
        i = end[i];
        continue;
      }
      boxes.push({ id: i, row: depth[i], x: (start[i] - start[zoom]) / whole, width: total[i] / whole });
      i++;
    }
    return boxes;
  }
}

// A tree whose nodes are groups of paths, created only where it is viewed: callers of a function,
// callees of all its calls together, two profiles in one.
export class GroupTree implements FlameTree {
  roots: number[] = [];
  readonly #parent: number[] = [];
  readonly #row: number[] = [];
  readonly #func: number[] = [];
  readonly #value: number[] = [];
  readonly #origin: number[][] = [];
  readonly #at: number[][] = [];
  readonly #children: (number[] | undefined)[] = [];

  // weight: of a path. group: the number by which paths are put together. next: the paths that
  // follow a path. carry: whether these have the weight of the first path (callers) or their own
  // (callees).
  constructor(
    private readonly weight: (path: number) => number,
    private readonly group: (path: number) => number,
    private readonly next: (path: number, emit: (path: number) => void) => void,
    private readonly carry: boolean,
  ) {}

  add_roots(paths: Iterable<number>): this {
    const list = [...paths];
    this.roots = this.#make(-1, list, list);
    return this;
  }
  func(id: number): number {
    return this.#func[id];
  }
  value(id: number): number {
    return this.#value[id];
  }
  parent(id: number): number {
    return this.#parent[id];
  }
  // The paths that a node represents.
  paths(id: number): number[] {
    return this.#at[id];
  }
  children(id: number): number[] {
    const known = this.#children[id];
    if (known) return known;
    const origin: number[] = [];
    const at: number[] = [];
    this.#at[id].forEach((path, i) =>
      this.next(path, (following) => {
        origin.push(this.carry ? this.#origin[id][i] : following);
        at.push(following);
      }),
    );
    return (this.#children[id] = this.#make(id, origin, at));
  }
  boxes(zoom: number, pixels: number): Box[] {
    const boxes: Box[] = [];
    const zoomed = zoom >= 0;
    if (zoomed)
      for (let i = this.#parent[zoom]; i >= 0; i = this.#parent[i]) boxes.unshift({ id: i, row: this.#row[i], x: 0, width: 1 });
    const tops = zoomed ? [zoom] : this.roots;
    const whole = tops.reduce((sum, id) => sum + this.#value[id], 0);
    if (!(whole > 0)) return boxes;
    const least = (0.5 / Math.max(1, pixels)) * whole;
    const visit = (ids: number[], from: number): void => {
      let x = from;
      for (const id of ids) {
        if (this.#value[id] < least) break; // the largest come first
        boxes.push({ id, row: this.#row[id], x: x / whole, width: this.#value[id] / whole });
        if (this.#row[id] < 400) visit(this.children(id), x);
        x += this.#value[id];
      }
    };
    visit(tops, 0);
    return boxes;
  }

  #make(parent: number, origin: number[], at: number[]): number[] {
    const groups = new Map<number, number>();
    const made: number[] = [];
    for (let i = 0; i < at.length; i++) {
      const group = this.group(at[i]);
      let id = groups.get(group);
      if (id === undefined) {
        id = this.#func.length;
        groups.set(group, id);
        made.push(id);
        this.#parent.push(parent);
        this.#row.push(parent < 0 ? 0 : this.#row[parent] + 1);
        this.#func.push(group);
        this.#value.push(0);
        this.#origin.push([]);
        this.#at.push([]);
        this.#children.push(undefined);
      }
      this.#value[id] += this.weight(origin[i]);
      this.#origin[id].push(origin[i]);
      this.#at[id].push(at[i]);
    }
    return made.sort((a, b) => this.#value[b] - this.#value[a]);
  }
}

// Functions by the time in themselves, and below each function its callers.
export function inverted_tree(profile: Profile): GroupTree {
  const paths: number[] = [];
  for (let i = 0; i < profile.count; i++) if (profile.exclusive[i] > 0) paths.push(i);
  return caller_tree(profile, (path) => profile.exclusive[path]).add_roots(paths);
}

function caller_tree(profile: Profile, weight: (path: number) => number): GroupTree {
  return new GroupTree(weight, (path) => profile.func[path], (path, emit) => {
    if (profile.parent[path] >= 0) emit(profile.parent[path]);
  }, true);
}

// The calls of a function that are not inside another call of it.
export function outermost(profile: Profile, func: number): number[] {
  const paths: number[] = [];
  for (let i = 0; i < profile.count; )
    if (profile.func[i] === func) {
      paths.push(i);
      i = profile.end[i];
    } else i++;
  return paths;
}

export function callers_of(profile: Profile, func: number): GroupTree {
  return caller_tree(profile, (path) => profile.total[path]).add_roots(outermost(profile, func));
}

export function callees_of(profile: Profile, func: number): GroupTree {
  return new GroupTree((path) => profile.total[path], (path) => profile.func[path], (path, emit) => {
    for (let i = path + 1; i < profile.end[path]; i = profile.end[i]) emit(i);
  }, false).add_roots(outermost(profile, func));
}

// The tree of call paths with a value of their own, added by `fill`; a box is as wide as the sum of
// a path and all that it calls. `all`: the sum of all.
export function sums_tree(profile: Profile, fill: (add: (path: number, value: number) => void) => void): { tree: GroupTree; all: number } {
  const sums = new Float64Array(profile.count);
  fill((path, value) => { sums[path] += value; });
  for (let path = profile.count - 1; path > 0; path--) sums[profile.parent[path]] += sums[path];
  const children = (path: number, emit: (child: number) => void): void => {
    for (let i = path + 1; i < profile.end[path]; i = profile.end[i]) if (sums[i] > 0) emit(i);
  };
  const tree = new GroupTree((path) => sums[path], (path) => profile.func[path], children, false).add_roots([0]);
  return { tree, all: sums[0] ?? 0 };
}
