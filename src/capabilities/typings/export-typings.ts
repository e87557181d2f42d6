import { plural } from "../../core/base/plural.ts";
import { printable } from "../../core/base/printable.ts";
import { all, list, object, text, version, whole } from "../../core/base/result.ts";
import type { Io } from "../../core/cli/io.ts";
import { jsonLine } from "../../core/cli/output/json-line.ts";
import type { ExitName } from "../../core/exit-codes.ts";
import { compareAddresses } from "../../core/move/address.ts";
import { formatModuleId, moduleNamed } from "../../core/move/module-id.ts";
import { deriveAbi, modulesOf, olderAccounts, requireHeld } from "../export/export-modules.ts";
import type { ExportSession, SealedSnapshot } from "../export/exporting.ts";
import type { ExportFlags } from "../export/format.ts";
import { fewNames } from "../export/manifest.ts";
import type { TypedModule } from "./type-text.ts";
import type { U64Type } from "./typescript-move.ts";
import type { Selection } from "./typings.ts";
import { makeTypings, type TypingsDifference, writeTypings } from "./typings.ts";

export const typingsResult = object({
  directory: text,
  ledger_version: version,
  files: whole,
  ...all(list(text), "changed", "absent", "surplus", "missing"),
});

type TypingsFlags = ExportFlags & { readonly u64?: U64Type };

export async function exportTypings(
  io: Io,
  directory: string,
  session: ExportSession,
  snapshot: SealedSnapshot,
  flags: TypingsFlags,
): Promise<ExitName> {
  const { modules, older } = await readAbis(session, snapshot, flags);
  const asked = selectionOf(flags);
  const selection = asked ?? "all";
  if (asked !== undefined) requireHeld([...modules.keys()], asked, " with an ABI");
  const roots = [...modules.keys()].filter((id) => isSelected(id, selection));
  const typings = makeTypings({
    chainId: session.chainId as number,
    ledgerVersion: snapshot.ledgerVersion,
    selection,
    roots,
    find: (id) => modules.get(id),
    u64: flags.u64 ?? "string",
  });
  const difference = writeTypings(directory, typings);
  const summary = {
    directory,
    ledgerVersion: snapshot.ledgerVersion,
    files: typings.files.size,
    ...difference,
    missing: typings.missing,
  };
  if (flags.json) await io.stdout(jsonLine(typingsResult.print(summary)));
  else await io.stdout(`${describe(directory, snapshot, typings.files.size, difference)}\n`);
  io.stderr(olderAccounts(snapshot, new Set(roots.map((id) => moduleNamed(id).address).filter((address) => older.has(address)))));
  if (typings.missing.length > 0) {
    io.stderr(
      `movedex: ${plural(typings.missing.length, "module")} that the types mention ${typings.missing.length === 1 ? "is" : "are"} not in this snapshot, so their types are \`unknown\`: ` +
        `${fewNames(typings.missing)}\n`,
    );
  }
  return "done";
}

async function readAbis(session: ExportSession, snapshot: SealedSnapshot, flags: TypingsFlags) {
  const modules = new Map<string, TypedModule>();
  const older = new Set<string>();
  for await (const module of modulesOf(session, snapshot, flags)) {
    const abi = deriveAbi(module);
    if (abi !== undefined) modules.set(formatModuleId(module), { sha256: module.sha256, abi });
    if (module.readAt !== snapshot.ledgerVersion) older.add(module.address);
  }
  return { modules, older };
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

function describe(
  directory: string,
  { ledgerVersion }: SealedSnapshot,
  files: number,
  { changed, absent, surplus }: TypingsDifference,
): string {
  const where = `\`${printable(directory)}\``;
  const count = changed.length + absent.length + surplus.length;
  if (count === 0) return `${where} is up to date with ledger version ${ledgerVersion}`;
  return `wrote typings of ledger version ${ledgerVersion} to ${where}: ${plural(files, "file")}, ${plural(count, "change")}`;
}
