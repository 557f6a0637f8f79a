// Two profiles combined: functions with the same name and kind, and a tree of both.
import { GroupTree } from "./flame_layout.ts";
import type { Profile } from "./model.ts";

export interface Union {
  names: string[]; // of all functions
  kinds: string[];
  of_a: Int32Array; // the function in A, by number in the union; -1: A does not have it
  of_b: Int32Array;
  number_a: Int32Array; // the other way round
  number_b: Int32Array;
}

export function union_of(a: Profile, b: Profile): Union {
  const numbers = new Map<string, number>();
  const names: string[] = [];
  const kinds: string[] = [];
  const number = (profile: Profile): Int32Array =>
    Int32Array.from(profile.keys, (key, i) => {
      let found = numbers.get(key);
      if (found === undefined) {
        numbers.set(key, (found = names.length));
        names.push(profile.names[i]);
        kinds.push(profile.kinds[i]);
      }
      return found;
    });
  const number_a = number(a);
  const number_b = number(b);
  const back = (numbers_of: Int32Array): Int32Array => {
    const result = new Int32Array(names.length).fill(-1);
    numbers_of.forEach((one, i) => (result[one] = i));
    return result;
  };
  return { names, kinds, of_a: back(number_a), of_b: back(number_b), number_a, number_b };
}

export interface FunctionDifference {
  func: number; // in the union
  a: number; // ns; sum if several functions have one name
  b: number;
  calls_a: number;
  calls_b: number;
  state: "new" | "gone" | "slower" | "faster" | "same";
}

// `threshold`: differences up to this share of the larger time are ignored.
export function function_differences(a: Profile, b: Profile, union: Union, threshold: number): FunctionDifference[] {
  const n = union.names.length;
  const sums = [0, 1, 2, 3].map(() => new Float64Array(n));
  const seen = [new Uint8Array(n), new Uint8Array(n)];
  const add = (profile: Profile, numbers: Int32Array, side: number): void => {
    const { times } = profile;
    numbers.forEach((number, i) => {
      if (times.paths[i] === 0) return;
      sums[side][number] += times.exclusive[i];
      sums[2 + side][number] += times.calls[i];
      seen[side][number] = 1;
    });
  };
  add(a, union.number_a, 0);
  add(b, union.number_b, 1);
  const rows: FunctionDifference[] = [];
  for (let func = 0; func < n; func++) {
    if (!seen[0][func] && !seen[1][func]) continue;
    const [ns_a, ns_b] = [sums[0][func], sums[1][func]];
    const differs = Math.abs(ns_b - ns_a) > threshold * Math.max(ns_a, ns_b);
    const state = !seen[0][func] ? "new" : !seen[1][func] ? "gone" : !differs ? "same" : ns_b > ns_a ? "slower" : "faster";
    rows.push({ func, a: ns_a, b: ns_b, calls_a: sums[2][func], calls_b: sums[3][func], state });
  }
  return rows;
}

// Items are the paths of A, followed by those of B. A box is as wide as both together.
export function union_tree(a: Profile, b: Profile, union: Union): GroupTree {
  const shift = a.count;
  const side = (item: number): [Profile, number, number] => (item < shift ? [a, item, 0] : [b, item - shift, shift]);
  return new GroupTree(
    (item) => (item < shift ? a.total[item] : b.total[item - shift]),
    (item) => (item < shift ? union.number_a[a.func[item]] : union.number_b[b.func[item - shift]]),
    (item, emit) => {
      const [profile, path, base] = side(item);
      for (let i = path + 1; i < profile.end[path]; i = profile.end[i]) emit(base + i);
    },
    false,
  ).add_roots([...(a.count > 0 ? [0] : []), ...(b.count > 0 ? [shift] : [])]);
}

// The time of a node of such a tree in A and in B.
export function sides(tree: GroupTree, a: Profile, b: Profile, id: number): [number, number] {
  let [in_a, in_b] = [0, 0];
  for (const item of tree.paths(id)) {
    if (item < a.count) in_a += a.total[item];
    else in_b += b.total[item - a.count];
  }
  return [in_a, in_b];
}
