/** What the service counts about itself. */
export class Metrics {
  /** By operation, then by status. */
  readonly #answers = new Map<string, Map<number, number>>();
  #bytes = 0;
  #shed = 0;
  #kept = 0;
  #upstreamFailures = 0;

  /** An answer that was sent, whole or not. */
  answered(operation: string, status: number, bytes: number): void {
    let counts = this.#answers.get(operation);
    if (counts === undefined) {
      counts = new Map();
      this.#answers.set(operation, counts);
    }
    counts.set(status, (counts.get(status) ?? 0) + 1);
    this.#bytes += bytes;
  }

  /** A request or a connection that was turned away, or an answer cut off, to protect the rest. */
  shed(): void {
    this.#shed += 1;
  }

  /** An answer that was at hand as a whole. */
  kept(): void {
    this.#kept += 1;
  }

  upstreamFailed(): void {
    this.#upstreamFailures += 1;
  }

  /** The counts in the text form that Prometheus reads, with `gauges` (values of this moment) after them. */
  text(gauges: Readonly<Record<string, number | bigint>>): string {
    const lines = ["# TYPE movedex_serve_answers_total counter"];
    for (const [operation, counts] of [...this.#answers].sort(([a], [b]) => (a < b ? -1 : 1))) {
      for (const [status, count] of counts) lines.push(`movedex_serve_answers_total{operation="${operation}",status="${status}"} ${count}`);
    }
    const counters = {
      sent_bytes_total: this.#bytes,
      kept_answers_total: this.#kept,
      shed_total: this.#shed,
      upstream_failures_total: this.#upstreamFailures,
    };
    for (const [name, value] of Object.entries(counters)) {
      lines.push(`# TYPE movedex_serve_${name} counter`, `movedex_serve_${name} ${value}`);
    }
    for (const [name, value] of Object.entries(gauges)) lines.push(`# TYPE movedex_serve_${name} gauge`, `movedex_serve_${name} ${value}`);
    return `${lines.join("\n")}\n`;
  }
}
