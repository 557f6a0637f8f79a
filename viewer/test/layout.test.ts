// Unit tests of what needs no browser: reading columns, times, layouts, searches, tables.
import assert from "node:assert/strict";
import test from "node:test";
import { address_text, parse_address } from "../src/address.ts";
import { type Block, List, read_block } from "../src/blocks.ts";
import { callees_of, callers_of, inverted_tree, PathTree } from "../src/flame_layout.ts";
import * as format from "../src/format.ts";
import { call_at, depth_of_message, lanes_of, most_rows_of_lane, shown_lanes, window_sums } from "../src/lanes.ts";
import { message_matrix, size_name } from "../src/messages.ts";
import { Profile } from "../src/model.ts";
import { ranks_by_time, ranks_of_functions, rank_values } from "../src/rank_values.ts";
import { csv, sorted_rows } from "../src/rows.ts";
import { exponent_of, scaling_runs } from "../src/scaling.ts";
import { matching } from "../src/search.ts";
import { function_differences, sides, union_of, union_tree } from "../src/union.ts";

function list(columns: Record<string, number[] | string[]>): List {
  const result = new List();
  for (const [name, values] of Object.entries(columns)) {
    result.columns.set(name, typeof values[0] === "string" ? (values as string[]) : Float64Array.from(values as number[]));
    result.rows = values.length;
  }
  return result;
}

// init > main > (f > g > f, g); paths: [depth, function, exclusive]
type Row = [number, string, number, number?];
const rows: Row[] = [[0, "init", 1], [1, "main", 9], [2, "f", 40], [3, "g", 20], [4, "f", 10], [2, "g", 20]];
function profile(paths: Row[], more: Record<string, List> = {}, run: Record<string, unknown> = {}): Profile {
  const names = [...new Set(paths.map((row) => row[1]))];
  const lists = new Map<string, List>(Object.entries(more));
  lists.set("functions", list({ name: names, kind: names.map((name) => (name === "init" ? "root" : "function")), key: names.map(() => "") }));
  lists.set("paths", list({
    depth: paths.map((row) => row[0]), function: paths.map((row) => names.indexOf(row[1])), calls: paths.map(() => 2),
    exclusive_ns: paths.map((row) => row[2]), inclusive_rest_ns: paths.map(() => 0), flags: paths.map((row) => row[3] ?? 0),
  }));
  return new Profile({ head: { label: "x", run: { ranks: 1, summed_ranks: 1, threads: 1, application_ns: 100, ...run }, metrics: [], views: {} }, lists } as Block);
}

test("columns of all encodings", () => {
  const bytes: number[] = [];
  const directory: unknown[] = [];
  const add = (name: string, encoding: string, count: number, content: number[]): void => {
    directory.push(["t", name, encoding, count, content.length]);
    bytes.push(...content);
  };
  const varint = (value: bigint): number[] => {
    const out: number[] = [];
    for (; value >= 128n; value >>= 7n) out.push(Number(value & 127n) | 128);
    return [...out, Number(value)];
  };
  const plain = [0n, 127n, 128n, 268435455n, 268435456n, 4503599627370497n];
  add("u", "u", plain.length, plain.flatMap(varint));
  add("i", "i", 4, [0n, 1n, 2n, 19999999999n].flatMap(varint));
  add("d", "d", 3, [20n, 1n, 6n].flatMap(varint));
  add("z", "z", 2, []);
  const text = [..."a", ..."\u00e9"].flatMap((char) => [...new TextEncoder().encode(char)]);
  add("s", "s", 3, [1, 0, 2, ...text]);
  add("f", "f", 1, [...new Uint8Array(Float64Array.of(0.1).buffer)]);
  const head = new TextEncoder().encode(JSON.stringify({ columns: directory }));
  const block = read_block(Uint8Array.from([...new Uint8Array(Uint32Array.of(head.length).buffer), ...head, ...bytes]));
  const t = block.lists.get("t")!;
  assert.deepEqual([...t.numbers("u")], plain.map(Number));
  assert.deepEqual([...t.numbers("i")], [0, -1, 1, -10000000000]);
  assert.deepEqual([...t.numbers("d")], [10, 9, 12]);
  assert.deepEqual([...t.columns.get("z")!], [0, 0]);
  assert.deepEqual(t.texts("s"), ["a", "", "\u00e9"]);
  assert.deepEqual([...t.numbers("f")], [0.1]);
});

test("times of paths and functions", () => {
  const one = profile(rows);
  assert.deepEqual([...one.parent], [-1, 0, 1, 2, 3, 1]);
  assert.deepEqual([...one.end], [6, 6, 5, 5, 5, 6]);
  assert.deepEqual([...one.total], [100, 99, 70, 30, 10, 20]);
  assert.deepEqual([...one.start], [0, 0, 0, 0, 0, 70]);
  const f = one.names.indexOf("f");
  const g = one.names.indexOf("g");
  assert.equal(one.times.inclusive[f], 70); // not 80: the inner call lies in the outer one
  assert.equal(one.times.exclusive[f], 50);
  assert.equal(one.times.inclusive[g], 50);
  assert.equal(one.times.calls[g], 4);
  assert.deepEqual(one.line(4).map((path) => one.name(path)), ["init", "main", "f", "g", "f"]);
});

test("pauses take no part", () => {
  const paused = profile([[0, "init", 1], [1, "f", 9], [1, "vftrace_pause", 50, 4]]);
  assert.equal(paused.all_ns, 10);
});

test("boxes of the flame graph", () => {
  const one = profile(rows);
  const tree = new PathTree(one);
  const boxes = tree.boxes(0, 1000);
  assert.deepEqual(boxes.map((box) => box.id), [0, 1, 2, 3, 4, 5]);
  for (const box of boxes) {
    const parent = boxes.find((other) => other.id === tree.parent(box.id));
    if (!parent) continue;
    assert.ok(box.x >= parent.x - 1e-9 && box.x + box.width <= parent.x + parent.width + 1e-9);
    assert.equal(box.row, parent.row + 1);
  }
  assert.deepEqual(tree.boxes(0, 4).map((box) => box.id), [0, 1, 2, 3, 5]); // 10 of 100 are 0.4 pixels
  const zoomed = tree.boxes(3, 1000);
  assert.deepEqual(zoomed.map((box) => [box.id, box.x, box.width]).slice(0, 4), [[0, 0, 1], [1, 0, 1], [2, 0, 1], [3, 0, 1]]);
  assert.ok(Math.abs(zoomed[4].width - 1 / 3) < 1e-12);
  assert.deepEqual(tree.children(1), [2, 5]);
});

test("all times 0", () => {
  const zero = profile(rows.map(([depth, name]): Row => [depth, name, 0]));
  assert.equal(new PathTree(zero).boxes(0, 1000).length, 1);
  assert.equal(inverted_tree(zero).boxes(-1, 1000).length, 0);
});

test("inverted tree and callers", () => {
  const one = profile(rows);
  const name = (id: number): string => one.names[tree.func(id)];
  let tree = inverted_tree(one);
  assert.deepEqual(tree.roots.map((id) => [name(id), tree.value(id)]), [["f", 50], ["g", 40], ["main", 9], ["init", 1]]);
  assert.deepEqual(tree.children(tree.roots[0]).map((id) => [name(id), tree.value(id)]), [["main", 40], ["g", 10]]);
  tree = callers_of(one, one.names.indexOf("g"));
  assert.deepEqual(tree.roots.map((id) => tree.value(id)), [50]);
  assert.deepEqual(tree.children(tree.roots[0]).map((id) => [name(id), tree.value(id)]), [["f", 30], ["main", 20]]);
  tree = callees_of(one, one.names.indexOf("g"));
  assert.deepEqual(tree.children(tree.roots[0]).map((id) => [name(id), tree.value(id)]), [["f", 10]]);
});

test("searching", () => {
  assert.equal(matching(["a"], ""), undefined);
  assert.deepEqual([...matching(["MPI_Send", "send", "recv"], "send$")!], [1, 1, 0]);
  assert.deepEqual([...matching(["MPI_Send", "send"], "Send")!], [1, 0]); // with large letters: exactly
  assert.deepEqual([...matching(["operator()(", "f"], "()(")!], [1, 0]); // not a valid expression
});

test("rows of tables", () => {
  const values = [3, 1, 2, 1];
  const columns = [{ id: "v", title: "V", unit: "s", value: (row: number) => values[row] }, { id: "t", title: "T", value: (row: number) => ['a,"b"', "=1+1", "c", "d"][row] }];
  assert.deepEqual(sorted_rows(4, columns, "v"), [1, 3, 2, 0]);
  assert.deepEqual(sorted_rows(4, columns, "-v", (row) => row !== 2), [0, 1, 3]);
  assert.equal(csv(columns, [0, 1]), 'V [s],T\r\n3,"a,""b"""\r\n1,\'=1+1\r\n');
});

test("two profiles", () => {
  const a = profile(rows);
  const b = profile([[0, "init", 1], [1, "main", 9], [2, "f", 80], [2, "h", 5]]);
  const union = union_of(a, b);
  const states = Object.fromEntries(function_differences(a, b, union, 0.02).map((row) => [union.names[row.func], [row.state, row.a, row.b]]));
  assert.deepEqual(states, { init: ["same", 1, 1], main: ["same", 9, 9], f: ["slower", 50, 80], g: ["gone", 40, 0], h: ["new", 0, 5] });
  const tree = union_tree(a, b, union);
  assert.deepEqual(sides(tree, a, b, tree.roots[0]), [100, 95]);
  const below = tree.children(tree.children(tree.roots[0])[0]);
  assert.deepEqual(below.map((id) => [union.names[tree.func(id)], ...sides(tree, a, b, id)]), [["f", 70, 80], ["g", 20, 0], ["h", 0, 5]]);
});

test("ranks", () => {
  const lists = {
    rank_values: list({ node: [2, 3], ranks: [3, 3], bins: [2, 1] }),
    values_of_ranks: list({ exclusive_ns: [5, 6, 29, 1, 2, 17], calls: [1, 1, 1, 2, 2, 2] }),
    ranks_by_time: list({ ranks: [1, 2, 3] }),
    spread: list({ path: [2], ranks: [3], min_rank: [0], max_rank: [2], min_ns: [5], max_ns: [29] }),
  };
  const one = profile(rows, lists, { ranks: 3, summed_ranks: 3 });
  const values = rank_values(one)!;
  assert.deepEqual([...values.exclusive.subarray(3, 6)], [1, 2, 17]);
  assert.deepEqual(ranks_by_time(one).map((row) => [row.path, ...row.bins]), [[2, 1, 2], [3, 3]]);
  const spread = ranks_of_functions(one)!;
  assert.deepEqual([spread.max[one.names.indexOf("f")], spread.max_rank[one.names.indexOf("f")]], [29 + 10 / 3, 2]); // the mean of its other path
  assert.equal(spread.mean[one.names.indexOf("f")], 50 / 3);
});

test("messages", () => {
  const one = profile(rows, {
    ranks: list({ rank: [0, 1], host: ["n1", "n2"] }),
    communication: list({ rank: [0, 1, 1], peer: [1, 0, 0], node: [2, 3, 3], "sent.bytes": [10, 0, 7], "received.bytes": [0, 9, 0] }),
  }, { ranks: 2, summed_ranks: 2 });
  const pairs = (matrix: { pairs: number[][] }): number[][] => matrix.pairs.sort((x, y) => x[0] - y[0]);
  assert.deepEqual(pairs(message_matrix(one, false, "bytes", -1)), [[0, 1, 10], [1, 0, 7]]);
  assert.deepEqual(pairs(message_matrix(one, false, "bytes", 3)), [[0, 1, 9], [1, 0, 7]]); // what the receiver saw
  assert.deepEqual(message_matrix(one, true, "bytes", -1).labels, ["n1", "n2"]);
  assert.deepEqual([size_name(0), size_name(1), size_name(11), size_name(30)], ["0 B", "1 B to 2 B", "1 KiB to 2 KiB", "512 MiB to 1 GiB"]);
});

test("scaling", () => {
  const runs = scaling_runs([profile(rows, {}, { ranks: 4, application_ns: 30 }), profile(rows, {}, { ranks: 1, application_ns: 90 })]);
  assert.deepEqual(runs.map((run) => [run.size, run.speed_up, run.ideal, run.efficiency]), [[1, 1, 1, 100], [4, 3, 4, 75]]);
  assert.ok(Math.abs(exponent_of([1, 2, 4], [8, 4, 2])! + 1) < 1e-12);
  assert.equal(exponent_of([2, 2], [1, 3]), undefined);
  assert.equal(exponent_of([1, 2], [0, 3]), undefined);
});

test("lanes of a timeline", () => {
  const trace = { head: {}, lists: new Map([["lanes", list({ label: ["a", "b"], rank: [0, 1] })], ["calls", list({ lane: [0, 0, 0], depth: [0, 1, 99], function: [0, 1, 1] })],
    ["functions", list({ name: ["init", "f"], kind: ["root", "function"] })]]) } as Block;
  const lanes = lanes_of(trace);
  assert.deepEqual(lanes.map((lane) => lane.height), [most_rows_of_lane, 1]);
  assert.deepEqual(lanes[0].rows[most_rows_of_lane - 1], [2]);
});

// Rank 0: init > main > (f > MPI_Send, f); rank 1: init and a second call at its level; a GPU lane of rank 1.
test("levels and ranks that are hidden in a timeline, and rows of messages", () => {
  const calls = { lane: [0, 0, 0, 0, 0, 1, 1, 2], depth: [0, 1, 2, 2, 3, 0, 0, 0], function: [0, 1, 2, 2, 3, 0, 2, 2], begin_ns: [0, 10, 20, 60, 30, 0, 80, 5], ns: [100, 80, 30, 20, 10, 70, 10, 5] };
  const trace = { head: {}, lists: new Map([["lanes", list({ label: ["a", "b", "c"], rank: [0, 1, 1] })], ["calls", list(calls)],
    ["functions", list({ name: ["init", "main", "f", "MPI_Send"], kind: ["root", "function", "function", "mpi"] })]]) } as Block;
  const lanes = lanes_of(trace);
  assert.deepEqual(lanes.map((lane) => lane.outer), [2, 0, 0]);
  const rows = (outer: boolean, ...collapsed: number[]): unknown[] =>
    shown_lanes(lanes, outer, (rank) => collapsed.includes(rank)).map((one) => [one.label, one.top, one.first, one.height]);
  assert.deepEqual(rows(false), [["a", 0, 2, 2], ["b", 2, 0, 1], ["c", 3, 0, 1]]);
  assert.deepEqual(rows(true, 1), [["a", 0, 0, 4], ["b (+1)", 4, 0, 1]]);
  assert.deepEqual([15, 30, 55, 60].map((at) => call_at(lanes[0].rows[2], calls.begin_ns, calls.ns, at)), [-1, 2, -1, 3]);
  const is_mpi = (call: number): boolean => calls.function[call] === 3;
  assert.deepEqual([30, 65, 95].map((at) => depth_of_message(lanes[0], calls.begin_ns, calls.ns, at, is_mpi)), [3, 2, 0]);
  const reconstructed = [0, 0, 0, 21, 0, 0, 0, 0];
  assert.deepEqual(window_sums({ rows: 8 }, calls.begin_ns, calls.ns, calls.function, reconstructed, 25, 75).find((sum) => sum.func === 2), { func: 2, ns: 25, count: 1, reconstructed: 1 });
});

test("address and numbers", () => {
  const address = { view: "flame", q: "a b&c=d#\u202e</script>" };
  assert.deepEqual(parse_address(address_text(address)), address);
  assert.deepEqual([0, 999, 1500, 2.5e6, 61e9].map(format.time), ["0 ns", "999 ns", "1.50 \u00b5s", "2.50 ms", "61.0 s"]);
  assert.equal(format.bytes(1536), "1.50 KiB");
  assert.equal(format.short("x".repeat(10000)).length, 80);
  assert.deepEqual([80, 0, 1023, 2048].map(format.bytes), ["80 B", "0 B", "1,023 B", "2.00 KiB"]);
  assert.equal(format.time(13466e9), "13,466 s");
  assert.equal(format.time(999_960), "1.00 ms");
});

test("numbers of a column have the same form", () => {
  const forms = (values: number[]): string[] => values.map(format.number_form(values));
  assert.deepEqual(forms([2048, 1049.64, 0]), ["2,048.0", "1,049.6", "0.0"]);
  assert.deepEqual(forms([0.8, 1, 0.905, 0.00001]), ["0.800", "1.000", "0.905", "1.000e-5"]);
  assert.deepEqual(forms([3, 12_000]), ["3", "12,000"]);
  assert.deepEqual(forms([12.345, 0.5]), ["12.35", "0.50"]);
  assert.deepEqual(forms([3e9 + 0.5, 1234567.5]), ["3,000,000,001", "1,234,568"]);
});

test("names in boxes", () => {
  const name = "solver::phase_3::kernel_12(double*, std::size_t)";
  assert.equal(format.fitted(name, 60), name);
  assert.equal(format.fitted(name, 40), "kernel_12(double*, std::size_t)");
  assert.equal(format.fitted(name, 12), "kernel_12(d\u2026");
  assert.deepEqual([40, 20, 9].map((room) => format.fitted("omp parallel @solver/kernels.c:128", room)), ["omp parallel @solver/kernels.c:128", "@kernels.c:128", "\u2026ls.c:128"]);
  assert.equal(format.fitted("exchange_halos", 6), "excha\u2026");
  assert.equal(format.fitted("exchange_halos", 3), "");
  assert.equal(format.fitted("::main", 5), "::ma\u2026");
});
