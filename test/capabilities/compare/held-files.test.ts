import { mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createSampleLedger, startSimNode, writeModule } from "../../../sim/index.ts";
import { sha256Hex } from "../../../src/core/base/sha256.ts";
import { ended, runCli, temporaryDirectory } from "../../support/index.ts";

describe("imported files of bytecode", async () => {
  const place = temporaryDirectory();
  const db = place.file("files.db");
  const functions = (name: string) => [{ name, visibility: "public" as const, params: ["u64"], returns: [] }];
  const one = writeModule({ address: "0xf", name: "loose", functions: functions("first_form") });
  const two = writeModule({ address: "0xf", name: "loose", functions: functions("second_form") });
  const run = async (...args: string[]) => await runCli([...args, "--db", db]);

  const sample = createSampleLedger();
  await using node = await startSimNode({ ledger: sample.ledger });
  const accounts = sample.codeAccounts.flatMap((address) => ["-a", address]);
  await ended(run("sync", "--rpc", node.url, "--rate", "0", ...accounts));
  mkdirSync(place.file("mv"));
  writeFileSync(place.file("mv/one.mv"), one);
  expect((await run("import", place.file("mv"))).stdout).toContain("1 new bytecode");

  test("are shown by name, with a word that no snapshot shows them", async () => {
    const { stdout } = await ended(run("show", "0xf::loose"));
    expect(stdout).toMatch(new RegExp(`^// 0xf::loose, the bytecode with SHA-256 ${sha256Hex(one)}\n// no snapshot shows it`));
    expect(stdout).toContain("public fun first_form(");
    expect((await run("show", "loose::first_form")).stdout).toContain("first_form");
    expect((await run("show", "0xf::loose", "--json")).json()).toMatchObject({ abi: { address: "0xf", name: "loose" } });
    expect((await run("show", "0x1::coin")).stdout).toMatch(/^\/\/ 0x1::coin at ledger version/);
  });

  test("are found by search, after nothing else was asked than their words", async () => {
    const { results } = (await run("search", "first form", "--json")).json() as { results: unknown[] };
    expect(results).toMatchObject([{ kind: "function", address: "0xf", module: "loose", name: "first_form", first_version: null }]);
    expect((await run("search", "loose")).stdout).toContain("0xf::loose (imported as a file; no snapshot shows it)\n");
    const held = (await run("search", "coin", "--kind", "module", "--json")).json() as { results: { first_version: string | null }[] };
    expect(held.results.map(({ first_version }) => first_version)).not.toContain(null);
  });

  test("can be queried, beside what snapshots show", async () => {
    const query = async (sql: string) => JSON.parse((await run("query", sql, "--json")).stdout) as unknown[];
    expect(await query("SELECT address, module, name, signature FROM functions_held WHERE NOT is_in_snapshots")).toEqual([
      { address: "0xf", module: "loose", name: "first_form", signature: "public fun first_form(u64)" },
    ]);
    expect(await query("SELECT bytecode_sha256 FROM bytecodes_held WHERE NOT is_in_snapshots")).toEqual([
      { bytecode_sha256: sha256Hex(one) },
    ]);
    const shown = "SELECT DISTINCT address, module, name, signature FROM functions_at ORDER BY 1, 2, 3, 4";
    expect(await query(shown.replace("functions_at", "functions_held WHERE is_in_snapshots"))).toEqual(await query(shown));
    const structs = "SELECT DISTINCT address, module, name, is_event, has_key FROM structs_at ORDER BY 1, 2, 3";
    expect(await query(structs.replace("structs_at", "structs_held WHERE is_in_snapshots"))).toEqual(await query(structs));
  });

  test("of one name are told apart by their SHA-256", async () => {
    writeFileSync(place.file("mv/two.mv"), two);
    await run("import", place.file("mv"));
    const several = await run("show", "0xf::loose");
    expect(several.code).not.toBe(0);
    for (const code of [one, two]) expect(several.stderr).toContain(`0xf::loose@${sha256Hex(code).slice(0, 16)}`);
    expect((await run("show", `0xf::loose@${sha256Hex(two)}`)).stdout).toContain("second_form");
    expect((await run("show", `loose@${sha256Hex(one).slice(0, 16)}x`)).code).not.toBe(0);
    expect((await run("show", "loose@abcdef01abcdef01")).stderr).toContain(
      "no bytecode of `loose` with a SHA-256 of abcdef01abcdef01 is held",
    );
  });
});
