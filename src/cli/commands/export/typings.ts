import { printable } from "../../../base/printable.ts";
import { ExchangeError } from "../../../exchange/exchange-error.ts";
import { deriveAbi } from "../../../exchange/modules/derived-abi.ts";
import type { TypedModule } from "../../../exchange/typings/typescript-closure.ts";
import { makeTypings } from "../../../exchange/typings/typings.ts";
import { compareTypings, type TypingsDifference, writeTypings } from "../../../exchange/typings/typings-directory.ts";
import { exitCodes } from "../../../exit-codes.ts";
import type { Address } from "../../../move/address.ts";
import { formatModuleId } from "../../../move/module-id.ts";
import type { ExportDoor, SealedSnapshot } from "../../../store/copy/exporting.ts";
import type { Io } from "../../io.ts";
import { plural } from "../../output/plural.ts";

/** The part of the command line that typings depend on. */
export type TypingsFlags = {
  readonly account?: readonly Address[];
  readonly module?: readonly string[];
  readonly u64: "string" | "bigint";
  readonly check?: boolean;
  readonly json?: boolean;
};

/** Writes typings of one snapshot, or, with `--check`, says whether those on disk are what would be written. */
export async function exportTypings(
  io: Io,
  directory: string,
  door: ExportDoor,
  snapshot: SealedSnapshot,
  flags: TypingsFlags,
): Promise<number> {
  const modules = await readAbis(door, snapshot);
  const roots = chooseRoots([...modules.keys()], flags);
  const typings = makeTypings({
    chainId: door.chainId as number,
    ledgerVersion: snapshot.ledgerVersion,
    roots,
    find: (id) => modules.get(id),
    u64: flags.u64,
  });
  const difference = flags.check ? compareTypings(directory, typings) : writeTypings(directory, typings);
  const { changed, absent, surplus } = difference;
  const isSame = changed.length + absent.length + surplus.length === 0;
  const summary = {
    directory,
    ledger_version: snapshot.ledgerVersion.toString(),
    files: typings.files.size,
    ...difference,
    missing: typings.missing,
  };
  if (flags.json) await io.stdout(`${JSON.stringify(summary)}\n`);
  else await io.stdout(`${describe(directory, snapshot, typings.files.size, difference, flags.check === true)}\n`);
  if (typings.missing.length > 0) {
    io.stderr(
      `movedex: ${plural(typings.missing.length, "module")} that the types mention ${typings.missing.length === 1 ? "is" : "are"} not in this snapshot, so their types are \`unknown\`: ` +
        `${typings.missing
          .slice(0, 5)
          .map((id) => printable(id, 100))
          .join(", ")}${typings.missing.length > 5 ? " …" : ""}\n`,
    );
  }
  return flags.check && !isSame ? exitCodes.corrupt.code : exitCodes.done.code;
}

async function readAbis(door: ExportDoor, { ledgerVersion }: SealedSnapshot): Promise<Map<string, TypedModule>> {
  const modules = new Map<string, TypedModule>();
  for await (const module of door.modules(ledgerVersion)) {
    const abi = deriveAbi(module);
    if (abi !== undefined) modules.set(formatModuleId(module), { sha256: module.sha256, abi });
  }
  return modules;
}

function chooseRoots(held: readonly string[], { account, module }: TypingsFlags): string[] {
  if (account === undefined && module === undefined) return [...held];
  const absent = module?.find((id) => !held.includes(id)) ?? account?.find((address) => !held.some((id) => id.startsWith(`${address}::`)));
  if (absent !== undefined) {
    throw new ExchangeError("MOVEDEX_EXPORT_NOTHING", `this snapshot holds no module \`${printable(absent, 100)}\` with an ABI.`, {
      facts: { wanted: absent },
    });
  }
  return held.filter((id) => module?.includes(id) || account?.some((address) => id.startsWith(`${address}::`)));
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
