import { printable } from "../../base/printable.ts";
import type { Engine } from "../../engine/engine.ts";
import { writeChecksum } from "../../schema/sql/checksum.ts";
import { sql } from "../../schema/sql/sql.ts";
import { sourceTables } from "../../schema/tables/sources.ts";

/** A node and its build; null where the node did not report it. */
export type ObservedBuild = { readonly node: string; readonly gitHash: string | null; readonly build: string | null };

// Text that was not reported is kept as the empty text, since it is part of the key.
const record = sql`INSERT INTO _builds (node, git_hash, build, first_seen_at, last_seen_at)
  VALUES (:node, :git_hash, :build, :now::time, :now::time)
  ON CONFLICT (node, git_hash, build) DO UPDATE SET last_seen_at = excluded.last_seen_at`;
const check = writeChecksum(sourceTables.builds);

export function prepareNodeBuilds(engine: Engine) {
  return {
    /** Records the build of a node; a known build is only marked as seen again. */
    recordBuild: async ({ node, gitHash, build }: ObservedBuild, now: number): Promise<void> => {
      const key = { node: printable(node), git_hash: printable(gitHash ?? "", 80), build: build ?? "" };
      await engine.transaction(async (tx) => {
        await tx.run(record, { ...key, now });
        await tx.run(check, key);
      });
    },
  };
}
