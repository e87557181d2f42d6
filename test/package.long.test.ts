import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSampleLedger, type SimNode, startSimNode } from "../sim/index.ts";
import { type Asset, assets } from "../src/capabilities/pages/assets/assets.ts";
import { asWords, runProcess, temporaryDirectory } from "./support/index.ts";
import { libraryExamples, prepareExamples } from "./support/package/library-examples.ts";
import { installElsewhere, type PackedRelease, packedRelease } from "./support/package/pack.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

describe("the packed tarball", () => {
  const directory = temporaryDirectory();
  const launcher = directory.file("package/bin/movedex.mjs");
  const read = (file: string): string => readFileSync(directory.file(`package/${file}`), "utf8");
  let node: SimNode;
  let files: string[];
  let release: PackedRelease;

  beforeAll(async () => {
    node = await startSimNode({ ledger: createSampleLedger().ledger });
    release = await packedRelease();
    execFileSync("tar", ["-xzf", release.tarball, "-C", directory.path]);
    files = readdirSync(directory.file("package"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(directory.file("package"), join(entry.parentPath, entry.name)));
    // What `npm install` of it would bring, and nothing else.
    mkdirSync(directory.file("package/node_modules"), { recursive: true });
    for (const name of ["better-sqlite3", "node-addon-api"])
      symlinkSync(join(root, "node_modules", name), directory.file(`package/node_modules/${name}`));
  });
  afterAll(() => node?.close());

  test("holds no sources, no tests, and no source maps to sources that are not there", () => {
    const strange = /(?<!\.d)\.ts$|\.map$|\.tsbuildinfo$/;
    expect(files.filter((file) => strange.test(file))).toEqual([]);
    expect(files.filter((file) => file.endsWith(".js") && read(file).includes("sourceMappingURL"))).toEqual([]);
  });

  test("has no code below its folder: each file is found beside the one that asks for it", () => {
    expect(files.filter((file) => /^dist\/.*\/.*\.js$/.test(file))).toEqual([]);
  });

  test("has the style and the scripts of the pages as a checkout serves them", () => {
    const text = ({ body }: Asset): string => Buffer.from(body).toString("utf8");
    expect(read("dist/page.css")).toBe(text(assets.style));
    expect(read("dist/page.js")).toBe(text(assets.script));
    expect(read("dist/icon.svg")).toBe(text(assets.icon));
  });

  test("says under which licence each library inside it is, and asks npm for the one with a binary", () => {
    expect(read("dist/licenses.md").match(/^## \S+/gm)).toEqual(
      expect.arrayContaining(["## commander", "## fastify", "## pg", "## undici"]),
    );
    expect(JSON.parse(read("package.json")).dependencies).toEqual({ "better-sqlite3": expect.any(String) });
  });

  test("has a bill of materials: the libraries inside it, what npm brings, and nothing else", () => {
    const text = execFileSync(process.execPath, ["scripts/release/sbom.ts"], {
      cwd: release.checkout,
      encoding: "utf8",
      maxBuffer: 2 ** 28,
    });
    const bom = JSON.parse(text) as { bomFormat: string; components: { name: string; version: string }[] };
    const inside = Array.from(read("dist/licenses.md").matchAll(/^## (\S+) - (\S+)/gm), ([, name, version]) => `${name}@${version}`);
    expect(bom.bomFormat).toBe("CycloneDX");
    const listed = bom.components.map(({ name, version }) => `${name}@${version}`);
    expect(
      listed
        .filter((one) => !inside.includes(one))
        .map((one) => one.replace(/@[^@]*$/, ""))
        .sort(),
    ).toEqual(["better-sqlite3", "node-addon-api"]);
    expect(inside.filter((one) => !listed.includes(one))).toEqual([]);
  });

  test("runs from its compiled files: a night, and a question about it", async () => {
    const db = directory.file("night.db");
    const sync = await runProcess(process.execPath, asWords`${launcher} sync --rpc ${node.url} --db ${db} --rate 0 --account 0x1 --json`);
    expect(sync).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(sync.stdout)).toMatchObject({ status: "sealed", accounts: 1 });
    const query = await runProcess(
      process.execPath,
      asWords`
      ${launcher} query ${"SELECT count(*) AS n FROM snapshots"} --format csv --db ${db}
    `,
    );
    expect(query).toMatchObject({ code: 0, stdout: "n\r\n1\r\n" });
  });

  describe("installed in a project elsewhere", () => {
    const project = temporaryDirectory();
    const tsc = (...args: string[]) =>
      runProcess(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), ...args], { cwd: project.path });
    const types = ["--types", "node", "--typeRoots", join(root, "node_modules/@types")];
    const strict = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--module", "nodenext", "--target", "es2022"];

    beforeAll(async () => {
      await installElsewhere(project.path, release.tarball, root);
      await prepareExamples(project.path);
      // What users of drizzle install beside movedex.
      for (const name of ["@types", "drizzle-orm"]) symlinkSync(join(root, "node_modules", name), project.file(`node_modules/${name}`));
    });

    test("compiles strictly what uses it, without the types of Node or of any other library", async () => {
      writeFileSync(project.file("five.ts"), five);
      expect(await tsc("five.ts", ...strict, "--noEmit", "--types", "")).toEqual({ code: 0, stdout: "", stderr: "" });
      writeFileSync(project.file("wrong.ts"), 'import { openArchive } from "movedex";\nexport const archive = openArchive(5);\n');
      expect((await tsc("wrong.ts", ...strict, "--noEmit", "--types", "")).stdout).toContain(
        "is not assignable to parameter of type 'string'",
      );
    });

    test("compiles and prints what docs/library.md shows", async () => {
      const examples = libraryExamples(root);
      expect(examples.map(({ heading }) => heading)).toEqual([
        "Decode",
        "Read an interface",
        "Compare two versions",
        "Explain an abort",
        "Open an archive",
        "Query with drizzle",
      ]);
      for (const [i, { program }] of examples.entries()) writeFileSync(project.file(`example-${i}.ts`), program);
      const files = examples.map((_, i) => `example-${i}.ts`);
      expect(await tsc(...files.slice(0, -1), ...strict, ...types)).toEqual({ code: 0, stdout: "", stderr: "" });
      expect(await tsc(...files.slice(-1), ...strict, ...types, "--skipLibCheck")).toEqual({ code: 0, stdout: "", stderr: "" });
      for (const [i, { heading, output }] of examples.entries()) {
        const answer = await runProcess(process.execPath, [`example-${i}.js`], { cwd: project.path });
        expect(answer, heading).toEqual({ code: 0, stdout: output, stderr: "" });
      }
    });

    test("lets nothing else of it be imported", async () => {
      const script = 'await import("movedex/dist/store/store.js")';
      const answer = await runProcess(process.execPath, ["--input-type=module", "-e", script], { cwd: project.path });
      expect(answer.stderr).toContain("ERR_PACKAGE_PATH_NOT_EXPORTED");
    });
  });
});

/** A program that does each of the five things. */
const five = `
import { type Archive, compareModules, decodeModule, explainAbort, type ModuleSource, openArchive, readInterface } from "movedex";
import type { ViewRows } from "movedex/views";

export async function five(old: Uint8Array, now: ModuleSource): Promise<string[]> {
  const archive: Archive = await openArchive("night.db");
  const held = await archive.module("0x1::coin", { at: 5n });
  const rows: (string | number | bigint | Uint8Array | null | undefined)[] = [];
  for await (const row of archive.query("SELECT 1 AS n")) rows.push(row["n"]);
  for await (const { is_entry, ledger_version } of archive.query<ViewRows["functions_at"]>("SELECT * FROM functions_at")) {
    const version: bigint = ledger_version;
    if (is_entry === 1n) rows.push(version);
    // @ts-expect-error: a condition is no text.
    if (is_entry === "yes") rows.push(null);
  }
  const explanation = explainAbort("0x1::coin 0x10006", [old, held.bytes, decodeModule(old).abi]);
  const difference = compareModules(old, now, { code: true });
  return [
    decodeModule(old).abi.name,
    readInterface(now, { all: true }).text,
    readInterface({ address: "0x1", name: "coin", exposed_functions: [] }).id,
    difference?.findings[0]?.rule ?? "same",
    explanation?.kind === "abort" ? explanation.code.toString() : (explanation?.status.name ?? "nothing"),
    held.address,
    ...rows.map(String),
  ];
}
`;
