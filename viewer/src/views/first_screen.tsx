// The picture at the top of the overview: where the time of each rank went, and the functions with
// the most time.
import { set_address } from "../address.ts";
import { kind_color } from "../colors.ts";
import { use_theme } from "../canvas.tsx";
import { percent, short, time } from "../format.ts";
import type { Profile } from "../model.ts";
import { open_function } from "../selection.tsx";

const most_functions = 5;

export interface TimeBar { label: string; code: number; mpi: number; openmp: number; files: number; waiting: number }
type Part = "code" | "mpi" | "openmp" | "files" | "waiting";
// Titles, and the kinds of functions whose colours they have.
const parts: [Part, string, string][] = [["code", "code", "function"], ["mpi", "MPI", "mpi"], ["openmp", "OpenMP", "openmp"], ["files", "files", "io"], ["waiting", "waiting for processors", "pause"]];

const sum_of = (bar: TimeBar): number => parts.reduce((sum, [part]) => sum + bar[part], 0);

function Bars({ bars }: { bars: TimeBar[] }) {
  use_theme();
  const longest = Math.max(...bars.map(sum_of));
  const used = parts.filter(([part]) => bars.some((bar) => bar[part] > 0));
  return (
    <div data-part="time-bars">
      {bars.map((bar) => (
        <div class="time-bar" key={bar.label}>
          <span>{bar.label}</span>
          <div role="img" aria-label={`${bar.label}: ${used.map(([part, title]) => `${title} ${percent(bar[part], sum_of(bar))} %`).join(", ")}`}>
            {used.map(([part, title, kind]) => bar[part] > 0 && (
              <i key={part} class={part} style={{ width: `${(100 * bar[part]) / longest}%`, background: kind_color(kind, "") }} title={`${title}: ${time(1e9 * bar[part])}, ${percent(bar[part], sum_of(bar))} %`}>
                {bar[part] / longest > 0.16 && `${part === "waiting" ? part : title} ${percent(bar[part], sum_of(bar))} %`}
              </i>
            ))}
          </div>
        </div>
      ))}
      <p class="legend">{used.map(([part, title, kind]) => <span key={part}><i style={{ background: kind_color(kind, "") }} />{title}</span>)}</p>
    </div>
  );
}

function TopFunctions({ profile }: { profile: Profile }) {
  const times = profile.times;
  const order = [...times.exclusive.keys()].filter((f) => times.exclusive[f] > 0).sort((a, b) => times.exclusive[b] - times.exclusive[a]).slice(0, most_functions);
  const most = order.length > 0 ? times.exclusive[order[0]] : 1;
  // Without function hooks or samples, most of a program's own code is in no row.
  const all = Math.max(profile.all_ns, 1e9 * (profile.block.head.thread_time ?? 0));
  const unknown = all - profile.all_ns;
  return (
    <div data-part="top-functions">
      <h3 class="first">Most exclusive time</h3>
      {order.map((f) => (
        <div class="time-bar function" key={f}>
          <span>{percent(times.exclusive[f], all)} %</span>
          <div>
            <i style={{ width: `${(100 * times.exclusive[f]) / most}%` }} />
            <button class="link" onClick={() => open_function(f)} title={`${time(times.exclusive[f])} exclusive, ${time(times.inclusive[f])} inclusive`}><bdi>{short(profile.names[f], 70)}</bdi></button>
          </div>
        </div>
      ))}
      {unknown > 0.05 * all && <p class="foot">{percent(unknown, all)} % in no row: code whose functions were not recorded</p>}
      <p class="foot"><button class="link" onClick={() => set_address({ view: "functions" }, true)}>All functions</button></p>
    </div>
  );
}

// The worst grade of all figures.
export function grade_of(quality: { grade: string }[]): string {
  return ["poor", "fair"].find((grade) => quality.some((figure) => figure.grade === grade)) ?? "good";
}

export function FirstScreen({ profile }: { profile: Profile }) {
  const bars: TimeBar[] = profile.block.head.time_bars ?? [];
  if (bars.length === 0) return null;
  return (
    <section class="first-screen" aria-label="Where the time went">
      <div>
        <h3 class="first">Where the time went</h3>
        <Bars bars={bars} />
      </div>
      <TopFunctions profile={profile} />
    </section>
  );
}
