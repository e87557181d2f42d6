import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createSampleLedger, startSimNode } from "../../../sim/index.ts";
import { exchangeAddress } from "../../../sim/sample/exchange.ts";
import { openArchive } from "../../../src/index.ts";
import { runCli } from "../run-cli.ts";

/** An example of docs/library.md: its program and what that prints. */
export type Example = { readonly heading: string; readonly program: string; readonly output: string };

/** The examples of the page, each a block of TypeScript with a block of text behind it. */
export function libraryExamples(root: string): Example[] {
  const page = readFileSync(join(root, "docs/library.md"), "utf8");
  const blocks = page.matchAll(/^## ([^\n]+)\n(?:(?!^## )[^\n]*\n)*?^```ts\n([\s\S]*?)^```\n\n^```text\n([\s\S]*?)^```$/gm);
  return Array.from(blocks, ([, heading = "", program = "", output = ""]) => ({ heading, program, output }));
}

/** Puts what the examples read into `directory`: a database of two nights on the sample ledger, and two versions of its pool. */
export async function prepareExamples(directory: string): Promise<void> {
  const sample = createSampleLedger();
  await using node = await startSimNode({ ledger: sample.ledger });
  const db = join(directory, "night.db");
  for (const passDay of [() => undefined, () => sample.passDay()]) {
    passDay();
    const { code, stderr } = await runCli(["sync", "--account", exchangeAddress, "--rpc", node.url, "--rate", "0", "--db", db]);
    if (code !== 0) throw new Error(stderr);
  }
  const archive = await openArchive(db);
  for (const [file, at] of [
    ["pool-old.mv", "oldest"],
    ["pool-new.mv", "latest"],
  ] as const) {
    writeFileSync(join(directory, file), (await archive.module("pool", { at })).bytes);
  }
  await archive.close();
}
