// The time of source lines, from the addresses of samples.
import type { Profile } from "./model.ts";

// A line in one function, in which it is or is inlined.
export interface SourceLine {
  file: string;
  line: number;
  func: number;
  samples: number; // in the code of the line itself, as is
  ns: number;
  with_inlined: number; // ns, and in what is inlined there
}

const known = new WeakMap<Profile, SourceLine[]>();

export function lines_of(profile: Profile): SourceLine[] {
  let lines = known.get(profile);
  if (lines) return lines;
  const list = profile.list("lines");
  const [line, func, samples, ns, with_inlined] = ["line", "function", "samples", "ns", "with_inlined_ns"].map((name) => list.numbers(name));
  lines = list.texts("file").slice(0, list.rows).map((file, i) => ({
    file, line: line[i], func: func[i], samples: samples[i], ns: ns[i], with_inlined: with_inlined[i],
  }));
  known.set(profile, lines);
  return lines;
}

// The line with most of a function's own time.
export function hottest_line(profile: Profile, func: number): SourceLine | undefined {
  let best: SourceLine | undefined;
  for (const line of lines_of(profile))
    if (line.func === func && line.ns > (best?.ns ?? 0)) best = line;
  return best;
}

export function last_part(file: string): string {
  return file.split("/").pop()!;
}

export function place_text(line: SourceLine): string {
  return `${last_part(line.file)}:${line.line}`;
}
