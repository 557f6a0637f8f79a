// A flame graph of one of several figures that call paths have in a list.
import { useMemo, useState } from "preact/hooks";
import { use_address } from "./address.ts";
import { kind_color } from "./colors.ts";
import { FlameChart } from "./flame_chart.tsx";
import { sums_tree } from "./flame_layout.ts";
import { bytes } from "./format.ts";
import type { Profile } from "./model.ts";
import { Choice, open_function } from "./selection.tsx";

interface Props {
  profile: Profile;
  name: string; // in the address, and of the chart
  label: string;
  list: string;
  path: string; // the column with the path
  figures: [string, string][]; // columns of the list, and what they are called
  texts: Record<string, (value: number) => string>; // of figures that are not bytes
  help: string; // what the width of a box is
}

export function SumsFlame({ profile, name, label, list, path, figures, texts, help }: Props) {
  const address = use_address();
  const figure = figures.some(([one]) => one === address[name]) ? address[name]! : figures[0][0];
  const { tree, all } = useMemo(() => {
    const rows = profile.list(list);
    const of_path = rows.numbers(path);
    const value = rows.numbers(figure);
    return sums_tree(profile, (add) => of_path.forEach((one, i) => add(one, value[i])));
  }, [profile, figure]);
  const [zoom, set_zoom] = useState(-1);
  const [selected, set_selected] = useState(-1);
  return (
    <>
      <div class="tools"><Choice name={name} label={label} values={figures} value={figure} /></div>
      {all > 0 ? (
        <FlameChart key={figure} name={name} label={`Flame graph: ${label}`} tree={tree} names={(func) => profile.names[func]} whole={all} height={320}
          color={(id) => kind_color(profile.kinds[tree.func(id)], profile.names[tree.func(id)])} text={texts[figure] ?? bytes}
          zoom={zoom} selected={selected} on_zoom={(id) => set_zoom(id === zoom ? -1 : id)} on_select={set_selected}
          on_open={(id) => open_function(tree.func(id))} />
      ) : <p class="foot">There is none.</p>}
      <p class="foot">The width of a box is {help} Click a box to zoom in.</p>
    </>
  );
}
