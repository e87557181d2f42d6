import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { listen } from "../loopback.ts";
import { type PackedRelease, packCheckout } from "../package/pack.ts";
import { findBinaries, removeCopies } from "../postgres/binaries.ts";
import { type Server, startServer } from "../postgres/server.ts";
import { openRunDirectory, roomyDirectory } from "./run-directory.ts";

/**
 * One server of each version for a whole run of the tests, and one packed release, made for the first file that asks. The files run in
 * processes of their own, so they ask this one, by HTTP on loopback: `GET /18` answers with the port, or with why there is none,
 * `GET /release` with paths. All that the run leaves behind ends with it.
 */
export default async function setup({ vitest }: TestProject): Promise<() => Promise<void>> {
  // The short run writes into memory, where thousands of databases cost a tenth less; the long one on the disk.
  const isLong = vitest.config.project.some((name) => name.startsWith("long"));
  const directory = await openRunDirectory(isLong ? tmpdir() : roomyDirectory());
  process.env["TMPDIR"] = directory.path;
  const servers = new Map<number, Promise<Server | string>>();
  const serverOf = (version: number): Promise<Server | string> => {
    const known = servers.get(version) ?? start(version);
    servers.set(version, known);
    return known;
  };
  let release: Promise<PackedRelease> | undefined;
  const broker = createServer(async (request, response) => {
    if (request.url === "/release") {
      release ??= packCheckout(join(directory.path, "release"));
      const end = (status: number, text: string) => response.writeHead(status).end(text);
      return void (await release.then(
        (packed) => end(200, JSON.stringify(packed)),
        (error: Error) => end(500, error.message),
      ));
    }
    const server = await serverOf(Number(request.url?.slice(1)));
    response.end(JSON.stringify(typeof server === "string" ? { missing: server } : { port: server.port }));
  });
  process.env["MOVEDEX_TEST_SHARED"] = `http://127.0.0.1:${await listen(broker)}`;
  return async () => {
    broker.close();
    broker.closeAllConnections();
    for (const server of await Promise.all(servers.values())) if (typeof server !== "string") await server.remove();
    removeCopies();
    await directory[Symbol.asyncDispose]();
  };
}

async function start(version: number): Promise<Server | string> {
  const found = findBinaries(version);
  if (typeof found === "string") return found;
  return await startServer(found).catch((error: Error) => `PostgreSQL ${version} does not start: ${error.message}`);
}
