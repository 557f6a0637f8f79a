// Source files, with the time of the functions that begin at a line.
import { useMemo } from "preact/hooks";
import { set_address, use_address } from "../address.ts";
import { time } from "../format.ts";
import type { Profile } from "../model.ts";
import { number_of, open_function } from "../selection.tsx";
import { text_column, time_column, Table } from "../table.tsx";
import type { View, ViewProps } from "../view.ts";

interface File {
  name: string;
  text: string;
  functions: number[];
  ns: number;
}

function files_of(profile: Profile, names: string[], texts: string[]): File[] {
  const file = profile.functions.texts("file");
  const files = names.map((name, i): File => ({ name, text: texts[i], functions: [], ns: 0 }));
  const place = new Map(names.map((name, i) => [name, i]));
  file.forEach((name, func) => {
    const at = place.get(name) ?? place.get(name.split("/").pop()!);
    if (at === undefined || profile.times.paths[func] === 0) return;
    files[at].functions.push(func);
    files[at].ns += profile.times.exclusive[func];
  });
  return files.filter((one) => one.functions.length > 0).sort((a, b) => b.ns - a.ns);
}

function Sources({ report, profile }: ViewProps) {
  const address = use_address();
  const list = report.sources!.lists.get("files")!;
  const files = useMemo(() => files_of(profile, list.texts("name"), list.texts("text")), [profile]);
  const line = profile.functions.numbers("line");
  const chosen_function = number_of(address.function, profile.names.length);
  const of_function = files.findIndex((file) => file.functions.includes(chosen_function));
  const by_address = number_of(address.file, files.length);
  const chosen = by_address >= 0 ? by_address : Math.max(0, of_function);
  const file = files[chosen];
  if (!file) return <p>The source files of this page do not contain functions of this profile.</p>;
  const at_line = new Map<number, number[]>();
  for (const func of file.functions) at_line.set(line[func], [...(at_line.get(line[func]) ?? []), func]);
  return (
    <>
      <Table id="files" label="Source files" rows={files.length} sort="-time" height={200} selected={chosen} on_select={(row) => set_address({ file: String(row) })}
        columns={[
          text_column("file", "File", "Path from the debug information", (row) => files[row].name),
          { id: "functions", title: "Functions", help: "Functions of the profile in this file", value: (row) => files[row].functions.length },
          time_column("time", "Exclusive", "Time in the functions of this file themselves", (row) => files[row].ns, { share: (row) => files[row].ns / (files[0].ns || 1) }),
        ]} />
      <p class="foot">The time at the line where a function begins is that of the whole function. Functions: {file.functions.map((func, i) => (
        <span key={func}>{i > 0 && ", "}<button class="link" onClick={() => document.getElementById(`line-${line[func]}`)?.scrollIntoView({ block: "center" })}><bdi>{profile.names[func]}</bdi></button></span>
      ))}</p>
      <div class="source" tabIndex={0} aria-label={`Text of ${file.name}`} role="region">
        {file.text.replace(/\n$/, "").split("\n").map((text, i) => {
          const here = at_line.get(i + 1);
          const ns = here?.reduce((sum, func) => sum + profile.times.exclusive[func], 0) ?? 0;
          return (
            <div key={i} id={`line-${i + 1}`} class={here ? "hot" : undefined}>
              <span>{here && <button class="link" title="Callers and callees" onClick={() => open_function(here[0])}>{time(ns)}</button>}</span><span>{i + 1}</span><bdi>{text}</bdi>
            </div>
          );
        })}
      </div>
    </>
  );
}

export const sources_view: View = {
  id: "sources", title: "Source lines", help: "Source files with the time of the functions that begin at a line.",
  exists: (report, profile) => report.sources !== undefined && profile.functions.texts("file").some((file) => file !== ""), show: Sources,
};
