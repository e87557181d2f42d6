import { decodeModule } from "../../core/abi/decode.ts";
import type { ModuleAbi } from "../../core/abi/model.ts";
import { formatNodeAbi } from "../../core/abi/node-json/format.ts";
import { fileName } from "../../core/base/file-name.ts";
import { harmlessJson } from "../../core/base/json.ts";
import { suggestNames } from "../../core/base/names.ts";
import { plural } from "../../core/base/plural.ts";
import { printable } from "../../core/base/printable.ts";
import { ifDecodable } from "../../core/move/decode-error.ts";
import { formatModuleId } from "../../core/move/module-id.ts";
import { beginExport, type ExportDirectory, type Written } from "./export-directory.ts";
import type { ExportedModule, ExportSession, SealedSnapshot } from "./exporting.ts";
import type { ExportFlags } from "./format.ts";
import { ExchangeError, fewNames } from "./manifest.ts";
import { describeSnapshot, type SnapshotFacts } from "./tables/export-tables.ts";

/** Formats of modules with their file extensions: the bytecode, or the ABI as a node of 2026 prints it. */
export const moduleFormats = { mv: ".mv", "abi-json": ".json" } as const;

export type ModuleFormat = keyof typeof moduleFormats;

/** A module to export. `nodeAbi` is a node's ABI of bytes that movedex could not decode. */
type ModuleToWrite = {
  readonly address: string;
  readonly name: string;
  readonly code: Uint8Array;
  readonly nodeAbi: ModuleAbi | undefined;
  readonly readAt: bigint;
};

/** A module's ABI: from its bytes, else the node's; undefined if there is neither. */
export function deriveAbi({ code, nodeAbi }: Pick<ModuleToWrite, "code" | "nodeAbi">): ModuleAbi | undefined {
  return ifDecodable(() => decodeModule(code))?.abi ?? nodeAbi;
}

/** The result of an export. `undecoded` lists modules that were left out because they have no ABI. */
export type ModulesWritten = { readonly written: Written; readonly undecoded: readonly string[] };

/**
 * The modules of a snapshot that was named by its version; else each account's as they were when it was read last, which the newest
 * snapshot need not have done.
 */
export function modulesOf(
  session: ExportSession,
  { ledgerVersion }: SealedSnapshot,
  { at }: Pick<ExportFlags, "at">,
): AsyncIterable<ExportedModule> {
  return session.modules(ledgerVersion, { newest: typeof at !== "bigint" });
}

/** What is said of accounts that an older snapshot than the one of the export read; nothing where there are none. */
export function olderAccounts({ ledgerVersion }: SealedSnapshot, accounts: ReadonlySet<string>): string {
  if (accounts.size === 0) return "";
  const count = plural(accounts.size, "account");
  return `movedex: the snapshot at ${ledgerVersion} did not read ${count}, whose modules are as read last: ${fewNames([...accounts])}\n`;
}

/** @throws ExchangeError `MOVEDEX_EXPORT_NOTHING` if a module or account that was asked for is not among those held */
export function requireHeld(
  held: readonly string[],
  { accounts, modules }: { readonly accounts: readonly string[]; readonly modules: readonly string[] },
  what: "" | " with an ABI",
): void {
  const absent = modules.find((id) => !held.includes(id)) ?? accounts.find((address) => !held.some((id) => id.startsWith(`${address}::`)));
  if (absent === undefined) return;
  const of = absent.includes("::") ? "" : "of ";
  const near = suggestNames(absent, held);
  throw new ExchangeError("MOVEDEX_EXPORT_NOTHING", `this snapshot holds no module ${of}\`${printable(absent, 100)}\`${what}.${near}`, {
    facts: { wanted: absent },
  });
}

/** Writes a file for each module, such as `0x1/coin.mv`; see `fileName` for other names. */
export async function exportModules(
  directory: ExportDirectory,
  modules: AsyncIterable<ModuleToWrite>,
  request: {
    readonly format: ModuleFormat;
    readonly chainId: number;
    readonly snapshots: readonly SnapshotFacts[];
    readonly movedexVersion: string;
  },
): Promise<ModulesWritten> {
  const { format, chainId, movedexVersion } = request;
  using writer = beginExport(directory);
  const read = new Set<bigint>();
  const undecoded: string[] = [];
  for await (const module of modules) {
    const content = format === "mv" ? module.code : abiText(module);
    if (content === undefined) {
      undecoded.push(formatModuleId(module));
      continue;
    }
    read.add(module.readAt);
    await writer.file(`${module.address}/${fileName(module.name)}${moduleFormats[format]}`, content);
  }
  const snapshots = request.snapshots.filter(({ ledgerVersion }) => read.has(ledgerVersion)).map(describeSnapshot);
  return { written: writer.publish({ movedex_version: movedexVersion, chain_id: chainId, content: format, snapshots }), undecoded };
}

function abiText(module: ModuleToWrite): string | undefined {
  const abi = deriveAbi(module);
  return abi === undefined ? undefined : `${harmlessJson(formatNodeAbi(abi), 2)}\n`;
}
