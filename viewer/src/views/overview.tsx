// Facts about the run, its problems, and how reliable the figures are.
import { set_address } from "../address.ts";
import { bytes, count, percent, time } from "../format.ts";
import { Fact, LineLink } from "../selection.tsx";
import { FirstScreen } from "./first_screen.tsx";
import type { View, ViewProps } from "../view.ts";

// The view that is best for a finding.
function view_of(finding: any, waits: boolean): string {
  return waits && /wait|late/.test(finding.rule) ? "waits"
    : finding.rank !== undefined || /imbalance|rank|host/.test(finding.rule) ? "ranks"
    : /message|collective/.test(finding.rule) ? "communication" : /thread|serial|gpu|openmp/.test(finding.rule) ? "threads" : "flame";
}

// The views that show what these options of `vftrace report` print.
const VIEW_OF_OPTION: Record<string, string> = {
  waits: "waits", matrix: "communication", sizes: "communication", imbalances: "ranks", minmax: "ranks", table: "ranks",
  openmp: "threads", threads: "threads", cuda: "threads", tasks: "tasks", process: "metrics", efficiency: "efficiency",
};

// The next step, in which commands are links where this page has what they print.
function NextStep({ text, views }: { text: string; views: readonly View[] }) {
  const parts = text.split(/("(?:vftrace report )?--[a-z][^"]*"(?:, added to this command,)?)/);
  return (
    <>
      {parts.map((part, i) => {
        const option = /^"(?:vftrace report )?--([a-z]+)/.exec(part)?.[1];
        const view = option === undefined ? undefined : views.find(({ id }) => id === VIEW_OF_OPTION[option]);
        return view === undefined ? <bdi key={i}>{part}</bdi>
          : <a key={i} href={`#view=${view.id}`} onClick={(event) => { event.preventDefault(); set_address({ view: view.id }, true); }}>{view.title}</a>;
      })}
    </>
  );
}

function Overview({ report, profile, views }: ViewProps) {
  const { run, block } = profile;
  const findings: any[] = block.head.findings ?? [];
  const quality: any[] = block.head.quality ?? [];
  const ranks = Math.max(1, run.summed_ranks);
  const share = percent(run.overhead_ns, run.runtime_ns * ranks);
  const show = (finding: any): void => {
    const change: Record<string, string> = { view: view_of(finding, profile.list("waits.states").rows > 0) };
    if (!views.some((view) => view.id === change.view)) change.view = "flame";
    if (finding.path !== undefined) change.path = String(finding.path);
    if (finding.rank !== undefined) change.rank = String(finding.rank);
    set_address(change, true);
  };
  return (
    <>
      <FirstScreen profile={profile} />
      <section aria-label="Findings" data-part="findings">
        <h3>Findings</h3>
        {findings.length === 0 && <p>Nothing stands out in this profile.</p>}
        {findings.map((finding, i) => (
          <div class={finding.saved_seconds > 0 ? "finding notice" : "finding"} key={i} data-rule={finding.rule}>
            <p><strong><bdi>{finding.sentence}</bdi></strong></p>
            <p><bdi>{finding.reason}</bdi> <NextStep text={finding.next_step} views={views} /></p>
            <p class="faint">
              {finding.saved_seconds > 0 ? `Could save at most ${finding.saved_seconds.toFixed(3)} s (${(100 * finding.share).toFixed(1)} %). ` : ""}
              Confidence: {finding.confidence}. <button class="link" onClick={() => show(finding)}>Show it</button> {finding.path !== undefined && <LineLink profile={profile} func={profile.func[finding.path]} />}
            </p>
            {finding.effects?.length > 0 && (
              <ul class="effects" aria-label="Effects of it">
                {finding.effects.map((effect: any, k: number) => (
                  <li key={k} data-rule={effect.rule}><bdi>{effect.sentence}</bdi> <button class="link" onClick={() => show(effect)}>Show it</button></li>
                ))}
              </ul>
            )}
          </div>
        ))}
      </section>
      <h3>The run</h3>
      <div class="facts">
        <Fact value={time(run.application_ns)} text="run time without measuring" help="From the first event to the end, minus pauses and the estimated cost of measuring" />
        <Fact value={time(run.runtime_ns)} text="run time as measured" help="From the first event to the end" />
        <Fact value={count(run.ranks)} text={run.ranks === 1 ? "process" : "MPI ranks"} help="Number of processes of the run" />
        <Fact value={count(run.threads)} text={run.threads === 1 ? "thread" : "threads"} help="Threads that recorded something; with several ranks, of the rank with most threads" />
        <Fact value={count(profile.count)} text="call paths" help="Functions together with the path from which they were called" />
        <Fact value={count(profile.calls.reduce((sum, calls) => sum + calls, 0))} text="calls" help="Calls of all call paths" />
        <Fact value={`${share} %`} text="cost of measuring" help="Estimated time that hooks and wrappers took, as a share of the time of all processes; it is subtracted from the times shown" />
        <Fact value={bytes(run.memory_bytes)} text="memory for call trees" help="Memory of all threads and processes" />
        <Fact value={profile.date} text="start (UTC)" help="When the run began" />
        {run.host && <Fact value={run.host} text="host" help="Host of the first process" />}
      </div>
      {run.command_line && <p class="faint">Arguments: <bdi>{run.command_line}</bdi></p>}
      <h3>Quality of the measurement</h3>
      <div class="facts" data-part="quality">
        {quality.map((item) => (
          <div key={item.title} class={`fact ${item.grade}`} title={item.sentence}>
            <b><bdi>{item.value}</bdi></b><span>{item.title}: {item.grade}</span>{item.grade !== "good" && <p><bdi>{item.sentence}</bdi></p>}
          </div>
        ))}
      </div>
      {quality.length === 0 && block.head.notices.length === 0 && <p>The profiler does not know of any lost or estimated data.</p>}
      {block.head.notices.map((notice: string, i: number) => <div class="finding notice" key={i}><bdi>{notice}</bdi></div>)}
      {block.head.left_out.length > 0 && (
        <p class="faint">Not in this page: {block.head.left_out.join("; ")}. They are in the JSON of the profile.</p>
      )}
      {report.profiles.length > 1 && <p class="faint">This page has {report.profiles.length} profiles; choose the one to show at the top.</p>}
      {run.config && (
        <details>
          <summary>Configuration of the profiler</summary>
          <pre>{run.config}</pre>
        </details>
      )}
    </>
  );
}

export const overview_view: View = {
  id: "overview", title: "Overview", help: "What stands out in the run, how far the figures can be trusted, and facts about the run.",
  exists: () => true, show: Overview,
};
