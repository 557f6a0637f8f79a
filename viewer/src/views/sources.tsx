// Source files: the time of their lines from samples, and that of the functions that begin at a line.
import { useEffect, useMemo } from "preact/hooks";
import { set_address, use_address } from "../address.ts";
import { percent, time } from "../format.ts";
import { hottest_line, last_part, lines_of, place_text } from "../lines.ts";
import type { Profile } from "../model.ts";
import { number_of, open_function } from "../selection.tsx";
import { text_column, time_column, Table } from "../table.tsx";
import type { View, ViewProps } from "../view.ts";

interface LineTime {
  ns: number;
  with_inlined: number;
  samples: number;
  func: number; // that has most of it
}

interface File {
  name: string;
  text: string;
  functions: number[];
  lines: Map<number, LineTime>;
  ns: number;
}

function files_of(profile: Profile, names: string[], texts: string[]): File[] {
  const file = profile.functions.texts("file");
  const files = names.map((name, i): File => ({ name, text: texts[i], functions: [], lines: new Map(), ns: 0 }));
  const place = new Map(names.map((name, i) => [name, i]));
  // With --anonymous, only the last part of a name is left.
  const file_named = (name: string) => files[place.get(name) ?? place.get(last_part(name)) ?? -1];
  const from_lines = new Set<File>();
  for (const line of lines_of(profile)) {
    const here = file_named(line.file);
    if (!here) continue;
    from_lines.add(here);
    here.ns += line.ns;
    const sum = here.lines.get(line.line);
    if (!sum) here.lines.set(line.line, { ...line });
    else {
      if (line.with_inlined > sum.with_inlined) sum.func = line.func;
      sum.ns += line.ns;
      sum.with_inlined += line.with_inlined;
      sum.samples += line.samples;
    }
  }
  file.forEach((name, func) => {
    const here = file_named(name);
    if (!here || profile.times.paths[func] === 0) return;
    here.functions.push(func);
    if (!from_lines.has(here)) here.ns += profile.times.exclusive[func];
  });
  return files.filter((one) => one.functions.length > 0 || one.lines.size > 0).sort((a, b) => b.ns - a.ns);
}

const to_line = (line: number): void => document.getElementById(`line-${line}`)?.scrollIntoView({ block: "center" });

function LinesTable({ profile }: { profile: Profile }) {
  const lines = lines_of(profile);
  return (
    <Table id="lines" label="Source lines" rows={lines.length} sort="-time" height={360}
      on_select={(row) => open_function(lines[row].func)}
      columns={[
        text_column("line", "Line", "File and line from the debug information", (row) => place_text(lines[row])),
        time_column("time", "In itself", "Time in the code of the line, without inlined functions", (row) => lines[row].ns, { share: (row) => lines[row].ns / (profile.all_ns || 1) }),
        time_column("inlined", "With inlined", "Time of the line with what is inlined there", (row) => lines[row].with_inlined),
        { id: "samples", title: "Samples", help: "Samples in the code of the line", value: (row) => lines[row].samples },
        text_column("function", "Function", "That the line is in, or is inlined in", (row) => profile.names[lines[row].func]),
      ]} />
  );
}

function Text({ profile, file }: { profile: Profile; file: File }) {
  const begins = profile.functions.numbers("line");
  const at_line = new Map<number, number[]>();
  for (const func of file.functions) at_line.set(begins[func], [...(at_line.get(begins[func]) ?? []), func]);
  const hottest = Math.max(...[...file.lines.values()].map((line) => line.with_inlined), 1);
  return (
    <div class="source" tabIndex={0} aria-label={`Text of ${file.name}`} role="region">
      {file.text.replace(/\n$/, "").split("\n").map((text, i) => {
        const here = at_line.get(i + 1);
        const own = file.lines.get(i + 1);
        const of_functions = here?.reduce((sum, func) => sum + profile.times.exclusive[func], 0) ?? 0;
        const shown = own ? own.with_inlined : of_functions;
        const help = own ? `${time(own.ns)} in the line itself, ${own.samples} samples` : "Callers and callees";
        return (
          <div key={i} id={`line-${i + 1}`} class={own ? "sampled" : here ? "hot" : undefined}
            style={own ? { "--heat": String(own.with_inlined / hottest) } : undefined}>
            <span>{(own || here) && <button class="link" title={help} onClick={() => open_function(here ? here[0] : own!.func)}>{time(shown)}</button>}</span>
            <span>{own && `${percent(own.with_inlined, profile.all_ns)} %`}</span>
            <span>{i + 1}</span><bdi>{text}</bdi>
          </div>
        );
      })}
    </div>
  );
}

function Files({ profile, files }: { profile: Profile; files: File[] }) {
  const address = use_address();
  const begins = profile.functions.numbers("line");
  const chosen_function = number_of(address.function, profile.names.length);
  const hot = chosen_function < 0 ? undefined : hottest_line(profile, chosen_function);
  const of_function = files.findIndex((one) =>
    hot ? one.name === hot.file || one.name === last_part(hot.file) : one.functions.includes(chosen_function));
  const by_address = number_of(address.file, files.length);
  const chosen = by_address >= 0 ? by_address : Math.max(0, of_function);
  const file = files[chosen];
  useEffect(() => {
    if (address.line) to_line(Number(address.line));
    else if (hot && chosen === of_function) to_line(hot.line);
  }, [address.line, address.function, chosen]);
  return (
    <>
      <Table id="files" label="Source files" rows={files.length} sort="-time" height={200} selected={chosen} on_select={(row) => set_address({ file: String(row), line: "" })}
        columns={[
          text_column("file", "File", "Path from the debug information", (row) => files[row].name),
          { id: "functions", title: "Functions", help: "Functions of the profile in this file", value: (row) => files[row].functions.length },
          time_column("time", "Exclusive", "Exclusive time of the lines of this file, or of its functions", (row) => files[row].ns, { share: (row) => files[row].ns / (files[0].ns || 1) }),
        ]} />
      <p class="foot">{file.lines.size > 0 ? "The time of a line is from samples, with what is inlined there." : "The time at the line where a function begins is that of the whole function."} Functions: {file.functions.map((func, i) => (
        <span key={func}>{i > 0 && ", "}<button class="link" onClick={() => to_line(hottest_line(profile, func)?.line ?? begins[func])}><bdi>{profile.names[func]}</bdi></button></span>
      ))}</p>
      <Text profile={profile} file={file} />
    </>
  );
}

function Sources({ report, profile }: ViewProps) {
  const list = report.sources?.lists.get("files");
  const files = useMemo(() => (list ? files_of(profile, list.texts("name"), list.texts("text")) : []), [profile]);
  return (
    <>
      {files.length > 0 ? <Files profile={profile} files={files} />
        : list && <p>The source files of this page do not contain functions of this profile.</p>}
      {lines_of(profile).length > 0 && <LinesTable profile={profile} />}
      {files.length === 0 && !list && <p class="foot">The text of the lines is shown if the page is written with --sources DIR.</p>}
    </>
  );
}

export const sources_view: View = {
  id: "sources", title: "Source lines", help: "The time of source lines from samples, and source files with the time of the functions that begin at a line.",
  exists: (report, profile) => lines_of(profile).length > 0 ||
    (report.sources !== undefined && profile.functions.texts("file").some((file) => file !== "")), show: Sources,
};
