import { appendFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startSimNode } from "../../../sim/index.ts";
import type { Manifest } from "../../../src/capabilities/export/manifest.ts";
import { snapshotQueries } from "../../../src/core/db/archive/snapshots/snapshot-queries.ts";
import { parseAddress } from "../../../src/core/move/address.ts";
import { openStore } from "../../../src/core/work/store.ts";
import { asWords, ended, runCli, temporaryDirectory, twoNights } from "../../support/index.ts";
import { heldContent } from "./support/two-nights-held.ts";

const place = temporaryDirectory();
const original = place.file("original.db");

async function run(...argv: string[]) {
  const result = await runCli(argv);
  expect(result.stderr).toBe("");
  expect(result.code).toBe(0);
  return result;
}

function readManifest(directory: string): Manifest {
  return JSON.parse(readFileSync(join(directory, "manifest-000001.json"), "utf8")) as Manifest;
}

const nights = twoNights(12);
const node = await startSimNode({ ledger: nights.ledger });
const targets = nights.targetsFile(place.file("targets.csv"));
const versions = [nights.first, nights.first + 1n, nights.second];
for (const version of versions)
  await run("sync", "--rpc", node.url, "--db", original, "--targets", targets, "--rate", "0", "--ledger-version", `${version}`);
await node.close();
const held = heldContent(original);

describe("export and import", () => {
  test("a database imported into an empty one equals it, also snapshot by snapshot in any order, and again changes nothing", async () => {
    const db = place.file("copy.db");
    const { stdout } = await run("import", original, "--db", db);
    expect(stdout).toContain("3 snapshots, 3 of them new");
    expect(heldContent(db)).toEqual(held);
    // The second has a later one after an earlier one, too.
    const orders = [versions.toReversed(), [versions[1], versions[2], versions[0]] as bigint[]];
    for (const [i, order] of orders.entries()) {
      const parts = place.file(`parts-${i}.db`);
      for (const one of order) {
        const others = versions.filter((version) => version !== one).flatMap((version) => ["--except", `${version}`]);
        await run("import", original, ...others, "--db", parts);
      }
      expect(heldContent(parts)).toEqual(held);
      const again = (await run("import", original, "--db", parts, "--json")).json();
      expect(again).toMatchObject({ new_snapshots: 0, new_answers: 0, findings: 0 });
      expect(heldContent(parts)).toEqual(held);
      await run("verify", "--db", parts);
    }
  });

  test("a partitioned export has a file for each snapshot, and keeps those it had", async () => {
    const directory = place.file("partitioned");
    await run("export", directory, "--db", original, "--partition", "--at", String(versions[0]));
    const first = readManifest(directory);
    await run("export", directory, "--db", original, "--partition", "--at", "latest");
    await run("export", directory, "--db", original, "--partition");
    const folders = readdirSync(join(directory, "part-000001", "gaps", `chain_id=${first.chain_id}`));
    expect(folders.sort()).toEqual(versions.map((version) => `ledger_version=${version}`).sort());
    expect(first).toMatchObject({ schema_version: 3, part: 1, snapshots: [{ ledger_version: `${versions[0]}` }] });
    const { code, stderr } = await runCli(["export", place.file("refused"), "--db", original, "--partition", "--format", "mv"]);
    expect([code, stderr]).toEqual([64, expect.stringContaining("--partition")]);
    expect(existsSync(place.file("refused"))).toBe(false);
  });

  test.each<[string, (text: string) => string]>([
    ["that was cut short", (text) => text.slice(0, 300)],
    ["with a path that leads out", (text) => text.replace('"gaps.parquet"', '"../../../etc/passwd"')],
  ])("a manifest %s is not written to", async (what, spoil) => {
    const directory = place.file(`spoilt ${what}`);
    await run("export", directory, "--db", original);
    const manifest = join(directory, "manifest-000001.json");
    writeFileSync(manifest, spoil(readFileSync(manifest, "utf8")));
    expect((await runCli(["export", directory, "--db", original])).code).toBe(6);
  });

  test("refuses another chain with exit code 4, and says what cannot be imported", async () => {
    const other = place.file("other.db");
    const store = await openStore(other, { mode: "write", now: () => 0 });
    await snapshotQueries(store.engine).bindChain(99);
    await store.close();
    const { code, stderr } = await runCli(["import", original, "--db", other]);
    const chains = "this database is of chain 99, and the archive is of chain 4. Nothing was imported.";
    expect([code, stderr]).toEqual([4, expect.stringContaining(chains)]);
    for (const format of ["parquet", "csv"]) {
      const directory = place.file(`export-${format}`);
      await run("export", directory, "--db", original, "--format", format);
      const refused = await ended(runCli(["import", directory, "--db", place.file("none.db")]), 64);
      expect(refused.stderr).toContain("Exports of tables are for movedex 0.1.0 alone.");
      expect(existsSync(place.file("none.db"))).toBe(false);
    }
    expect(await runCli(["import", place.file("nowhere"), "--db", other])).toMatchObject({ code: 64 });
    expect(await runCli(["import", other, "--db", other])).toMatchObject({ code: 64 });
    expect(await runCli(["export", place.path, "--db", original])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("not part of an export"),
    });
    expect(await runCli(["export", place.file("nothing"), "--db", other])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("no sealed snapshot"),
    });
  });

  test("module files go out by name, and come in as bytecode that no snapshot shows", async () => {
    const directory = place.file("modules");
    await run("export", directory, "--db", original, "--format", "mv");
    expect((await run("export", directory, "--db", original, "--format", "mv", "--json")).json()).toMatchObject({ part: null });
    const { files } = readManifest(directory);
    const path = files[0]?.path ?? "";
    const folder = place.file("folder");
    cpSync(join(directory, "part-000001"), folder, { recursive: true });
    writeFileSync(join(folder, "noise.mv"), "not a module");
    const db = place.file("modules.db");
    const result = await runCli(["import", folder, "--db", db, "--json"]);
    expect(result.json()).toMatchObject({ kind: "modules", skipped: 1 });
    expect(result.stderr).toContain("noise.mv");
    const whole = (await run("import", directory, "--db", place.file("whole.db"), "--json")).json();
    expect(whole).toMatchObject({ kind: "modules", skipped: 0, new_bytecodes: result.json()["new_bytecodes"] });
    const held = heldContent(db);
    expect(held["snapshots"]).toEqual([]);
    expect(held["bytecodes"]?.length).toBe(result.json()["new_bytecodes"]);
    expect(path).toMatch(/^0x[0-9a-f]+\/[a-z0-9_]+\.mv$/);
    await run("export", place.file("abis"), "--db", original, "--format", "abi-json");
    const abi = JSON.parse(readFileSync(place.file(`abis/part-000001/${path.replace(".mv", ".json")}`), "utf8")) as { address: string };
    expect(parseAddress(abi.address)).toBe(abi.address);
    const module = path.replace("/", "::").replace(".mv", "");
    const fewer = await run("export", directory, "--db", original, "--format", "mv", "-m", module);
    expect(fewer.stdout).toContain(`holds everything already; ${files.length - 1} files removed that this export does not have.`);
  });

  test("modules and typings have what the newest snapshot did not read as it was read last, unless --at names a version", async () => {
    const [first = "", second = ""] = nights.addresses;
    const db = place.file("partial.db");
    await using open = await startSimNode({ ledger: nights.ledger });
    const sync = (version: bigint, ...accounts: string[]) => {
      const of = accounts.flatMap((one) => ["--account", one]);
      return run(...asWords`sync --rpc ${open.url} --db ${db} --rate 0 --ledger-version ${version} ${of}`);
    };
    await sync(nights.first, first, second);
    await sync(nights.second, first);
    const folders = (directory: string) => readdirSync(place.file(`${directory}/part-000001`)).sort();
    for (const format of ["mv", "abi-json", "ts"]) {
      const { stderr } = await ended(runCli(["export", place.file(`partial-${format}`), "--db", db, "--format", format]), 0);
      expect(stderr).toContain(`the snapshot at ${nights.second} did not read 1 account, whose modules are as read last: ${second}\n`);
    }
    expect(folders("partial-mv")).toEqual([first, second].sort());
    expect(folders("partial-abi-json")).toEqual([first, second].sort());
    expect(readdirSync(place.file("partial-ts"))).toEqual(expect.arrayContaining([first, second]));
    const versions = (directory: string) => readManifest(place.file(directory)).snapshots.map(({ ledger_version }) => ledger_version);
    expect(versions("partial-mv")).toEqual([`${nights.first}`, `${nights.second}`]);
    await run("export", place.file("strict"), "--db", db, "--format", "mv", "--at", `${nights.second}`);
    expect(folders("strict")).toEqual([first]);
    expect(versions("strict")).toEqual([`${nights.second}`]);
    for (const wanted of [
      ["--account", "0xdead"],
      ["--module", `${first}::nowhere`],
      ["--at", `${nights.second}`, "--account", second],
    ]) {
      const { stderr } = await ended(runCli(["export", place.file("none"), "--db", db, "--format", "mv", ...wanted]), 1);
      expect(stderr).toContain(`this snapshot holds no module ${wanted.includes("--module") ? "" : "of "}\`${wanted.at(-1)}\`.`);
    }
    const [held = ""] = readdirSync(join(place.file("strict"), "part-000001", first)).map(
      (file) => `${first}::${file.replace(/\.mv$/, "")}`,
    );
    for (const format of ["mv", "ts"]) {
      const wanted = ["--format", format, "--module", `${held}x`];
      expect((await ended(runCli(["export", place.file("none"), "--db", db, ...wanted]), 1)).stderr).toContain(`Did you mean \`${held}\``);
    }
  });

  test("files of which none is bytecode are refused as any other wrong file is, and no database is made", async () => {
    const folder = place.file("texts");
    mkdirSync(folder);
    for (const name of ["bad.mv", "worse.mv"]) writeFileSync(join(folder, name), "not a module");
    const db = place.file("none.db");
    const one = await ended(runCli(["import", join(folder, "bad.mv"), "--db", db]), 64);
    expect(one.stderr).toContain("bad.mv` is not a module's bytecode: there is nothing to import.");
    const all = await ended(runCli(["import", folder, "--db", db]), 64);
    expect(all.stderr).toContain("texts` is a module's bytecode: there is nothing to import.");
    expect([one.stdout, all.stdout, existsSync(db)]).toEqual(["", "", false]);
  });

  test.each<[format: string, words: string[], takers: string, name?: string]>([
    ["csv", ["-a", "0x1", "--at", "latest"], "abi-json, mv, ts", "--account"],
    ["jsonl", ["-m", "0x1::coin"], "abi-json, mv, ts", "--module"],
    ["csv", ["--u64", "bigint"], "ts"],
    ["ts", ["--partition"], "parquet, csv, jsonl"],
    ["abi-json", ["--u64", "string"], "ts"],
  ])("--format %s refuses %j, which only %s take: 64", async (format, words, takers, name = words[0]) => {
    const directory = place.file("not-taken");
    expect(await runCli(["export", directory, "--db", original, "--format", format, ...words])).toMatchObject({
      code: 64,
      stdout: "",
      stderr: expect.stringContaining(`--format ${format} does not take ${name}; these formats do: ${takers}. `),
    });
    expect(existsSync(directory)).toBe(false);
  });

  test.each(["mv", "abi-json", "ts"])("an export as %s that fails leaves no directory behind", async (format) => {
    const directory = place.file("nothing");
    await ended(runCli(["export", directory, "--db", original, "--format", format, "-m", "0x1::none_such"]), 1);
    expect(existsSync(directory)).toBe(false);
  });

  test("a settings file may hold options for exports in other formats", async () => {
    const config = place.file("movedex.toml");
    writeFileSync(config, '[export]\naccount = ["0x1"]\nu64 = "bigint"\n');
    const directory = place.file("by-settings");
    const { json } = await run("export", directory, "--db", original, "--format", "csv", "--config", config, "--json");
    expect(json()).toMatchObject({ part: 1, snapshots: 3 });
  });

  test("typings are written anew where they differ, and a snapshot without changes, or other bytes alone, make none old", async () => {
    const directory = place.file("typings");
    const write = async (...words: string[]): Promise<string> =>
      (await run("export", directory, "--db", original, "--format", "ts", ...words)).stdout;
    await write("--at", String(versions[1]));
    expect(await write("--at", String(versions[1]))).toContain("is up to date with ledger version");
    const pins = JSON.parse(readFileSync(join(directory, "movedex-typings.json"), "utf8")) as {
      ledger_version: string;
      modules: Record<string, string>;
    };
    expect(pins.ledger_version).toBe(String(versions[1]));
    const [id] = Object.keys(pins.modules) as [string];
    const file = join(directory, `${id.replace("::", "/")}.ts`);
    // The digests stand in the pins alone.
    expect(readFileSync(file, "utf8")).not.toContain(pins.modules[id]);
    appendFileSync(file, "// edited\n");
    expect(await write("--at", String(versions[1]))).toContain(", 1 change\n");
    await write("--module", id);
    const left = readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((name) => /^0x.*\.ts$/.test(name));
    expect(left.length).toBeLessThan(Object.keys(pins.modules).length);
    expect(left).toContain(`${id.replace("::", "/")}.ts`);
    expect(await runCli(["export", directory, "--db", original, "--format", "ts", "--module", "0x1::nothing"])).toMatchObject({ code: 1 });
  });
});
