import type { Metric } from "../../core/cli/hooks.ts";

type Labels = Readonly<Record<string, string>>;

/** What makes metrics with a value for each of some rows. */
export function metricsOf<Row>(prefix: string, rows: readonly Row[], labelsOf: (row: Row) => Labels) {
  return (name: string, help: string, measure: (row: Row) => number | undefined): Metric => ({
    name: `${prefix}_${name}`,
    help,
    values: rows.map((row) => ({ labels: labelsOf(row), value: measure(row) })),
  });
}

/** A metric whose values have these labels before their own. */
export function withLabels(metric: Metric, labels: Labels): Metric {
  return { ...metric, values: metric.values.map((one) => ({ ...one, labels: { ...labels, ...one.labels } })) };
}

/** Metrics in Prometheus' text format (its documentation, "Exposition formats"); a metric without a finite value is left out. */
export function metricsText(metrics: readonly Metric[]): string {
  return metrics.map(metricText).join("");
}

function metricText({ name, help, values }: Metric): string {
  const lines = values.filter(({ value }) => Number.isFinite(value)).map(({ labels, value }) => `${name}${labelText(labels)} ${value}\n`);
  return lines.length === 0 ? "" : `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join("")}`;
}

function labelText(labels: Labels = {}): string {
  const parts = Object.entries(labels).map(
    ([key, text]) => `${key}="${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`,
  );
  return parts.length === 0 ? "" : `{${parts.join(",")}}`;
}
