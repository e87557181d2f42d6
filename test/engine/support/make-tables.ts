import { readFileSync } from "node:fs";
import type { TestEngine } from "./each-engine.ts";

/** Makes movedex's tables in an engine's empty database, as its migrations do. */
export async function makeTables({ engine, dialect }: Pick<TestEngine, "engine" | "dialect">): Promise<void> {
  const folder = new URL(`../../../migrations/${dialect}/`, import.meta.url);
  const journal = JSON.parse(readFileSync(new URL("meta/_journal.json", folder), "utf8")) as { entries: readonly { tag: string }[] };
  for (const { tag } of journal.entries) {
    const statements = readFileSync(new URL(`${tag}.sql`, folder), "utf8").split("--> statement-breakpoint");
    for (const text of statements) await engine.run({ in: () => text });
  }
}
