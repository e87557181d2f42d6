import { execFile } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect } from "vitest";
import type { Manifest } from "../../../src/capabilities/export/manifest.ts";
import { parseNodeAbi } from "../../../src/core/abi/node-json/parse.ts";
import { sha256 } from "../../../src/core/base/sha256.ts";
import { derivationQueries } from "../../../src/core/db/archive/content/derive.ts";
import { openStore } from "../../../src/core/work/store.ts";
import { addressOf, NOON, night, runCli, test } from "../../support/index.ts";
import { heldContent } from "./support/two-nights-held.ts";

/** Names and texts as an attacker would have them, all of which a node's JSON and a listing can carry. */
const names = [
  "../../../escape",
  "con",
  "Coin",
  "coin",
  "..",
  "=1+1",
  "\u202egnp",
  "<script>alert(1)</script>",
  "a`$x`\\",
  "*/export",
  "__proto__",
  "\u200b",
];
const texts = [
  '=HYPERLINK("http://evil")',
  "\u001b]0;owned\u0007\u001b[2J",
  "`|[x](javascript:1)\n# h",
  "</script><img src=x onerror=1>",
  "*/ process.exit() /*",
  "\u2028\u202e",
  "'; DROP TABLE x;--",
];

const open = { visibility: "public", is_entry: true, is_view: true, generic_type_params: [] };
const generic_type_params = [{ constraints: [] }];
const plain = { is_native: false, is_event: false, is_enum: false, abilities: [], generic_type_params, fields: [], variants: [] };
const bytes = (name: string) => ({ name, type: "vector<u8>" });

async function makeDatabase(path: string): Promise<void> {
  await using store = await openStore(path, { mode: "write", now: () => NOON });
  const modules = names.map((name, i) => {
    const code = Buffer.from(`undecodable ${i}`);
    const field = texts[i % texts.length] as string;
    const abi = parseNodeAbi({
      address: "0xbad",
      name,
      friends: [],
      exposed_functions: [{ ...open, name: field, params: [field, "u64"], return: [`0xbad::${name}::${field}`] }],
      structs: [
        { ...plain, name: field, is_event: true, abilities: ["key"], fields: [{ name: field, type: field }] },
        { ...plain, name: `${name} `, is_enum: true, variants: [{ name: field, fields: [bytes(name), bytes("__variant__")] }] },
      ],
    });
    return { name, sha256: sha256(code), content: { code, bytecodeVersion: null, nodeAbi: abi } };
  });
  await night(store.engine, 10n, [[addressOf(0xbad), { sequence: null, modules }]]);
  await derivationQueries(store.engine).derive();
}

/** What a terminal acts on or a reader is fooled by, line breaks of the format itself apart. */
const UNSAFE = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;

describe("hostile names and texts", () => {
  test("come out harmless in every format, in files that stay where they belong", async ({ place }) => {
    const db = place.file("hostile.db");
    await makeDatabase(db);
    for (const format of ["parquet", "csv", "jsonl", "abi-json", "mv", "ts"]) {
      const directory = place.file(format);
      const { code, stdout, stderr } = await runCli(["export", directory, "--db", db, "--format", format]);
      expect([format, code]).toEqual([format, 0]);
      expect((stdout + stderr).replaceAll("\n", "")).not.toMatch(UNSAFE);
      const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      for (const file of files) {
        expect(file.name).toMatch(/^[a-z0-9_.~-]+$/);
        if (format === "parquet" && file.name.endsWith(".parquet")) continue;
        const text = readFileSync(join(file.parentPath, file.name), "utf8");
        expect([file.name, UNSAFE.exec(text.replaceAll(/\r?\n/g, " "))]).toEqual([file.name, null]);
        if (file.name.endsWith(".json") || file.name.endsWith(".ts") || file.name.endsWith(".jsonl"))
          expect(text.includes("<script")).toBe(false);
      }
      const lower = files.map((file) => resolve(file.parentPath, file.name).toLowerCase());
      expect(new Set(lower).size).toBe(lower.length);
    }
    const listed = (format: string) =>
      (JSON.parse(readFileSync(join(place.file(format), "manifest-000001.json"), "utf8")) as Manifest).files;
    for (const format of ["abi-json", "mv"]) expect(listed(format), format).toHaveLength(names.length);
    for (const format of ["parquet", "csv", "jsonl"])
      expect(listed(format).find(({ table }) => table === "modules_history")?.rows, format).toBe(names.length);
    const typings = readdirSync(place.file("ts"), { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
    expect(typings.length).toBeGreaterThan(names.length);
    const strangers = readdirSync(place.path).filter((name) => !/^(?:hostile\.db.*|abi-json|csv|jsonl|mv|parquet|ts)$/.test(name));
    expect(strangers).toEqual([]);
  });

  test("survive an import as they are, ABIs that only a node could give included", async ({ place }) => {
    const db = place.file("hostile.db");
    await makeDatabase(db);
    const copy = place.file("copy.db");
    expect(await runCli(["import", db, "--db", copy])).toMatchObject({ code: 0, stderr: "" });
    expect(heldContent(copy)).toEqual(heldContent(db));
  });

  test("make typings that compile under strict rules, in which no text is code", async ({ place }) => {
    const db = place.file("hostile.db");
    await makeDatabase(db);
    const typings = place.file("ts");
    await runCli(["export", typings, "--db", db, "--format", "ts"]);
    const strict = { strict: true, noUnusedLocals: true, noUnusedParameters: true };
    const compilerOptions = { ...strict, target: "es2022", module: "nodenext", outDir: place.file("out"), types: [] };
    writeFileSync(join(typings, "tsconfig.json"), JSON.stringify({ compilerOptions }));
    writeFileSync(join(typings, "package.json"), '{"type":"module"}');
    const compiler = fileURLToPath(new URL("../../../node_modules/typescript/bin/tsc", import.meta.url));
    const compiled = await promisify(execFile)(process.execPath, [compiler, "-p", typings]).catch((error: { stdout: string }) => error);
    expect(compiled.stdout).toBe("");
    const { coin_0xbad: coin } = (await import(join(place.file("out"), "index.js"))) as { coin_0xbad: { abi: unknown } };
    expect(coin.abi).toMatchObject({ address: "0xbad", name: "coin", structs: [{ name: texts[3] }, { name: "coin " }] });
  });
});
