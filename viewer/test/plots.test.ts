// Unit tests of plots and of what the views of waiting and of models compute.
import assert from "node:assert/strict";
import test from "node:test";
import { type Block, List } from "../src/blocks.ts";
import { Profile } from "../src/model.ts";
import { nearest, place_of, scale_of, tick_text, value_at } from "../src/plot_layout.ts";
import { curves_of, expected_of, factor_of, type Models, note_of, type PathModel, path_of, value_of } from "../src/scaling_models.ts";
import { critical_path, group_waits, waits_by_rank, waits_of } from "../src/waits.ts";

function list(columns: Record<string, number[] | string[]>): List {
  const result = new List();
  for (const [name, values] of Object.entries(columns)) {
    result.columns.set(name, typeof values[0] === "string" ? (values as string[]) : Float64Array.from(values as number[]));
    result.rows = values.length;
  }
  return result;
}

// init > main > (compute, MPI_Recv), of two ranks
function profile(lists: Record<string, List>): Profile {
  const names = ["init", "main", "compute", "MPI_Recv"];
  return new Profile({
    head: { label: "x", run: { ranks: 2, summed_ranks: 2, threads: 1 }, metrics: [], views: {} },
    lists: new Map(Object.entries({
      functions: list({ name: names, kind: ["root", "function", "function", "mpi"], key: names.map(() => "") }),
      paths: list({ depth: [0, 1, 2, 2], function: [0, 1, 2, 3], calls: [1, 1, 1, 1], exclusive_ns: [0, 1, 2, 3], inclusive_rest_ns: [0, 0, 0, 0], flags: [0, 0, 0, 0] }),
      ...lists,
    })),
  } as Block);
}

test("scales and ticks", () => {
  const linear = scale_of([2, 9.5, null], false, 6);
  assert.deepEqual([linear.from, linear.ticks[0]], [0, 0]);
  assert.ok(linear.to >= 9.5 && linear.ticks.length >= 4 && linear.ticks.length <= 7);
  assert.equal(place_of(linear, linear.to), 1);
  assert.deepEqual(scale_of([1000, 1010], false, 6).ticks, [1000, 1002, 1004, 1006, 1008, 1010]);
  assert.deepEqual(scale_of([0, 1], false, 6).ticks, [0, 1]); // what is counted has no halves
  const log = scale_of([1, 1000, 0, -5], true, 8, true);
  assert.deepEqual([log.from, log.to, log.ticks], [1, 1000, [1, 3, 10, 30, 100, 300, 1000]]);
  assert.ok(Math.abs(place_of(log, 10) - 1 / 3) < 1e-12);
  assert.ok(Math.abs(value_at(log, 2 / 3) - 100) < 1e-9);
  for (const nothing of [[], [null], [NaN]]) for (const by of [true, false]) assert.ok(scale_of(nothing, by, 5).to > scale_of(nothing, by, 5).from);
  for (const one of [0, 5, -3]) assert.ok(scale_of([one], false, 5).to > scale_of([one], false, 5).from);
  const wide = scale_of([1e-9, 1e9], true, 6, true);
  assert.ok(wide.ticks.length <= 7 && wide.ticks.length > 2);
  assert.ok(scale_of([100, 101], true, 6, true).ticks.length > 1);
});

test("the value next to the pointer", () => {
  const scale = scale_of([0, 10], false, 5, true);
  assert.equal(nearest(scale, [0, 4, 10], 0.6), 1);
  assert.equal(nearest(scale, [0, 4, 10], 0.8), 2);
  assert.equal(nearest(scale, [], 0.5), -1);
});

test("texts of ticks", () => {
  assert.deepEqual([0, 0.25, 1500, 1e6, 2.5e7, 1e-5].map(tick_text), ["0", "0.25", "1500", "1e6", "2.5e7", "1e-5"]);
});

test("waiting by path, cause and rank", () => {
  const one = profile({
    "waits.states": list({ rank: [0, 0, 1], node: [3, 3, 3], pattern: ["late-sender", "wrong-order", "late-sender"], waits: [2, 1, 3], time_ns: [20, 5, 30], longest_ns: [12, 5, 11] }),
    "waits.causes": list({ rank: [1, 0], node: [2, 1], pattern: ["late-sender", "late-sender"], waiting_node: [3, 3], time_ns: [20, 30] }),
    "waits.critical_path": list({ rank: [0, 1, 1], node: [2, 2, 1], time_ns: [40, 60, 7], imbalance_ns: [10, 20, 0] }),
  });
  const waits = waits_of(one);
  const paths = group_waits(waits.states, (wait) => `${wait.pattern} ${wait.path}`);
  assert.deepEqual(paths.map((row) => [row.pattern, row.path, row.rank, row.waits, row.ns, row.longest_ns, row.most_ns, row.most_rank, row.ranks]),
    [["late-sender", 3, -1, 5, 50, 12, 30, 1, 2], ["wrong-order", 3, 0, 1, 5, 5, 5, 0, 1]]);
  const all = group_waits(waits.states, () => "");
  assert.deepEqual([all[0].pattern, all[0].ns, all[0].ranks], ["", 55, 2]);
  assert.deepEqual(waits.causes.map((row) => [row.rank, row.path, row.waiting, row.ns]), [[1, 2, 3, 20], [0, 1, 3, 30]]);
  assert.deepEqual(critical_path(one, false).map((row) => [row.path, row.rank, row.ranks, row.ns, row.imbalance_ns, row.most_rank]), [[2, -1, 2, 100, 30, 1], [1, 1, 1, 7, 0, 1]]);
  assert.equal(critical_path(one, true).length, 3);
  assert.deepEqual(waits_by_rank(one, waits), [
    { waited_ns: 25, caused_ns: 30, critical_ns: 40, imbalance_ns: 10 }, { waited_ns: 30, caused_ns: 20, critical_ns: 67, imbalance_ns: 20 },
  ]);
  const none = profile({});
  assert.deepEqual(waits_of(none), { states: [], causes: [] });
});

const model: PathModel = {
  path: "compute<main<init", function: "compute", formula: "", order: "", constant: 2, at_largest: 10, predicted: 40, predicted_from: 30, predicted_to: 50,
  terms: [{ coefficient: 3, factors: [{ parameter: "n", power: [3, 2], log2_power: 1 }, { parameter: "p", power: [-1, 1], log2_power: 0 }] }],
  smape_percent: 1, adjusted_r2: 1, noise_percent: 1, noisy: false,
  points: [{ at: [4, 1], value: 50, min: 49, max: 52, runs: 3 }, { at: [16, 1], value: 770, min: 770, max: 770, runs: 1 }, { at: [4, 2], value: 26, min: 25, max: 27, runs: 3 }],
};
const models = { parameters: ["n", "p"], target: { n: 64, p: 2 }, largest: { n: 16, p: 2 } } as unknown as Models;

test("values of models", () => {
  assert.equal(value_of(model, { n: 4, p: 1 }), 2 + 3 * 8 * 2);
  assert.equal(value_of(model, { n: 16, p: 2 }), 2 + (3 * 64 * 4) / 2);
  assert.equal(factor_of(model), 4);
});

test("models without one formula", () => {
  const bound: PathModel = { ...model, finding: "no formula", terms: [], constant: 0, bound: { powers: [2, 0], at: [16, 2], value: 100 }, predicted: null, predicted_from: 1600, predicted_to: null };
  assert.equal(value_of(bound, { n: 64, p: 8 }, ["n", "p"]), 1600);
  assert.deepEqual([expected_of(bound), factor_of(bound), note_of({ ...bound, in_runs: 3 }, 4)], [1600, 160, "no formula, in 3 of 4 runs"]);
  const bent: PathModel = { ...model, finding: "two formulas", below: { parameter: "n", last: 8, first_above: 16, constant: 7, terms: [] } };
  assert.deepEqual([value_of(bent, { n: 11, p: 1 }), value_of(bent, { n: 12, p: 1 })], [7, value_of(model, { n: 12, p: 1 })]);
  const curves = curves_of(models, { ...model, points_left_out: [1], intervals: [{ over: "n", at: [4, 16, 64], from: [10, 100, 1000], to: [20, 200, null] }] }, "n", 6);
  const at = (x: number): number => curves.x.indexOf(x);
  assert.deepEqual([4, 16, 64].map((x) => [curves.interval.least[at(x)], curves.interval.most[at(x)]]), [[10, 20], [100, 200], [1000, null]]);
  assert.ok(Math.abs(curves.interval.least[curves.x.findIndex((x) => x > 7.99 && x < 8.1)]! / 31.6 - 1) < 0.05);
  assert.deepEqual(curves.x.filter((_, i) => curves.wrong[i] !== null), [16]);
});

test("curves of models", () => {
  const curves = curves_of(models, model, "n", 6);
  assert.deepEqual(curves.series.map((one) => one.others), [{ p: 1 }, { p: 2 }]);
  const at = (x: number): number => curves.x.indexOf(x);
  assert.deepEqual([curves.x[0], curves.x[curves.x.length - 1]], [4, 64]);
  assert.deepEqual(curves.x, [...curves.x].sort((a, b) => a - b));
  assert.deepEqual([at(4), at(16)].map((i) => [curves.series[0].measured[i], curves.series[1].measured[i]]), [[50, 26], [770, null]]);
  assert.equal(curves.series[0].least[at(4)], 49);
  assert.equal(curves.series[1].model[at(16)], value_of(model, { n: 16, p: 2 }));
  assert.deepEqual([curves.predicted.value[at(64)], curves.predicted.least[at(64)], curves.predicted.most[at(64)]], [40, 30, 50]);
  assert.deepEqual(curves_of(models, model, "p", 6).series.map((one) => one.others), [{ n: 4 }, { n: 16 }, { n: 64 }]);
  assert.deepEqual([curves_of(models, model, "n", 1).left_out, curves_of(models, model, "n", 1).series.length], [1, 1]);
});

test("the path that a model is of", () => {
  const one = profile({});
  assert.equal(path_of(one, model), 2);
  assert.equal(path_of(one, { ...model, path: "compute<main" }), 2);
  assert.equal(path_of(one, { ...model, path: "compute<other<init" }), -1);
  assert.equal(path_of(one, { ...model, path: undefined, function: undefined }), -1);
});
