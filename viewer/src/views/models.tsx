// Models of how times grow with the parameters of runs, with measured and predicted values.
import { useMemo } from "preact/hooks";
import { set_address, use_address } from "../address.ts";
import { number, percent } from "../format.ts";
import { Plot, type PlotLine } from "../plot.tsx";
import { curves_of, expected_of, factor_of, type Models, note_of, path_of, type PathModel, type Point } from "../scaling_models.ts";
import { matching } from "../search.ts";
import { Choice, number_of, PathLine, Search } from "../selection.tsx";
import { text_column, Table } from "../table.tsx";
import type { View, ViewProps } from "../view.ts";

const most_series = 6;
const point_text = (point: Point): string => Object.entries(point).map(([name, value]) => `${name} = ${number(value)}`).join(", ");
const name_of = (model: PathModel): string => model.path ?? "(whole program)";

function ModelsView({ report, profile }: ViewProps) {
  const address = use_address();
  const documents = report.models;
  const chosen = Math.max(0, number_of(address.models, documents.length));
  const { label, models } = documents[chosen].head as { label: string; models: Models };
  const metric = Math.max(0, models.metrics.findIndex((one) => one.metric === address.of));
  const { title, unit, ...what } = models.metrics[metric];
  const over = models.parameters.includes(address.over) ? address.over : models.parameters[0];
  // The address identifies the chosen model by its path; the first row is that of the program.
  const rows = useMemo(() => [...(what.program ? [what.program] : []), ...what.paths], [models, metric]);
  const row = Math.max(0, rows.findIndex((one) => name_of(one) === address.model));
  const matches = useMemo(() => matching(rows.map(name_of), address.q ?? ""), [rows, address.q]);
  const model = rows[row];
  const unit_text = unit ? ` [${unit}]` : "";
  const curves = useMemo(() => model && curves_of(models, model, over, most_series), [models, model, over]);
  const lines = useMemo(() => {
    if (!curves) return [];
    const several = models.parameters.length > 1;
    const depends = (model.bound?.powers ?? []).some((power, i) => power !== 0 && models.parameters[i] !== over) || model.terms.some((term) => term.factors.some((factor) => factor.parameter !== over));
    const result: PlotLine[] = curves.series.flatMap((one, i): PlotLine[] => {
      const of = several ? `, ${point_text(one.others)}` : "";
      // If the other parameters are not in the formula, one line is enough.
      const drawn: PlotLine[] = depends || i === curves.series.length - 1 ? [{ name: `${model.bound ? "at least" : "model"}${depends ? of : ""}`, values: one.model, color: i, dashed: true }] : [];
      if (one.measured.some((value) => value !== null))
        drawn.push({ name: `measured${of}`, values: one.measured, least: one.least, most: one.most, color: i, points: true });
      return drawn;
    });
    if (curves.wrong.some((value) => value !== null)) result.push({ name: "does not count", values: curves.wrong, color: most_series + 2, points: true });
    if (curves.interval.most.some((value) => value !== null))
      result.push({ name: `95 % interval${several ? ` for ${point_text(Object.fromEntries(Object.entries(models.target).filter(([name]) => name !== over)))}` : ""}`,
        values: curves.interval.most.map(() => null), least: curves.interval.least, most: curves.interval.most, color: most_series + 1, band: true });
    result.push({ name: `predicted for ${point_text(models.target)}`, values: curves.predicted.value, least: curves.predicted.least, most: curves.predicted.most, color: most_series + 1, points: true });
    return result;
  }, [curves]);
  const path = useMemo(() => (model ? path_of(profile, model) : -1), [profile, model]);
  const value_column = (id: string, heading: string, help: string, of: (model: PathModel) => number | null) =>
    ({ id, title: heading, unit, help, value: (i: number) => of(rows[i]) ?? "", text: (i: number) => { const value = of(rows[i]); return value === null ? "" : unit === "s" ? value.toFixed(4) : number(value); } });
  return (
    <>
      <p class="foot" data-part="models">
        <bdi>{label}</bdi>: {models.runs.length} runs of <bdi>{models.application.split("/").pop()}</bdi>{Object.keys(models.constant_parameters).length > 0 && ` with ${point_text(models.constant_parameters)}`}.
        Largest measured: {point_text(models.largest)}. Predicted for {point_text(models.target)}.
      </p>
      {what.findings?.map((finding, i) => <div class="finding notice" data-part="model-finding" key={i}><bdi>{finding}</bdi></div>)}
      {models.notes?.map((note, i) => <div class="finding notice" key={i}><bdi>{note}</bdi></div>)}
      <div class="tools">
        {documents.length > 1 && (
          <label>Models <select data-choice="models" aria-label="Document of models" value={String(chosen)} onChange={(event) => set_address({ models: event.currentTarget.value, model: "" })}>
            {documents.map((one, i) => <option key={i} value={String(i)}>{one.head.label}</option>)}
          </select></label>
        )}
        <Search label="Search for call paths" />
        {models.metrics.length > 1 && <Choice name="of" label="Of" values={models.metrics.map((one): [string, string] => [one.metric, one.title])} value={models.metrics[metric].metric} />}
        {models.parameters.length > 1 && <Choice name="over" label="Over" values={models.parameters.map((one): [string, string] => [one, one])} value={over} />}
        <Choice name="axes" label="Axes" values={[["log", "logarithmic"], ["linear", "linear"]]} value={address.axes ?? "log"} />
      </div>
      {curves && (
        <>
          <h3><bdi>{name_of(model)}</bdi></h3>
          <p class="foot" data-part="formula"><bdi>{model.bound ? `${title}: ${model.formula}` : `${title}${unit_text} = ${model.formula}`}</bdi>. Grows as <bdi>{model.order}</bdi>.</p>
          <Plot name="growth-model" label={`Model of ${name_of(model)}`} x_label={over} y_label={`${title}${unit_text}`} x={curves.x} lines={lines} height={340} log={address.axes !== "linear" && curves.x[0] > 0} />
          {curves.left_out > 0 && <p class="foot">{curves.left_out} combinations of smaller values of the other parameters are not drawn.</p>}
        </>
      )}
      <h3>{title}: models</h3>
      <Table id="models" label="Models" rows={rows.length} height={380} selected={row} filter_key={`${address.q ?? ""} ${chosen} ${metric}`} filter={(i) => !matches || matches[i] === 1}
        on_select={(i) => {
          const found = path_of(profile, rows[i]);
          set_address({ model: name_of(rows[i]), ...(found >= 0 ? { path: String(found), function: String(profile.func[found]) } : {}) });
        }}
        columns={[
          text_column("path", "Call path", "The function first, then its callers", (i) => name_of(rows[i])),
          text_column("formula", "Model", "The value as a formula of the parameters", (i) => rows[i].formula, 24),
          text_column("order", "Grows as", "Its fastest growing term", (i) => rows[i].order, 7),
          value_column("largest", "Largest", "Value of the model at the largest measured point", (one) => one.at_largest),
          value_column("predicted", "Predicted", "Value of the model at the predicted point", (one) => one.predicted),
          value_column("from", "From", "Lower end of the 95 % confidence interval of the prediction", (one) => one.predicted_from),
          value_column("to", "To", "Upper end of the 95 % confidence interval of the prediction", (one) => one.predicted_to),
          { id: "factor", title: "Factor", help: "Predicted value, divided by that at the largest point", value: (i) => factor_of(rows[i]), text: (i) => factor_of(rows[i]).toFixed(2) },
          { id: "share", title: "Share", unit: "%", help: "Share of the predicted value of the whole program", value: (i) => (what.program ? (100 * expected_of(rows[i])) / (expected_of(what.program) || 1) : ""),
            text: (i) => (what.program ? percent(expected_of(rows[i]), expected_of(what.program)) : ""), share: (i) => (what.program && rows[i].path !== undefined ? expected_of(rows[i]) / (expected_of(what.program) || 1) : 0) },
          { id: "r2", title: "Adj. R\u00b2", help: "Part of the differences between points that the model explains (1: all), adjusted for its terms; empty for constants", value: (i) => rows[i].adjusted_r2 ?? "", text: (i) => rows[i].adjusted_r2?.toFixed(4) ?? "" },
          { id: "smape", title: "SMAPE", unit: "%", help: "How far points lie from the model (symmetric mean absolute percentage error)", value: (i) => rows[i].smape_percent, text: (i) => rows[i].smape_percent.toFixed(1) },
          ...(rows.some((one) => one.analysis !== undefined) ? [text_column("analysis", "Analysis", "The parameters that an analysis of the program found for the path", (i) => rows[i].analysis ?? "", 8)] : []),
          text_column("note", "Note", "no formula: none fits, there is a lower bound; two formulas: values jump or bend; growth unclear: more than noise often causes, less than is certain; without a point: it does not fit the formula of the others; noisy: runs, or points and model, differ by more than 15 %", (i) => note_of(rows[i], models.runs.length), 9),
        ]} />
      <p class="foot">
        {what.below_min_share > 0 && `${what.below_min_share} call paths take too small a share of the program for a model. `}
        {what.in_too_few_runs > 0 && `${what.in_too_few_runs} are in too few runs. `}
        {what.rows_left_out > 0 && `${what.rows_left_out} more rows are not in the document: see vftrace model --limit. `}
      </p>
      <PathLine profile={profile} path={path} />
    </>
  );
}

export const models_view: View = {
  id: "models", title: "Models", help: "How times grow with the problem size or the number of ranks: formulas found by vftrace model, the measured points, and predictions. Choosing a row chooses its call path in all views.",
  exists: (report) => report.models.some((block) => block.head.models.metrics.length > 0), show: ModelsView,
};
