import { isLongRun } from "../../run-size.ts";
import { betweenVersions, knownVersions } from "./binaries.ts";

/** A server that the tests of this run share, or why there is none of that version. */
export type SharedServer = { readonly version: number; readonly url?: string; readonly missing?: string };

/**
 * The servers of this run; those that can be had are running. The long run has one of each known version, the short run the
 * newest that can be had.
 */
export const sharedServers: readonly SharedServer[] = await findServers();

/** Servers of the versions between those, in the long run. */
export async function serversBetween(): Promise<SharedServer[]> {
  return isLongRun ? await Promise.all(betweenVersions.map(ask)) : [];
}

async function findServers(): Promise<SharedServer[]> {
  if (isLongRun) return Promise.all(knownVersions.map(ask));
  const found: SharedServer[] = [];
  for (const version of knownVersions) {
    const server = await ask(version);
    found.push(server);
    if (server.missing === undefined) break;
  }
  return found;
}

async function ask(version: number): Promise<SharedServer> {
  const broker = process.env["MOVEDEX_TEST_SHARED"];
  if (broker === undefined) return { version, missing: "the run has no set-up for PostgreSQL" };
  const answer = (await (await fetch(`${broker}/${version}`)).json()) as { port?: number; missing?: string };
  if (answer.port === undefined) return { version, missing: answer.missing ?? "no reason was given" };
  return { version, url: `postgres://postgres@127.0.0.1:${answer.port}/postgres` };
}
