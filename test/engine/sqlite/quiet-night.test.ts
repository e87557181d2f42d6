import { statSync } from "node:fs";
import { expect, test } from "vitest";
import { type ModuleSpec, writeModule } from "../../../sim/module-writer/module-writer.ts";
import { sha256 } from "../../../src/core/base/sha256.ts";
import { derivationQueries } from "../../../src/core/db/archive/content/derive.ts";
import { openStore } from "../../../src/core/work/store.ts";
import { addressOf, NOON, night, temporaryStore } from "../../support/store/temporary-store.ts";

/** Accounts, each with a module of its own in the first night, and with nothing but a record after that. */
const accounts = Array.from({ length: 400 }, (_, i) => addressOf(0x100 + i));
const empty = accounts.map((address) => [address, { sequence: 1n, modules: [] }] as const);

test("a night that changes nothing adds no byte, from the second one after rows were derived", async () => {
  await using at = await temporaryStore();
  const full = accounts.map((address) => {
    const code = writeModule({ version: 7, address, name: "m", functions: [{ name: `f${address}` }] } as unknown as ModuleSpec);
    return [address, { sequence: 1n, modules: [{ name: "m", sha256: sha256(code), content: { code, bytecodeVersion: 7 } }] }] as const;
  });
  await night(at.engine, 10n, full);
  await night(at.engine, 6_000_000_000n, empty);
  await derivationQueries(at.engine).derive();
  await at.close();
  const sizes: number[] = [];
  for (const version of [6_000_000_100n, 6_000_000_200n, 6_000_000_300n]) {
    await using store = await openStore(at.path, { mode: "write", now: () => NOON });
    await night(store.engine, version, empty);
    await store.close();
    sizes.push(statSync(at.path).size);
  }
  expect(new Set(sizes).size).toBe(1);
});
