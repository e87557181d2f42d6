/** One metric: a gauge with a value for each set of labels. */
export type Metric = {
  readonly name: string;
  readonly help: string;
  readonly values: readonly { readonly labels?: Readonly<Record<string, string>>; readonly value: number }[];
};

/** Metrics in Prometheus' text format (its documentation, "Exposition formats"); a metric without a finite value is left out. */
export function metricsText(metrics: readonly Metric[]): string {
  return metrics.map(metricText).join("");
}

function metricText({ name, help, values }: Metric): string {
  const lines = values.filter(({ value }) => Number.isFinite(value)).map(({ labels, value }) => `${name}${labelText(labels)} ${value}\n`);
  return lines.length === 0 ? "" : `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join("")}`;
}

function labelText(labels: Readonly<Record<string, string>> = {}): string {
  const parts = Object.entries(labels).map(
    ([key, text]) => `${key}="${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`,
  );
  return parts.length === 0 ? "" : `{${parts.join(",")}}`;
}
