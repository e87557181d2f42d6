import { Agent } from "node:http";
import { setTimeout } from "node:timers/promises";
import { openStore } from "../../../src/work/store.ts";
import { startServeProcess } from "../../serve/support/serve-process.ts";
import { rawRequest } from "../../support/raw-request.ts";
import { loadHistory, readReleases } from "../../support/recorded-releases.ts";
import { frameworkHistory } from "../../support/shared-data.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { describeMachine } from "../machine.ts";
import { median, processorMs } from "../process-cost.ts";

/**
 * The explorer's pages over all recorded releases, from a service in a process of its own: `npx node test/bench/serve/pages.ts`.
 *
 * The requests begin after the service has compared all changes. First: the first request for a page, made from the database.
 * Again: a page of the same kind that was not requested before, the median of several. Kept: the same page once more. Bytes over
 * the wire include style and script the first time, compressed for a browser. Processor time is that of the service (Linux, in
 * steps of 10 ms, so the mean of several); a busy machine hardly changes it.
 */
const accept = "zstd, br, gzip";
const folder = frameworkHistory;
if (folder === undefined) throw new Error("the recorded releases are not there (../shared/data/framework-history)");
type Kinds = readonly (readonly [name: string, paths: readonly string[]])[];
const names = ["coin", "account", "object", "fungible_asset", "stake", "vector", "table"];

async function benchReleases(db: string): Promise<void> {
  const store = await openStore(db, { mode: "write", now: () => 0 });
  const versions = await loadHistory(store.engine, folder as string, readReleases(folder as string));
  await store.close();
  const at = (nth: number): bigint => versions.at(nth) as bigint;
  await using served = await startServeProcess(["--db", db]);
  const service = new Service(served);
  await service.settled();
  await table(service, `${versions.length} releases`, [
    ["overview", names.map((_, i) => `/?${i}`)],
    ["account, 150 modules", names.map((_, i) => `/account/0x1?at=${at(-1 - i)}`)],
    ["module", names.map((name) => `/module/0x1/${name}`)],
    ["module at an older version", names.map((name) => `/module/0x1/${name}?at=${at(100)}`)],
    ["comparison of two releases", names.map((name) => `/diff/0x1/${name}?from=${at(-12)}&to=${at(-1)}`)],
    ["changes", names.map((_, i) => `/changes?from=${at(-1)}&skip=${i}`)],
    ["coverage", names.map((_, i) => `/coverage?skip=0&x=${i}`)],
    ["search", names.map((name) => `/search?q=${name}`)],
    ["SQL console, not asked", names.map((_, i) => `/sql?${i}`)],
  ]);
  await firstVisit(service);
}

async function table(service: Service, title: string, kinds: Kinds): Promise<void> {
  process.stdout.write(
    `${title}\n\n| page | first, ms | again, ms | again, processor ms | kept, ms | bytes | compressed |\n|---|---|---|---|---|---|---|\n`,
  );
  for (const [name, paths] of kinds) {
    const times: number[] = [];
    let [plain, wire, work] = [0, 0, 0];
    for (const [i, path] of paths.entries()) {
      const before = service.processorMs();
      const { ms, bytes } = await service.ask(path);
      if (i > 0) work += service.processorMs() - before;
      times.push(ms);
      plain = Math.max(plain, bytes);
      wire = Math.max(wire, (await service.ask(path, accept)).bytes);
    }
    const [first = 0, ...again] = times;
    const kept = Math.min((await service.ask(paths[0] as string)).ms, (await service.ask(paths[0] as string)).ms);
    const cells = [first.toFixed(0), median(again).toFixed(0), (work / again.length).toFixed(0), kept.toFixed(1), plain, wire];
    process.stdout.write(`| ${name} | ${cells.join(" | ")} |\n`);
  }
  process.stdout.write("\n");
}

async function firstVisit(service: Service): Promise<void> {
  const page = await (await fetch(`${service.origin}/`)).text();
  const assets = [...page.matchAll(/(?:href|src)="\.\/(static\/[^"]+)"/g)].map(([, name]) => `/${name}`);
  let bytes = (await service.ask("/", accept)).bytes;
  for (const asset of assets) bytes += (await service.ask(asset, accept)).bytes;
  process.stdout.write(`First visit of the overview, with style, script and icon: ${bytes} bytes over the wire.\n\n`);
}

/** A running service, asked by the plain client, since `fetch` takes off the compression. */
class Service {
  readonly origin: string;
  readonly #pid: number | undefined;
  readonly #agent = new Agent({ keepAlive: true });

  constructor({ url, child }: Awaited<ReturnType<typeof startServeProcess>>) {
    this.origin = new URL(url).origin;
    this.#pid = child.pid;
  }

  async ask(path: string, encodings = "identity"): Promise<{ ms: number; bytes: number }> {
    const begun = performance.now();
    const { status, body } = await rawRequest(this.origin, {
      path,
      agent: this.#agent,
      headers: { "accept-encoding": encodings, "sec-fetch-site": "none" },
    });
    if (status !== 200) throw new Error(`${path} answered ${status}`);
    return { ms: performance.now() - begun, bytes: body.length };
  }

  /** Waits until the service has done what it does ahead of all readers: until its processor time stands still for a second. */
  async settled(): Promise<void> {
    await this.ask("/?warm");
    for (let before = -1; before !== this.processorMs(); await setTimeout(1000)) before = this.processorMs();
  }

  processorMs(): number {
    return processorMs(this.#pid as number);
  }
}

using place = temporaryDirectory();
process.stdout.write(`${describeMachine()}\n\n`);
await benchReleases(place.file("archive.db"));
process.stdout.write(`${describeMachine()}\n`);
