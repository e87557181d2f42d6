import { cpus, loadavg } from "node:os";

/** Where and when a measurement was made: date, processor, Node, load before the start. */
export function describeMachine(): string {
  const [cpu] = cpus();
  const date = new Date().toISOString().slice(0, 10);
  return `${date}, ${cpus().length} × ${cpu?.model.trim() ?? "unknown"}, Node ${process.versions.node}, load ${loadavg()[0]?.toFixed(2)}`;
}
