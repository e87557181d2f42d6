import type { Database } from "better-sqlite3";
import { printable } from "../../base/printable.ts";
import type { Synchronous } from "../connection/asynchronous.ts";

/** A node as it was met; null for what it did not tell. */
export type MetBuild = { readonly node: string; readonly gitHash: string | null; readonly build: string | null };

/** Which builds of nodes were read, and when. */
export type BuildStore = {
  /** Takes down that a node was met; a build that is known already is only marked as seen again. */
  readonly noteBuild: (met: MetBuild, now: number) => Promise<void>;
};

/** Prepares the nodes' builds on a connection. */
export function prepareBuilds(database: Database): Synchronous<BuildStore> {
  const note = database.prepare<[string, string, string, number, number]>(
    "INSERT INTO builds (node, git_hash, build, first_seen_at, last_seen_at) VALUES (?, ?, ?, ?, ?) " +
      "ON CONFLICT DO UPDATE SET last_seen_at = excluded.last_seen_at",
  );
  return {
    noteBuild: ({ node, gitHash, build }, now) => {
      note.run(printable(node), printable(gitHash ?? "", 80), build ?? "", now, now);
    },
  };
}
