import { formatHex } from "../../base/hex.ts";
import type { Manifest, ManifestSnapshot } from "../manifest.ts";
import { CHAIN_COLUMN, snapshotTable, type Value } from "../tables/table.ts";

/**
 * Compares what a manifest says of its snapshots with the rows of `archive_snapshots` in the same part: the chain, and for
 * each snapshot its status, counts and digest. Returns the first difference in words, undefined if there is none.
 */
export function manifestDifference(manifest: Manifest, rows: readonly (readonly Value[])[]): string | undefined {
  const at = (name: string): number => snapshotTable.columns.findIndex((column) => column.name === name);
  const chain = at(CHAIN_COLUMN);
  // Exports of the first builds have no chain in their rows.
  const other = rows.find((row) => row[chain] !== null && BigInt(row[chain] as bigint) !== BigInt(manifest.chain_id));
  if (other !== undefined) return `its rows are of chain ${other[chain]}, and its manifest says ${manifest.chain_id}`;
  const texts = new Map(rows.map((row) => [String(row[at("ledger_version")]), describe((name) => row[at(name)] ?? null)]));
  for (const snapshot of manifest.snapshots) {
    const found = texts.get(snapshot.ledger_version);
    if (found === undefined) return `its manifest has a snapshot of ledger version ${snapshot.ledger_version}, and its rows have none`;
    const wanted = describe((name) => snapshot[name]);
    if (found !== wanted) return `its manifest says of ledger version ${snapshot.ledger_version}: ${wanted}; its rows say: ${found}`;
    texts.delete(snapshot.ledger_version);
  }
  const [missing] = texts.keys();
  return missing === undefined ? undefined : `its rows have a snapshot of ledger version ${missing} that is not in its manifest`;
}

type Fact = Exclude<keyof ManifestSnapshot, "ledger_version">;

function describe(factOf: (name: Fact) => Value): string {
  const text = (name: Fact): string => {
    const value = factOf(name);
    return value instanceof Uint8Array ? formatHex(value) : String(value);
  };
  return `${text("status")}, ${text("accounts")} accounts, ${text("modules")} modules, ${text("gaps")} gaps, digest ${text("digest")}`;
}
