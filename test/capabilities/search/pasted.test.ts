import { describe, expect, test } from "vitest";
import { readPasted } from "../../../src/capabilities/explain/pasted.ts";
import { openModuleArchive } from "../../../src/core/db/archive/read/module-archive.ts";
import { statusQueries } from "../../../src/core/db/archive/read/status-queries.ts";
import type { Address } from "../../../src/core/move/address.ts";
import { runCli, sampleArchive, temporaryDirectory } from "../../support/index.ts";

describe("what a text names by itself", async () => {
  const place = temporaryDirectory();
  const { db, exchange, first, last } = await sampleArchive(place.file("archive.db"));
  await runCli(["targets", "add", exchange, "--label", "Best 100% Exchange", "--db", db]);
  const modules = await openModuleArchive(db);
  const named = (text: string) => readPasted(modules, text);
  const pool = (await modules.findModule({ address: exchange as Address, name: "pool" }, last)) ?? expect.fail();

  test("an abort code, alone, with its module and in a node's whole message", async () => {
    expect(await named("65541")).toMatchObject([{ kind: "abort", code: 65541n, module: undefined, parts: { reason: 5n }, candidates: [] }]);
    const [meant] = await named("0x60002");
    const candidates = meant?.kind === "abort" ? meant.candidates : expect.fail();
    const names = candidates.map(({ address, name, error }) => `${address}::${name}::${error}`);
    expect(names.slice(0, 3)).toEqual(["0x1::account::EKEY_LENGTH", "0x1::coin::ETOO_LITTLE", "0x1::object::ENOT_OWNER"]);
    expect(names.slice(3)).toContain(`${exchange}::pool::ENO_POOL`);
    const says = { kind: "abort", module: { address: exchange, name: "pool" }, error: { name: "ENO_POOL" } };
    for (const text of [`abort 0x60002 in ${exchange}::pool`, `Move abort in ${exchange}::pool: 0x60002`, `${exchange}::pool 393218`])
      expect([text, (await named(text))[0]]).toMatchObject([text, says]);
    expect((await named(`Move abort in 0xabc::none: 0x60002`))[0]).toMatchObject({ kind: "abort", module: undefined, error: undefined });
  });

  test("a ledger version between snapshots, one with separators, and a day", async () => {
    const between = first + 1n;
    expect(await named(`${between}`)).toMatchObject([{ kind: "snapshot", version: first, isExact: false }]);
    const separated = last.toLocaleString("en-US");
    expect(await named(separated)).toMatchObject([{ kind: "snapshot", version: last, isExact: true }]);
    expect((await named(`${last + 1_000_000n}`)).filter(({ kind }) => kind === "snapshot")).toEqual([]);
    const [newest] = await statusQueries(modules.engine).listSnapshots();
    const day = new Date(newest?.ledgerTime ?? Number.NaN).toISOString().slice(0, 10);
    expect(await named(day)).toMatchObject([{ kind: "snapshot", version: last }]);
    expect(await named("1999-01-01")).toEqual([]);
  });

  test("the SHA-256 of a module's bytes, whole and by its first digits", async () => {
    for (const text of [pool.sha256, `0x${pool.sha256.toUpperCase()}`, pool.sha256.slice(0, 8), pool.sha256.slice(0, 11)])
      expect(await named(text)).toContainEqual({
        kind: "module",
        module: { address: exchange, name: "pool", sha256: pool.sha256, from: pool.from },
      });
    const other = `${pool.sha256.slice(0, 10)}${pool.sha256[10] === "0" ? "1" : "0"}`;
    expect((await named(other)).filter(({ kind }) => kind === "module")).toEqual([]);
  });

  test("an address, long and short, its beginning as explorers cut it, and a label", async () => {
    const is = { kind: "account", address: exchange, label: undefined };
    for (const text of [exchange, exchange.slice(2), exchange.slice(0, 8), `${exchange.slice(0, 8)}…`, `${exchange.slice(0, 8)}...`])
      expect([text, await named(text)]).toEqual([text, expect.arrayContaining([is])]);
    for (const text of ["0x1", `0x${"0".repeat(63)}1`]) expect(await named(text)).toContainEqual({ ...is, address: "0x1" });
    expect(await named("best 100%")).toEqual([{ ...is, label: "Best 100% Exchange" }]);
    expect(await named("%%%")).toEqual([]);
  });
});
