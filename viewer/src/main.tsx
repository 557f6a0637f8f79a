// The report page: reads its data, then shows the view that is chosen in the address.
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { set_address, use_address } from "./address.ts";
import { read_blocks } from "./blocks.ts";
import { is_dark, set_dark } from "./colors.ts";
import { set_seconds } from "./format.ts";
import { Profile } from "./model.ts";
import type { Report } from "./view.ts";
import { views } from "./views.ts";
import { grade_of } from "./views/first_screen.tsx";

function Page({ report }: { report: Report }) {
  const address = use_address();
  const [dark, set_dark_shown] = useState(is_dark());
  const chosen = Math.min(report.profiles.length - 1, Math.max(0, Number(address.profile ?? 0) || 0));
  const profile = report.profiles[chosen];
  set_seconds(profile.all_ns / Math.max(1, profile.run.summed_ranks));
  const shown = views.filter((view) => view.exists(report, profile));
  const view = shown.find((candidate) => candidate.id === address.view) ?? shown[0];
  useEffect(() => {
    document.title = `${profile.run.application || "vftrace"}: ${view.title}`;
  }, [view, profile]);
  useEffect(() => {
    const key = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return;
      const place = shown.indexOf(view);
      if (event.key === "]") go(shown[(place + 1) % shown.length].id);
      else if (event.key === "[") go(shown[(place + shown.length - 1) % shown.length].id);
      else if (event.key === "t") toggle();
      else if (event.key === "/") document.querySelector<HTMLInputElement>("input[type=search]")?.focus();
      else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", key);
    return () => window.removeEventListener("keydown", key);
  });
  const go = (id: string): void => set_address({ view: id }, true);
  const toggle = (): void => {
    set_dark(!is_dark());
    set_dark_shown(is_dark());
  };
  const grade = grade_of(profile.block.head.quality ?? []);
  const Shown = view.show;
  return (
    <>
      <header>
        <h1>vftrace</h1>
        <p class="about">
          <strong><bdi>{profile.run.application}</bdi></strong>{" "}
          {report.profiles.length > 1 ? (
            <label>
              <select aria-label="Profile" data-choice="profile" value={String(chosen)}
                onChange={(event) => set_address({ profile: event.currentTarget.value, path: "", zoom: "" })}>
                {report.profiles.map((one, i) => <option key={i} value={String(i)}>{`${one.label}, ${one.date}`}</option>)}
              </select>
            </label>
          ) : (
            <span class="faint"><bdi>{profile.label}</bdi>, {profile.date} UTC</span>
          )}
        </p>
        <button class={`grade ${grade}`} data-button="grade" onClick={() => go("overview")} title="Quality of the measurement: the worst of its figures, which the overview lists">measurement: {grade}</button>
        <button class="theme" data-button="theme" onClick={toggle} aria-pressed={dark} title="Dark or light (key T)">{dark ? "light colours" : "dark colours"}</button>
      </header>
      <nav aria-label="Views">
        <div role="tablist" aria-label="Views">
          {shown.map((candidate) => (
            <button key={candidate.id} role="tab" id={`tab-${candidate.id}`} aria-selected={candidate === view} aria-controls="view" tabIndex={candidate === view ? 0 : -1}
              onClick={() => go(candidate.id)} title={candidate.help}
              onKeyDown={(event) => {
                const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
                if (step === 0) return;
                event.preventDefault();
                const next = shown[(shown.indexOf(candidate) + step + shown.length) % shown.length];
                go(next.id);
                requestAnimationFrame(() => document.getElementById(`tab-${next.id}`)?.focus());
              }}>
              {candidate.title}
            </button>
          ))}
        </div>
      </nav>
      <main>
        <div id="view" role="tabpanel" aria-labelledby={`tab-${view.id}`} data-view={view.id}>
        <h2>{view.title}</h2>
        <p class="help">{view.help}</p>
        <Shown key={`${view.id} ${chosen}`} report={report} profile={profile} views={shown} />
        </div>
      </main>
      <footer>
        {profile.block.head.generator}. Keys: [ and ] change the view, / searches, T switches between dark and light.
      </footer>
    </>
  );
}

async function start(): Promise<void> {
  const place = document.getElementById("page")!;
  set_dark(window.matchMedia("(prefers-color-scheme: dark)").matches);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => set_dark(event.matches));
  // Print in light colours.
  let before = false;
  window.addEventListener("beforeprint", () => {
    before = is_dark();
    set_dark(false);
  });
  window.addEventListener("afterprint", () => set_dark(before));
  try {
    const begin = performance.now();
    const blocks = await read_blocks(document);
    const read = performance.now();
    const report: Report = {
      profiles: blocks.filter((block) => block.head.kind === "profile").map((block) => new Profile(block)),
      runs: blocks.find((block) => block.head.kind === "runs"),
      models: blocks.filter((block) => block.head.kind === "models"),
      trace: blocks.find((block) => block.head.kind === "trace"),
      sources: blocks.find((block) => block.head.kind === "sources"),
    };
    if (report.profiles.length === 0) throw new Error("this page does not contain a profile: it is the template of vftrace report --html");
    place.textContent = "";
    const built = performance.now();
    render(<Page report={report} />, place);
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        document.documentElement.dataset.times = JSON.stringify({ read: read - begin, model: built - read, drawn: performance.now() });
      }),
    );
  } catch (error) {
    place.textContent = "";
    const text = document.createElement("p");
    text.className = "wait";
    text.setAttribute("role", "alert");
    text.textContent = `The report cannot be shown: ${error instanceof Error ? error.message : error}.`;
    place.append(text);
  }
}

void start();
