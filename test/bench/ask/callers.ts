// What finding callers costs: `npx node test/bench/ask/callers.ts [DATABASE]`. The closure of a function's or of a module's callers over
// the newest of 134 real releases, each subject on an archive opened anew, then again on the open one; the first line is also the
// first of the process. Reads ../shared/data/framework-history and writes to a directory of its own that it removes, unless a
// database is named: one that is not there yet is made and kept.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FunctionName } from "../../../src/ask/uses/call-graph.ts";
import { findCallers } from "../../../src/ask/uses/callers.ts";
import type { Address } from "../../../src/move/address.ts";
import { type ModuleArchive, openModuleArchive } from "../../../src/store/read/module-archive.ts";
import { openStore } from "../../../src/store/store.ts";
import { frameworkHistory } from "../../support/shared-data.ts";
import { loadHistory, readReleases } from "../store/history.ts";

const subjects = ["coin::withdraw", "coin", "vector", "signer", "table", "error"];
const everything = { depth: 1_000_000, functions: 1_000_000 };
const ROUNDS = 20;

async function targetsOf(path: string, subject: string): Promise<FunctionName[]> {
  const [name = "", item] = subject.split("::");
  const module = { address: "0x1" as Address, name };
  if (item !== undefined) return [{ module, name: item }];
  const archive = await openModuleArchive(path);
  const stored = await archive.findModule(module, (await archive.sealedVersions()).at(-1) ?? 0n);
  const content = stored === undefined ? undefined : await archive.content(stored);
  await archive.close();
  if (content?.kind !== "decoded") throw new RangeError(`${subject} is not in the archive, or cannot be read.`);
  return content.module.abi.functions.map((fn) => ({ module, name: fn.name }));
}

async function closure(archive: ModuleArchive, targets: readonly FunctionName[]): Promise<{ ms: number; cpuMs: number; callers: number }> {
  const [begun, cpu] = [performance.now(), process.cpuUsage()];
  const version = (await archive.sealedVersions()).at(-1) ?? 0n;
  const graph = await findCallers(archive, version, targets, everything);
  const { user, system } = process.cpuUsage(cpu);
  return { ms: performance.now() - begun, cpuMs: (user + system) / 1000, callers: graph.functions.length - targets.length };
}

function median(values: readonly number[]): string {
  return (values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0).toFixed(1);
}

async function bench(path: string): Promise<void> {
  process.stdout.write("| closure of callers | functions | first, ms | first, CPU ms | again, ms | again, CPU ms |\n");
  process.stdout.write("| --- | --- | --- | --- | --- | --- |\n");
  for (const subject of subjects) {
    const targets = await targetsOf(path, subject);
    const archive = await openModuleArchive(path);
    const first = await closure(archive, targets);
    const again: { readonly ms: number; readonly cpuMs: number }[] = [];
    for (let round = 0; round < ROUNDS; round++) again.push(await closure(archive, targets));
    await archive.close();
    const medians = `${median(again.map(({ ms }) => ms))} | ${median(again.map(({ cpuMs }) => cpuMs))}`;
    process.stdout.write(`| ${subject} | ${first.callers} | ${first.ms.toFixed(1)} | ${first.cpuMs.toFixed(1)} | ${medians} |\n`);
  }
}

async function load(path: string): Promise<void> {
  if (existsSync(path)) return;
  if (frameworkHistory === undefined) throw new RangeError("wanted the recorded releases in ../shared/data; they are not there.");
  const store = await openStore(path, { mode: "write", now: () => 0 });
  await loadHistory(store, frameworkHistory, readReleases(frameworkHistory, "aptos-devnet"));
  await store.close();
}

const directory = mkdtempSync(join(tmpdir(), "movedex-bench-"));
try {
  const path = process.argv[2] ?? join(directory, "history.db");
  await load(path);
  await bench(path);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
