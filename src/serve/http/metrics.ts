/** The service's counters. */
export class Metrics {
  /** By operation, then by status. */
  readonly #answers = new Map<string, Map<number, number>>();
  readonly #counters = {
    sent_bytes_total: 0,
    /** Answers that came from the cache of whole responses. */
    kept_answers_total: 0,
    /** Requests and connections that were refused, and answers that were cut off, to protect the service. */
    shed_total: 0,
    upstream_failures_total: 0,
  };

  /** Counts an answer that was sent, completely or not. */
  answered(operation: string, status: number, bytes: number): void {
    const counts = this.#answers.get(operation) ?? new Map<number, number>();
    this.#answers.set(operation, counts.set(status, (counts.get(status) ?? 0) + 1));
    this.#counters.sent_bytes_total += bytes;
  }

  count(what: "kept_answers" | "shed" | "upstream_failures"): void {
    this.#counters[`${what}_total`] += 1;
  }

  /** The counters in Prometheus' text format, followed by `gauges`, which are current values. */
  text(gauges: Readonly<Record<string, number | bigint>>): string {
    const lines = ["# TYPE movedex_serve_answers_total counter"];
    for (const [operation, counts] of [...this.#answers].sort(([a], [b]) => (a < b ? -1 : 1))) {
      for (const [status, count] of counts) lines.push(`movedex_serve_answers_total{operation="${operation}",status="${status}"} ${count}`);
    }
    for (const [name, value] of Object.entries(this.#counters)) {
      lines.push(`# TYPE movedex_serve_${name} counter`, `movedex_serve_${name} ${value}`);
    }
    for (const [name, value] of Object.entries(gauges)) lines.push(`# TYPE movedex_serve_${name} gauge`, `movedex_serve_${name} ${value}`);
    return `${lines.join("\n")}\n`;
  }
}

type Labels = Readonly<Record<string, string>>;

/** One metric: a gauge with a value for each set of labels. */
export type Metric = {
  readonly name: string;
  readonly help: string;
  readonly values: readonly { readonly labels?: Labels; readonly value: number | undefined }[];
};

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
