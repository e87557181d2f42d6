import { readFileSync, statSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { openStore } from "../../../src/core/work/store.ts";
import { loadHistory, type RecordedRelease, readReleases } from "../../support/recorded-releases.ts";
import { frameworkHistory } from "../../support/shared-data.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

// What the database costs: `npx node test/bench/archive/store.ts`. Size and time over 134 real releases. Reads
// ../shared/data/framework-history; writes to a directory of its own that it removes.

using directory = temporaryDirectory();
const now = () => 0;

function report(name: string, value: string): void {
  process.stdout.write(`| ${name} | ${value} |\n`);
}

/** The naive archive: one JSON answer per module per release, as a node gives it. */
function jsonBytes(folder: string, releases: readonly RecordedRelease[]): number {
  const sizes = new Map<string, number>();
  for (const line of readFileSync(join(folder, "abi.jsonl"), "utf8").trimEnd().split("\n")) {
    const { sha256: digest, abi } = JSON.parse(line) as { sha256: string; abi: unknown };
    const code = statSync(join(folder, "modules", `${digest}.mv`)).size;
    sizes.set(digest, `{"bytecode":"0x","abi":}`.length + 2 * code + Buffer.byteLength(JSON.stringify(abi)));
  }
  return releases.flatMap(({ modules }) => [...modules.values()]).reduce((sum, digest) => sum + (sizes.get(digest) ?? 0), 0);
}

async function benchHistory(folder: string): Promise<void> {
  const path = directory.file("history.db");
  const releases = readReleases(folder);
  const store = await openStore(path, { mode: "write", now });
  const begin = performance.now();
  await loadHistory(store.engine, releases);
  const seconds = (performance.now() - begin) / 1000;
  await store.close();
  const json = jsonBytes(folder, releases);
  const { size } = statSync(path);
  report(`${releases.length} releases decoded, stored and sealed`, `${seconds.toFixed(1)} s`);
  report(
    "database against one JSON answer per module per release",
    `${mebi(size)} (${size} bytes) against ${mebi(json)}: ${(json / size).toFixed(2)} × smaller`,
  );
}

function mebi(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

process.stdout.write(`Node ${process.version}, ${cpus()[0]?.model}\n\n| what | result |\n| --- | --- |\n`);
if (frameworkHistory === undefined) throw new Error("the recorded releases are not there (../shared/data/framework-history)");
await benchHistory(frameworkHistory);
