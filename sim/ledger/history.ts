import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { NodeAbiJson } from "../../src/core/abi/node-json/format.ts";
import { type LedgerOptions, type LedgerWriter, SimLedger } from "./ledger.ts";
import { ModuleCode } from "./module-code.ts";

/** One release of a recorded history, at the version from which it stands. */
type Release = {
  readonly version: bigint;
  readonly date: string;
  /** What stood: SHA-256 by `0x1::coin`. */
  readonly modules: ReadonlyMap<string, string>;
};

/** A ledger made of recorded releases, and what a reader of it must find. */
export type History = {
  readonly ledger: SimLedger;
  readonly releases: readonly Release[];
};

type ReleaseLine = {
  readonly network: string;
  readonly date: string;
  readonly modules: readonly { readonly address: string; readonly name: string; readonly sha256: string }[];
};

/** Which recorded releases, and how far apart. */
export type HistoryOptions = {
  readonly directory: string;
  /** Default `aptos-devnet`. */
  readonly network?: string;
  /** How many releases, from the oldest; default all. */
  readonly count?: number;
  /** Default 1000. */
  readonly versionsPerRelease?: bigint;
  readonly ledger?: LedgerOptions;
};

/** A history that is still to be lived through: `next` writes the next release, and returns undefined when there is none left. */
export type LiveHistory = Pick<History, "ledger" | "releases"> & { readonly next: () => Release | undefined };

/**
 * A ledger from a directory of recorded releases. Release k, from 0, takes effect at version (k + 1) × `versionsPerRelease`, and
 * raises the sequence numbers of its accounts by one.
 */
export function replayHistory(options: HistoryOptions): History {
  const { ledger, releases, next } = liveHistory(options);
  while (next() !== undefined);
  ledger.advance(options.versionsPerRelease ?? 1000n);
  return { ledger, releases };
}

/** The same ledger with nothing in it yet; others may write to it between the releases. */
export function liveHistory(options: HistoryOptions): LiveHistory {
  const { directory, network = "aptos-devnet", versionsPerRelease = 1000n } = options;
  const lines = readLines(join(directory, "releases.jsonl")).map((line) => JSON.parse(line) as ReleaseLine);
  const chosen = lines.filter((line) => line.network === network).slice(0, options.count);
  if (chosen.length === 0) throw new Error(`no release of network \`${network}\` in ${directory}`);
  const code = codeReader(directory);
  const ledger = new SimLedger(options.ledger);
  const releases: Release[] = [];
  let before: ReadonlyMap<string, string> = new Map();
  const next = (): Release | undefined => {
    const line = chosen[releases.length];
    if (line === undefined) return undefined;
    const version = BigInt(releases.length + 1) * versionsPerRelease;
    const modules = new Map(line.modules.map(({ address, name, sha256 }) => [`${address}::${name}`, sha256]));
    ledger.advanceTo(version - 1n);
    ledger.transact((writer) => writeRelease(ledger, writer, before, modules, code));
    const release = { version, date: line.date, modules };
    releases.push(release);
    before = modules;
    return release;
  };
  return { ledger, releases, next };
}

function writeRelease(
  ledger: SimLedger,
  writer: LedgerWriter,
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
  code: (sha256: string) => ModuleCode,
): void {
  const touched = new Set<string>();
  const each = (id: string): [string, string] => {
    const [address, name] = id.split("::") as [string, string];
    touched.add(address);
    return [address, name];
  };
  for (const [id, sha256] of after) if (before.get(id) !== sha256) writer.publish(...each(id), code(sha256));
  for (const id of before.keys()) if (!after.has(id)) writer.remove(...each(id));
  for (const address of touched) writer.account(address, { sequenceNumber: ledger.sequenceNumber(address) + 1n });
}

/** Bytecodes by SHA-256, each read once; an interface is parsed only when some answer needs it. */
function codeReader(directory: string): (sha256: string) => ModuleCode {
  const abis = new Map(readLines(join(directory, "abi.jsonl")).map((line) => [/"sha256":"([0-9a-f]{64})"/.exec(line)?.[1], line]));
  const codes = new Map<string, ModuleCode>();
  return (sha256) => {
    let code = codes.get(sha256);
    if (!code) {
      const line = abis.get(sha256);
      const abi = line === undefined ? undefined : () => (JSON.parse(line) as { abi: NodeAbiJson }).abi;
      code = new ModuleCode(readFileSync(join(directory, "modules", `${sha256}.mv`)), abi);
      codes.set(sha256, code);
    }
    return code;
  };
}

function readLines(file: string): string[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "");
}
