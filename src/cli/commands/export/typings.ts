import type { ExportDoor, SealedSnapshot } from "../../../archive/copy/exporting.ts";
import { plural } from "../../../base/plural.ts";
import { printable } from "../../../base/printable.ts";
import { ExchangeError } from "../../../exchange/manifest.ts";
import { deriveAbi } from "../../../exchange/modules/export-modules.ts";
import type { TypedModule } from "../../../exchange/typings/closure.ts";
import { readPins, type Selection } from "../../../exchange/typings/pins.ts";
import type { U64Type } from "../../../exchange/typings/typescript-move.ts";
import { compareTypings, makeTypings, type TypingsDifference, writeTypings } from "../../../exchange/typings/typings.ts";
import type { ExitName } from "../../../exit-codes.ts";
import { type Address, compareAddresses } from "../../../move/address.ts";
import { formatModuleId } from "../../../move/module-id.ts";
import type { Io } from "../../io.ts";
import { jsonLine } from "../../output/json-line.ts";
import { typingsResult } from "./result.ts";

export type TypingsFlags = {
  readonly account?: readonly Address[];
  readonly module?: readonly string[];
  readonly u64?: U64Type;
  readonly check?: boolean;
  readonly json?: boolean;
};

/**
 * Writes typings of one snapshot, or, with `--check`, tells whether those on disk are what would be written. Without modules
 * or accounts on the command line, `--check` takes them and `--u64` from the pins that the typings came with.
 */
export async function exportTypings(
  io: Io,
  directory: string,
  door: ExportDoor,
  snapshot: SealedSnapshot,
  flags: TypingsFlags,
): Promise<ExitName> {
  const modules = await readAbis(door, snapshot);
  const pins = flags.check ? readPins(directory) : undefined;
  requireChain(pins === undefined ? [] : [pins], "typings", door, directory);
  const asked = selectionOf(flags);
  const selection = asked ?? pins?.selection ?? "all";
  // A module that was asked for must be there; one that was pinned may have gone since, which is a difference.
  if (asked !== undefined) requireHeld([...modules.keys()], asked);
  const typings = makeTypings({
    chainId: door.chainId as number,
    ledgerVersion: snapshot.ledgerVersion,
    selection,
    roots: [...modules.keys()].filter((id) => isSelected(id, selection)),
    find: (id) => modules.get(id),
    u64: flags.u64 ?? pins?.u64 ?? "string",
  });
  const difference = flags.check ? compareTypings(directory, typings) : writeTypings(directory, typings);
  const { changed, absent, surplus } = difference;
  const isSame = changed.length + absent.length + surplus.length === 0;
  const summary = {
    directory,
    ledgerVersion: snapshot.ledgerVersion,
    files: typings.files.size,
    ...difference,
    missing: typings.missing,
  };
  if (flags.json) await io.stdout(jsonLine(typingsResult.print(summary)));
  else await io.stdout(`${describe(directory, snapshot, typings.files.size, difference, flags.check === true)}\n`);
  if (typings.missing.length > 0) {
    io.stderr(
      `movedex: ${plural(typings.missing.length, "module")} that the types mention ${typings.missing.length === 1 ? "is" : "are"} not in this snapshot, so their types are \`unknown\`: ` +
        `${fewNames(typings.missing)}\n`,
    );
  }
  return flags.check && !isSame ? "corrupt" : "done";
}

async function readAbis(door: ExportDoor, { ledgerVersion }: SealedSnapshot): Promise<Map<string, TypedModule>> {
  const modules = new Map<string, TypedModule>();
  for await (const module of door.modules(ledgerVersion)) {
    const abi = deriveAbi(module);
    if (abi !== undefined) modules.set(formatModuleId(module), { sha256: module.sha256, abi });
  }
  return modules;
}

/** The modules and accounts that the command line names; undefined if it names none. */
function selectionOf({ account, module }: TypingsFlags): Exclude<Selection, "all"> | undefined {
  if (account === undefined && module === undefined) return undefined;
  return { accounts: [...new Set(account)].sort(compareAddresses), modules: [...new Set(module)].sort() };
}

function isSelected(id: string, selection: Selection): boolean {
  if (selection === "all") return true;
  return selection.modules.includes(id) || selection.accounts.some((address) => id.startsWith(`${address}::`));
}

function requireHeld(held: readonly string[], { accounts, modules }: Exclude<Selection, "all">): void {
  const absent = modules.find((id) => !held.includes(id)) ?? accounts.find((address) => !held.some((id) => id.startsWith(`${address}::`)));
  if (absent === undefined) return;
  throw new ExchangeError("MOVEDEX_EXPORT_NOTHING", `this snapshot holds no module \`${printable(absent, 100)}\` with an ABI.`, {
    facts: { wanted: absent },
  });
}

/** @throws ExchangeError when one of the parts of a directory, `what`, is of another chain */
export function requireChain(
  parts: readonly { readonly chain_id: number }[],
  what: "an export" | "typings",
  { chainId }: ExportDoor,
  directory: string,
): void {
  const other = parts.find(({ chain_id }) => chainId !== null && chain_id !== chainId);
  if (other === undefined) return;
  throw new ExchangeError(
    "MOVEDEX_EXPORT_DIRECTORY",
    `\`${printable(directory)}\` holds ${what} of chain ${other.chain_id}, and the database is of chain ${chainId}. Name another directory.`,
    { facts: { stored: other.chain_id, found: chainId } },
  );
}

export function fewNames(names: readonly string[]): string {
  const few = names.slice(0, 5).map((id) => printable(id, 100));
  return `${few.join(", ")}${names.length > few.length ? " …" : ""}`;
}

function describe(
  directory: string,
  { ledgerVersion }: SealedSnapshot,
  files: number,
  { changed, absent, surplus }: TypingsDifference,
  isCheck: boolean,
): string {
  const where = `\`${printable(directory)}\``;
  const count = changed.length + absent.length + surplus.length;
  if (count === 0) return `${where} is up to date with ledger version ${ledgerVersion}`;
  if (!isCheck) return `wrote typings of ledger version ${ledgerVersion} to ${where}: ${plural(files, "file")}, ${plural(count, "change")}`;
  const lines = [
    ...changed.map((path) => `  changed: ${path}`),
    ...absent.map((path) => `  missing: ${path}`),
    ...surplus.map((path) => `  no longer there: ${path}`),
  ];
  const shown = lines.length > 20 ? [...lines.slice(0, 20), `  … and ${lines.length - 20} more`] : lines;
  return `${where} is out of date with ledger version ${ledgerVersion}:\n${shown.join("\n")}`;
}
