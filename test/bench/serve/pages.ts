import { readFileSync } from "node:fs";
import { openStore } from "../../../src/store/store.ts";
import { startServeProcess } from "../../serve/support/serve-process.ts";
import { frameworkHistory } from "../../support/shared-data.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { describeMachine } from "../machine.ts";
import { loadHistory, readReleases } from "../store/history.ts";

/**
 * The explorer's pages over all recorded releases, from a service in a process of its own: `node test/bench/serve/pages.ts`.
 * First: the first request for a page, made from the database. Again: a page of the same kind that nobody asked for before,
 * the median of several. Kept: the same page once more. Bytes over the wire are those of the page, of style and script the
 * first time, compressed as a browser asks for it. Processor time is that of the service (Linux), which a busy machine hardly
 * changes.
 */
const accept = "zstd, br, gzip";
const folder = frameworkHistory;
if (folder === undefined) throw new Error("the recorded releases are not there (../shared/data/framework-history)");
using place = temporaryDirectory();
const db = place.file("archive.db");
const store = await openStore(db, { mode: "write", now: () => 0 });
const versions = await loadHistory(store, folder, readReleases(folder, "aptos-devnet"));
await store.close();
const at = (place: number): bigint => versions.at(place) as bigint;
const names = ["coin", "account", "object", "fungible_asset", "stake", "vector", "table"];
const kinds: readonly (readonly [name: string, paths: readonly string[]])[] = [
  ["overview", ["/"]],
  ["account, 150 modules", names.map((_, i) => `/account/0x1?at=${at(-1 - i)}`)],
  ["module", names.map((name) => `/module/0x1/${name}`)],
  ["module at an older version", names.map((name) => `/module/0x1/${name}?at=${at(100)}`)],
  ["comparison of two releases", names.map((name) => `/diff/0x1/${name}?from=${at(-12)}&to=${at(-1)}`)],
  ["changes", names.map((_, i) => `/changes?from=${at(-1)}&skip=${i}`)],
  ["coverage map", names.map((_, i) => `/coverage?skip=0&x=${i}`)],
  ["search", names.map((name) => `/search?q=${name}`)],
  ["SQL console, not asked", ["/sql"]],
];

await using served = await startServeProcess(["--db", db]);
const origin = new URL(served.url).origin;
await untilWarm();
process.stdout.write(
  `${describeMachine()}; ${versions.length} releases\n\n| page | first, ms | again, ms | again, processor ms | kept, ms | bytes | compressed |\n|---|---|---|---|---|---|---|\n`,
);
for (const [name, paths] of kinds) {
  const times: number[] = [];
  const work: number[] = [];
  let [plain, wire] = [0, 0];
  for (const path of paths) {
    const before = processorMs();
    const { ms, bytes } = await ask(path);
    work.push(processorMs() - before);
    times.push(ms);
    plain = Math.max(plain, bytes);
    wire = Math.max(wire, (await ask(path, accept)).bytes);
  }
  const again = times.slice(1);
  const kept = Math.min(...(await Promise.all([ask(paths[0] as string), ask(paths[0] as string)])).map(({ ms }) => ms));
  process.stdout.write(
    `| ${name} | ${times[0]?.toFixed(0)} | ${again.length === 0 ? "" : median(again).toFixed(0)} | ${mean(work.slice(1)).toFixed(0)} | ${kept.toFixed(1)} | ${plain} | ${wire} |\n`,
  );
}
const page = Buffer.from(await (await fetch(`${origin}/`)).arrayBuffer()).toString("utf8");
const assets = [...page.matchAll(/(?:href|src)="\.\/(static\/[^"]+)"/g)].map(([, name]) => `/${name}`);
let first = (await ask("/", accept)).bytes;
for (const asset of assets) first += (await ask(asset, accept)).bytes;
process.stdout.write(`\nFirst visit of the overview, with style, script and icon: ${first} bytes over the wire.\n`);

/** What the last night broke is worked out when the service starts; a page that waits for it is not measured. */
async function untilWarm(): Promise<void> {
  await ask("/?warm");
}

async function ask(path: string, encodings = "identity"): Promise<{ ms: number; bytes: number }> {
  const begun = performance.now();
  const { status, body } = await raw(path, encodings);
  if (status !== 200) throw new Error(`${path} answered ${status}`);
  return { ms: performance.now() - begun, bytes: body };
}

/** By the plain client, since `fetch` takes off the compression. */
async function raw(path: string, encodings: string): Promise<{ status: number; body: number }> {
  const { rawRequest } = await import("../../support/raw-request.ts");
  const { status, body } = await rawRequest(origin, { path, headers: { "accept-encoding": encodings } });
  return { status, body: body.length };
}

/** Processor time of the service so far, in steps of 10 ms. */
function processorMs(): number {
  const fields = readFileSync(`/proc/${served.child.pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}
