import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { openStore } from "../../../src/core/work/store.ts";
import { describeReleases, loadHistory, readReleases, runCli, temporaryDirectory } from "../../support/index.ts";

const repository = fileURLToPath(new URL("../../..", import.meta.url));

describeReleases("exports of the real framework history", () => {
  const place = temporaryDirectory();
  const db = place.file("history.db");

  beforeAll(async () => {
    const releases = readReleases();
    const store = await openStore(db, { mode: "write", now: () => 0 });
    await loadHistory(
      store.engine,
      [0, 60, 100, 132, 133].map((i) => releases[i]).filter((release) => release !== undefined),
    );
    await store.close();
  });

  test("typings of all modules compile under strict rules, and calls are checked through Surf's way and the official SDK", async () => {
    const project = place.file("project");
    mkdirSync(project);
    const result = await runCli(["export", join(project, "typings"), "--db", db, "--format", "ts", "--json"]);
    expect(result).toMatchObject({ code: 0, stderr: "" });
    expect(result.json()["missing"]).toEqual([]);
    expect(result.json()["files"]).toBeGreaterThan(150);
    await runCli(["export", join(project, "bigints"), "--db", db, "--format", "ts", "--u64", "bigint"]);
    copyFileSync(join(repository, "test/capabilities/export/fixtures/calls.ts.txt"), join(project, "calls.ts"));
    writeFileSync(
      join(project, "reads.ts"),
      `import { abis, multisig_account_0x1 as multisig, readReturns } from "./bigints/index.js";
       const json = { payload: { vec: [] }, payload_hash: { vec: [] }, votes: { data: [] }, creator: "0x1", creation_time_secs: "50" };
       const [transaction] = readReturns(abis, multisig.abi, "get_transaction", [json]);
       export const next: bigint = transaction.creation_time_secs + 1n;`,
    );
    symlinkSync(join(repository, "node_modules"), join(project, "node_modules"));
    const compilerOptions = {
      target: "es2022",
      module: "nodenext",
      strict: true,
      outDir: "out",
      skipLibCheck: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noUnusedLocals: true,
      noUnusedParameters: true,
      erasableSyntaxOnly: true,
      verbatimModuleSyntax: true,
      types: ["node"],
    };
    writeFileSync(
      join(project, "tsconfig.json"),
      JSON.stringify({ compilerOptions, include: ["*.ts", "typings/**/*.ts", "bigints/**/*.ts"] }),
    );
    writeFileSync(join(project, "package.json"), '{"type":"module"}');
    const compiler = join(repository, "node_modules/typescript/bin/tsc");
    const compiled = await promisify(execFile)(process.execPath, [compiler, "-p", project]).catch((error: { stdout: string }) => error);
    expect(compiled.stdout).toBe("");
    expect((await import(join(project, "out/reads.js"))).next).toBe(51n);
  });
});
