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
