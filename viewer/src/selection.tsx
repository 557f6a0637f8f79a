// Shared parts of views: the path or function that was chosen, in words and in the address.
import { set_address, use_address } from "./address.ts";
import { use_theme } from "./canvas.tsx";
import { kind_color } from "./colors.ts";
import { count, percent, short, time } from "./format.ts";
import { hottest_line, place_text } from "./lines.ts";
import type { Profile } from "./model.ts";

export function number_of(text: string | undefined, limit: number): number {
  const value = text === undefined ? NaN : Number(text);
  return Number.isInteger(value) && value >= 0 && value < limit ? value : -1;
}

export function open_function(func: number): void {
  set_address({ view: "sandwich", function: String(func) }, true);
}

// The source line with most of a function's own time.
export function LineLink({ profile, func }: { profile: Profile; func: number }) {
  const line = hottest_line(profile, func);
  if (!line) return null;
  return (
    <button class="link" data-part="hottest-line" title="The line with most of the function's own time"
      onClick={() => set_address({ view: "sources", function: String(func), line: String(line.line), file: "" }, true)}>
      <bdi>{place_text(line)}</bdi>
    </button>
  );
}

// The line of calls that leads to a path; each of them can be chosen.
export function PathLine({ profile, path }: { profile: Profile; path: number }) {
  if (path < 0) return null;
  const line = profile.line(path);
  const shown = line.length > 16 ? [...line.slice(0, 4), -1, ...line.slice(-11)] : line;
  return (
    <p class="path" data-path={path}>
      {shown.map((one, i) =>
        one < 0 ? <span key="gap"> {"\u203a"} ({line.length - 15} more) </span> : (
          <span key={one}>
            {i > 0 && ` \u203a `}
            <button class="link" onClick={() => set_address({ path: String(one), zoom: "" })}><bdi>{short(profile.name(one))}</bdi></button>
          </span>
        ),
      )}
      <br />
      <span class="faint">
        {count(profile.calls[path])} calls, {time(profile.exclusive[path])} exclusive, {time(profile.inclusive[path])} inclusive
        ({percent(profile.total[path], profile.all_ns)} % of all time). <button class="link" onClick={() => open_function(profile.func[path])}>Callers and callees</button> <LineLink profile={profile} func={profile.func[path]} />
      </span>
    </p>
  );
}

export function Search({ label }: { label: string }) {
  const address = use_address();
  return (
    <input type="search" placeholder="Search (regular expression)" aria-label={label} value={address.q ?? ""}
      onInput={(event) => set_address({ q: event.currentTarget.value })} />
  );
}

export function Choice({ name, label, values, value }: { name: string; label: string; values: [string, string][]; value: string }) {
  return (
    <span class="choice" role="group" aria-label={label}>
      <span class="faint">{label}</span>
      {values.map(([id, title]) => (
        <button key={id} data-choice={`${name}-${id}`} aria-pressed={id === value} onClick={() => set_address({ [name]: id })}>{title}</button>
      ))}
    </span>
  );
}

export function Fact({ value, text, help }: { value: string; text: string; help: string }) {
  return <div class="fact" title={help}><b class={value.length > 14 ? "long" : undefined}><bdi>{value}</bdi></b><span>{text}</span></div>;
}

export function kind_title(kind: string): string {
  return kind === "mpi" || kind === "gpu" ? `${kind.toUpperCase()} call` : kind === "openmp" ? "OpenMP" : kind.replace("gpu", "GPU") || "function";
}

// The colours of the kinds of functions.
export function Legend({ kinds }: { kinds: string[] }) {
  use_theme();
  return (
    <p class="legend">
      {kinds.filter((kind) => kind !== "root").map((kind) => <span key={kind}><i style={{ background: kind_color(kind, "") }} />{kind_title(kind)}</span>)}
    </p>
  );
}

// The colours of values: `color` of 0 to 1.
export function Scale({ least, most, color }: { least: string; most: string; color: (share: number) => string }) {
  use_theme();
  const colors = [0, 0.2, 0.4, 0.6, 0.8, 1].map(color);
  return <p class="legend"><span>{least}<i class="scale" style={{ background: `linear-gradient(to right, ${colors.join(", ")})` }} />{most}</span></p>;
}
