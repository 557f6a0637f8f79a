// Views that consist of tables of `vftrace report`: sections, tasks, regions by host, counters.
import { DataTables } from "../data_table.tsx";
import { metrics_over_time, SeriesPlot } from "../series_plot.tsx";
import type { Profile } from "../model.ts";
import type { View, ViewProps } from "../view.ts";

function tables_view(id: string, title: string, help: string, names: string[]): View {
  const tables = (profile: Profile) => names.flatMap((name) => profile.tables(name));
  return {
    id, title, help,
    exists: (_, profile) => tables(profile).length > 0,
    show: ({ profile }: ViewProps) => <DataTables tables={tables(profile)} />,
  };
}

export const sections_view = tables_view("sections", "Sections", "Sections that the program registers, by their levels.", ["sections"]);
export const tasks_view = tables_view("tasks", "Tasks", "Types of asynchronous tasks, and which of them took the time between snapshots.", ["tasks", "tasks --over-time"]);
export const regions_view: View = {
  id: "regions", title: "Regions", help: "Regions annotated for other tools; time, energy and power of regions by host, and the power over time.",
  exists: (_, profile) => profile.tables("regions").length > 0,
  show: ({ profile }: ViewProps) => {
    const power = metrics_over_time(profile).filter((metric) => profile.block.head.metrics[metric].name.startsWith("region.power_at"));
    return (
      <>
        <DataTables tables={profile.tables("regions")} />
        {power.map((metric, i) => <div key={metric}><h3>Power over time</h3><SeriesPlot profile={profile} metric={metric} name={`power${i || ""}`} /></div>)}
      </>
    );
  },
};
export const metrics_view = tables_view("metrics", "Counters and metrics", "Hardware counters, observables, and metrics of other sources by call path, process and host; functions that lost their hooks.",
  ["hwprof", "metrics", "process", "hosts", "binding", "latencies", "filtered"]);
