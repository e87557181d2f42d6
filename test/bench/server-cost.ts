import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findBinaries } from "../support/postgres/binaries.ts";
import { type Server, startServer } from "../support/postgres/server.ts";
import { processFields, TICK_MS } from "./process-cost.ts";

/** A PostgreSQL 18 of the bench's own, with the server's defaults but for these settings. */
export async function benchServer(settings: Readonly<Record<string, string>> = {}): Promise<Server> {
  const binaries = findBinaries(18);
  if (typeof binaries === "string") throw new Error(binaries);
  return startServer(binaries, { shared_buffers: "128MB", ...settings });
}

/**
 * Processor time that a PostgreSQL server has used since its start, in milliseconds: the postmaster's, that of the processes that it
 * has, and of those that it had. Source: proc_pid_stat(5), fields 14 to 17.
 */
export function serverCpuMs({ directory }: Server): number {
  const postmaster = readFileSync(join(directory, "data", "postmaster.pid"), "utf8").split("\n")[0];
  let ticks = 0;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    let fields: readonly string[];
    try {
      fields = processFields(pid);
    } catch {
      continue;
    }
    if (pid !== postmaster && fields[1] !== postmaster) continue;
    ticks += Number(fields[11]) + Number(fields[12]) + (pid === postmaster ? Number(fields[13]) + Number(fields[14]) : 0);
  }
  return ticks * TICK_MS;
}
