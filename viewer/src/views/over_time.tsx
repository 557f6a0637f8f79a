// Values over time: power, memory and other values that sources read repeatedly.
import { set_address, use_address } from "../address.ts";
import { metrics_over_time, SeriesPlot, title_of } from "../series_plot.tsx";
import { Choice } from "../selection.tsx";
import type { View, ViewProps } from "../view.ts";

function OverTime({ profile }: ViewProps) {
  const address = use_address();
  const shown = metrics_over_time(profile);
  const chosen = shown.includes(Number(address.series)) ? Number(address.series) : shown[0];
  return (
    <>
      <div class="tools">
        {shown.length > 8 ? (
          <label>Show <select data-choice="series" aria-label="Show" value={String(chosen)} onChange={(event) => set_address({ series: event.currentTarget.value })}>
            {shown.map((one) => <option key={one} value={String(one)}>{title_of(profile, one)}</option>)}
          </select></label>
        ) : <Choice name="series" label="Show" values={shown.map((one) => [String(one), title_of(profile, one)])} value={String(chosen)} />}
      </div>
      <SeriesPlot profile={profile} metric={chosen} name="series" />
    </>
  );
}

export const over_time_view: View = {
  id: "time", title: "Over time", help: "Figures that were read repeatedly while the program ran.",
  exists: (_, profile) => profile.list("series_points").rows > 0, show: OverTime,
};
