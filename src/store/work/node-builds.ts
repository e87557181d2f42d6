import type { Database } from "better-sqlite3";
import { printable } from "../../base/printable.ts";
import type { Synchronous } from "../connection/asynchronous.ts";

/** A node and its build; null where the node did not report it. */
export type ObservedBuild = { readonly node: string; readonly gitHash: string | null; readonly build: string | null };

/** Which builds of nodes were read, and when. */
export type NodeBuildStore = {
  /** Records the build of a node; a known build is only marked as seen again. */
  readonly recordBuild: (met: ObservedBuild, now: number) => Promise<void>;
};

/** Prepares the nodes' builds on a connection. */
export function prepareNodeBuilds(database: Database): Synchronous<NodeBuildStore> {
  const note = database.prepare<[string, string, string, number, number]>(
    "INSERT INTO builds (node, git_hash, build, first_seen_at, last_seen_at) VALUES (?, ?, ?, ?, ?) " +
      "ON CONFLICT DO UPDATE SET last_seen_at = excluded.last_seen_at",
  );
  return {
    recordBuild: ({ node, gitHash, build }, now) => {
      note.run(printable(node), printable(gitHash ?? "", 80), build ?? "", now, now);
    },
  };
}
