// Scaling models of `vftrace model --format json`: the value of a formula at a point, and the lines
// and points of a plot over one parameter.
import type { Profile } from "./model.ts";

export interface Factor { parameter: string; power: [number, number]; log2_power: number }
export interface Term { coefficient: number; factors: Factor[] }
export interface MeasuredPoint { at: number[]; value: number; min: number; max: number; runs: number }
export interface Formula { constant: number; terms: Term[] }
export interface PathModel extends Formula {
  path?: string; // "leaf<caller<..."; undefined: the whole program
  function?: string;
  in_runs?: number;
  formula: string;
  order: string;
  finding?: "formula" | "two formulas" | "constant" | "unclear" | "no formula"; // in documents since this version
  below?: Formula & { parameter: string; last: number; first_above: number }; // with two formulas: the lower one
  bound?: { powers: number[]; at: number[]; value: number }; // without formula, powers by parameter
  points_left_out?: number[]; // places in points
  intervals?: { over: string; at: number[]; from: number[]; to: (number | null)[] }[]; // the others are at the target
  analysis?: string; // the parameters that an analysis of the program found
  at_largest: number;
  predicted: number | null; // null without formula
  predicted_from: number;
  predicted_to: number | null; // null: without limit
  smape_percent: number;
  adjusted_r2: number | null;
  noise_percent: number;
  noisy: boolean;
  points: MeasuredPoint[];
}
export interface ModelMetric {
  metric: string;
  title: string;
  unit: string;
  rows_left_out: number;
  below_min_share: number;
  in_too_few_runs: number;
  program: PathModel | null;
  paths: PathModel[];
  findings?: string[]; // sentences
}
export type Point = Record<string, number>;
export interface Models {
  application: string;
  parameters: string[];
  constant_parameters: Point;
  runs: { file: string; ranks: number; threads: number; at: Point }[];
  largest: Point;
  target: Point;
  notes?: string[];
  metrics: ModelMetric[];
}

const value_of_formula = (formula: Formula, at: Point): number =>
  formula.terms.reduce((sum, term) => sum + term.factors.reduce((product, { parameter, power, log2_power }) =>
    product * at[parameter] ** (power[0] / power[1]) * Math.log2(at[parameter]) ** log2_power, term.coefficient), formula.constant);

// The value of the formula that applies there, or of the bound. `parameters`: their names, for the bound.
export function value_of(model: PathModel, at: Point, parameters: string[] = []): number {
  const { bound, below } = model;
  if (bound) return bound.powers.reduce((value, power, i) => value * (at[parameters[i]] / bound.at[i]) ** power, bound.value);
  return value_of_formula(below && at[below.parameter] ** 2 < below.last * below.first_above ? below : model, at);
}

// The prediction, or else the bound.
export const expected_of = (model: PathModel): number => model.predicted ?? model.predicted_from;

// Why the row needs a second look; "": it does not.
export const note_of = (model: PathModel, runs: number): string => [
  model.finding === "no formula" ? "no formula" : model.finding === "unclear" ? "growth unclear" : model.finding === "two formulas" ? "two formulas" : "",
  (model.points_left_out?.length ?? 0) > 0 ? "without a point" : "",
  model.noisy ? "noisy" : "",
  model.in_runs !== undefined && model.in_runs < runs ? `in ${model.in_runs} of ${runs} runs` : "",
].filter((text) => text !== "").join(", ");

// The factor by which it grows from the largest measured point to the predicted one.
export const factor_of = (model: PathModel): number => (model.at_largest > 0 ? expected_of(model) / model.at_largest : 1);

export interface Series {
  others: Point; // values of the other parameters
  measured: (number | null)[]; // at each x
  least: (number | null)[];
  most: (number | null)[];
  model: number[];
}
export interface ModelCurves {
  x: number[];
  series: Series[];
  left_out: number; // series that are not drawn
  interval: { least: (number | null)[]; most: (number | null)[] }; // of the model, the other parameters at the target
  wrong: (number | null)[]; // points that do not count
  predicted: { value: (number | null)[]; least: (number | null)[]; most: (number | null)[] };
}

const steps = 48;

// At x between two places of `at`, which ascend; on a line between the logarithms if that is possible.
function between_points(at: number[] | undefined, values: (number | null)[] | undefined, x: number): number | null {
  if (!at || !values || at.length === 0 || x < at[0] || x > at[at.length - 1]) return null;
  const after = at.findIndex((one) => one >= x);
  const b = values[after];
  if (at[after] === x || b === null) return b;
  const a = values[after - 1];
  if (a === null) return null;
  const share = Math.log(x / at[after - 1]) / Math.log(at[after] / at[after - 1]);
  return a > 0 && b > 0 ? a * (b / a) ** share : a + (b - a) * share;
}

// Over one parameter, a line for each combination of the other ones, largest values last; only the
// last `limit` lines. The target is on the line of its values, which may not have points.
export function curves_of(models: Models, model: PathModel, over: string, limit: number): ModelCurves {
  const place = models.parameters.indexOf(over);
  const others = models.parameters.filter((name) => name !== over);
  const key = (at: Point): string => others.map((name) => at[name]).join(" ");
  const groups = new Map<string, { others: Point; points: MeasuredPoint[] }>();
  for (const point of model.points) {
    const at: Point = Object.fromEntries(models.parameters.map((name, i) => [name, point.at[i]]));
    if (!groups.has(key(at))) groups.set(key(at), { others: at, points: [] });
    groups.get(key(at))!.points.push(point);
  }
  if (!groups.has(key(models.target))) groups.set(key(models.target), { others: models.target, points: [] });
  const all = [...groups.values()].sort((a, b) => {
    for (const name of others) if (a.others[name] !== b.others[name]) return a.others[name] - b.others[name];
    return 0;
  });
  const shown = all.slice(-limit);
  const measured = model.points.map((point) => point.at[place]);
  const interval = model.intervals?.find((one) => one.over === over);
  const least = Math.min(...measured, models.target[over]);
  const most = Math.max(...measured, models.target[over]);
  const between = Array.from({ length: steps + 1 }, (_, i) => (least > 0 ? least * (most / least) ** (i / steps) : least + ((most - least) * i) / steps));
  between[steps] = most;
  const x = [...new Set([...between, ...measured, ...(interval?.at ?? []), models.target[over]])].sort((a, b) => a - b);
  const at_x = (points: MeasuredPoint[], member: "value" | "min" | "max"): (number | null)[] => {
    const values = new Map(points.map((point) => [point.at[place], point[member]]));
    return x.map((one) => values.get(one) ?? null);
  };
  const wrong = new Map((model.points_left_out ?? []).map((i) => [model.points[i].at[place], model.points[i].value]));
  return {
    x, left_out: all.length - shown.length,
    interval: { least: x.map((one) => between_points(interval?.at, interval?.from, one)), most: x.map((one) => between_points(interval?.at, interval?.to, one)) },
    wrong: x.map((one) => wrong.get(one) ?? null),
    series: shown.map((group) => ({
      others: Object.fromEntries(others.map((name) => [name, group.others[name]])),
      measured: at_x(group.points, "value"), least: at_x(group.points, "min"), most: at_x(group.points, "max"),
      model: x.map((one) => value_of(model, { ...group.others, [over]: one }, models.parameters)),
    })),
    predicted: {
      value: x.map((one) => (one === models.target[over] ? model.predicted : null)),
      least: x.map((one) => (one === models.target[over] ? model.predicted_from : null)),
      most: x.map((one) => (one === models.target[over] ? model.predicted_to : null)),
    },
  };
}

// The path of a profile that a model describes; -1: the profile does not have it.
export function path_of(profile: Profile, model: PathModel): number {
  if (model.path === undefined) return -1;
  for (let path = 0; path < profile.count; path++) {
    if (profile.name(path) !== model.function && !model.path.startsWith(`${profile.name(path)}<`)) continue;
    const names = profile.line(path).reverse().map((one) => profile.name(one));
    if (names.join("<") === model.path || names.slice(0, -1).join("<") === model.path) return path;
  }
  return -1;
}
