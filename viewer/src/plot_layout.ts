// The positions of the values of a plot: scales, linear or logarithmic, and the ticks of their
// axes.
export interface Scale {
  from: number;
  to: number;
  log: boolean;
  ticks: number[];
}

const log_steps = [[1], [1, 3], [1, 2, 5]];

export function linear_ticks(from: number, to: number, most: number): number[] {
  const rough = (to - from) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => power * factor >= rough) ?? 10);
  const ticks: number[] = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to * (1 + 1e-12) + step * 1e-9; i++) ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}

// 1, 2, 5, 10 or 1, 3, 10 or 1, 10, or, for many powers of ten, every second, third, ... of them.
function log_ticks(from: number, to: number, most: number): number[] {
  const first = Math.floor(Math.log10(from));
  const last = Math.ceil(Math.log10(to));
  for (let steps = log_steps.length - 1; steps >= 0; steps--) {
    const ticks: number[] = [];
    for (let power = first; power <= last; power++)
      for (const step of log_steps[steps]) ticks.push(Number((step * 10 ** power).toPrecision(12)));
    const inside = ticks.filter((tick) => tick >= from * (1 - 1e-9) && tick <= to * (1 + 1e-9));
    if (inside.length <= most && inside.length > 1) return inside;
  }
  const ticks: number[] = [];
  const every = Math.max(1, Math.ceil((last - first) / most));
  for (let power = first; power <= last; power += every) ticks.push(10 ** power);
  const inside = ticks.filter((tick) => tick >= from && tick <= to);
  return inside.length > 1 ? inside : linear_ticks(from, to, most);
}

// A scale with room for the values; `exact`: without a margin around the smallest and largest
// value. Logarithmic scales ignore values of 0 and below.
export function scale_of(values: Iterable<number | null>, log: boolean, most_ticks: number, exact = false): Scale {
  let from = Infinity;
  let to = -Infinity;
  let counted = true;
  for (const value of values)
    if (value !== null && Number.isFinite(value) && (!log || value > 0)) {
      counted &&= Number.isInteger(value);
      if (value < from) from = value;
      if (value > to) to = value;
    }
  if (from > to) [from, to] = log ? [1, 10] : [0, 1];
  if (log) {
    const margin = from === to ? 2 : exact ? 1 : (to / from) ** 0.06;
    from /= margin;
    to *= margin;
    return { from, to, log, ticks: log_ticks(from, to, most_ticks) };
  }
  // From 0, unless the values would then only fill a small part of the picture.
  if (!exact && from > 0 && from < to * 0.7) from = 0;
  if (from === to) {
    to += Math.abs(to) * 0.5 || 1;
    if (from !== 0) from -= Math.abs(from) * 0.5;
  } else if (!exact) {
    const margin = (to - from) * 0.05;
    if (from !== 0) from -= margin;
    to += margin;
  }
  const ticks = linear_ticks(from, to, most_ticks);
  // Whole numbers do not need ticks at fractions.
  return { from, to, log, ticks: counted ? ticks.filter(Number.isInteger) : ticks };
}

// 0 at the start of the scale, 1 at its end.
export function place_of(scale: Scale, value: number): number {
  return scale.log ? Math.log(value / scale.from) / Math.log(scale.to / scale.from) : (value - scale.from) / (scale.to - scale.from);
}
export function value_at(scale: Scale, place: number): number {
  return scale.log ? scale.from * (scale.to / scale.from) ** place : scale.from + place * (scale.to - scale.from);
}

// The index of the value that is nearest to a place on the scale; -1: there are no values.
export function nearest(scale: Scale, x: number[], place: number): number {
  let best = -1;
  let distance = Infinity;
  x.forEach((value, i) => {
    const away = Math.abs(place_of(scale, value) - place);
    if (away < distance) {
      distance = away;
      best = i;
    }
  });
  return best;
}

export function tick_text(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e6 || (size > 0 && size < 1e-4)) return value.toExponential(Number.isInteger(Math.log10(size)) ? 0 : 1).replace(/\.0e/, "e").replace("e+", "e");
  return String(Number(value.toPrecision(6)));
}
