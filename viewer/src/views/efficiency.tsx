// Efficiencies: factors whose product is the parallel efficiency of the run and of its regions.
import { seconds } from "../format.ts";
import { text_column, Table, type TableColumn } from "../table.tsx";
import type { View, ViewProps } from "../view.ts";

interface Figure { id: string; title: string; value: number; depth: number; bound: string; help: string }
interface Region { region: string; ranks: number; processors: number; elapsed_ns: number; remark: string; figures: Figure[] }

// A row for each figure that one of the columns has.
function Figures({ id, label, regions, titles }: { id: string; label: string; regions: Region[]; titles: string[] }) {
  const figures: Figure[] = [];
  for (const region of regions) {
    let next = 0;
    for (const figure of region.figures) {
      const known = figures.findIndex((other) => other.id === figure.id);
      if (known >= 0) next = known + 1;
      else figures.splice(next++, 0, figure);
    }
  }
  const of = (region: Region, row: number): Figure | undefined => region.figures.find((figure) => figure.id === figures[row].id);
  const columns: TableColumn[] = [
    { id: "figure", title: "Efficiency", help: "A figure is the product of those one level below it", left: true, width: 16,
      value: (row) => figures[row].title, text: (row) => <span title={figures[row].help}>{"\u2003".repeat(figures[row].depth)}{figures[row].title}</span> },
    ...regions.map((region, i): TableColumn => ({
      id: `e${i}`, title: titles[i], unit: "%", help: `${region.ranks} ranks, ${region.processors} processors, ${seconds(region.elapsed_ns)} s. 100 %: nothing is lost`,
      value: (row) => (of(region, row)?.value ?? NaN) * 100 || "", share: (row) => of(region, row)?.value ?? 0,
      text: (row) => { const figure = of(region, row); return figure ? `${figure.bound} ${(100 * figure.value).toFixed(1)}` : ""; },
    })),
    text_column("help", "Meaning", "Meaning of the figure", (row) => figures[row].help, 30),
  ];
  return (
    <>
      <Table id={id} label={label} columns={columns} rows={figures.length} />
      {regions.map((region, i) => region.remark && <p class="foot" key={i}><bdi>{titles[i]}: {region.remark}</bdi></p>)}
    </>
  );
}

function Efficiency({ profile, report }: ViewProps) {
  const regions: Region[] = profile.block.head.efficiencies;
  const runs = report.runs?.head;
  return (
    <>
      {regions.length > 0 && <Figures id="efficiencies" label="Efficiencies" regions={regions} titles={regions.map((region) => region.region || "whole run")} />}
      {runs?.efficiencies.length > 0 && (
        <>
          <h3>Runs compared</h3>
          <Figures id="scaling-efficiencies" label="Efficiencies of the runs" regions={runs.efficiencies} titles={runs.order.map((i: number) => report.profiles[i].label)} />
        </>
      )}
    </>
  );
}

export const efficiency_view: View = {
  id: "efficiency", title: "Efficiencies", help: "The part of the processors' time that went into the program's own work, and where the rest was lost.",
  exists: (report, profile) => (profile.block.head.efficiencies?.length ?? 0) > 0 || (report.runs?.head.efficiencies.length ?? 0) > 0, show: Efficiency,
};
