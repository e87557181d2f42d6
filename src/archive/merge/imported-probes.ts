import type { Integer, Transaction } from "../../engine/engine.ts";
import type { Address } from "../../move/address.ts";
import { checksumOf } from "../../schema/sql/checksum.ts";
import { bytesOf, hexOf } from "../../schema/sql/functions.ts";
import { sql } from "../../schema/sql/sql.ts";
import { traceTables } from "../../schema/tables/trace.ts";
import { ABSENT } from "../nodes/sources.ts";
import { recordIn } from "../snapshots/records.ts";
import { type ReportFinding, recordText } from "./merging.ts";
import { staged } from "./staging.ts";

type Record = readonly [sequenceNumber: string | null, authenticationKey: Uint8Array | null];
type ModuleRow = readonly [address: Address, name: string, version: Integer, stored: string | null, found: string | null];
type AccountRow = readonly [address: Address, version: Integer, ...stored: Record, ...found: Record];

const ofModules = sql`${staged.archive_module_probes} s JOIN _addresses a ON a.address = s.address`;
const ofAccounts = sql`${staged.archive_account_probes} s JOIN _addresses a ON a.address = s.address`;
const bytecode = sql`LEFT JOIN _bytecodes b ON b.sha256 = ${bytesOf("s.sha256")}`;
const { module_probes, account_probes } = traceTables;

const merge = [
  sql`INSERT INTO _module_probes (address_id, name, ledger_version, bytecode_id, source) SELECT a.id, s.name, s.ledger_version, b.id, s.source
    FROM ${ofModules} ${bytecode} WHERE true ORDER BY s.part ON CONFLICT DO NOTHING`,
  sql`INSERT INTO _account_probes (address_id, ledger_version, sequence_number, authentication_key, source)
    SELECT a.id, s.ledger_version, s.sequence_number, s.authentication_key, s.source FROM ${ofAccounts} WHERE true ORDER BY s.part ON CONFLICT DO NOTHING`,
  // Of rows that are as the archive has them: one that was damaged here does not become sound.
  sql`UPDATE _module_probes SET checksum = ${checksumOf(module_probes)} WHERE checksum IS NULL AND EXISTS (SELECT 1 FROM ${ofModules} ${bytecode}
    WHERE a.id = _module_probes.address_id AND s.name = _module_probes.name AND s.ledger_version = _module_probes.ledger_version
    AND b.id IS NOT DISTINCT FROM _module_probes.bytecode_id)`,
  sql`UPDATE _account_probes SET checksum = ${checksumOf(account_probes)} WHERE checksum IS NULL AND EXISTS (SELECT 1 FROM ${ofAccounts}
    WHERE a.id = _account_probes.address_id AND s.ledger_version = _account_probes.ledger_version
    AND s.sequence_number IS NOT DISTINCT FROM _account_probes.sequence_number AND s.authentication_key IS NOT DISTINCT FROM _account_probes.authentication_key)`,
];
const otherModules = sql`SELECT s.address, s.name, s.ledger_version, ${hexOf("b.sha256")}, s.sha256 FROM ${ofModules}
  JOIN _module_probes p ON p.address_id = a.id AND p.name = s.name AND p.ledger_version = s.ledger_version
  LEFT JOIN _bytecodes b ON b.id = p.bytecode_id WHERE ${hexOf("b.sha256")} IS DISTINCT FROM s.sha256`;
const otherAccounts = sql`SELECT s.address, s.ledger_version, p.sequence_number, p.authentication_key, s.sequence_number, s.authentication_key FROM ${ofAccounts}
  JOIN _account_probes p ON p.address_id = a.id AND p.ledger_version = s.ledger_version
  WHERE p.sequence_number IS DISTINCT FROM s.sequence_number OR p.authentication_key IS DISTINCT FROM s.authentication_key`;

/** Writes the point reads of a staged archive. They stay what they are, one read at one version; what differs is a finding. */
export async function importProbes(tx: Transaction, report: ReportFinding): Promise<void> {
  for (const statement of merge) await tx.run(statement);
  for await (const rows of tx.stream<ModuleRow>(otherModules)) {
    for (const [address, name, version, stored, found] of rows) {
      const at = { fromVersion: BigInt(version), toVersion: BigInt(version) };
      report({ kind: "module_probe", subject: `${address}::${name}`, ...at, stored: stored ?? ABSENT, found: found ?? ABSENT });
    }
  }
  for await (const rows of tx.stream<AccountRow>(otherAccounts)) {
    for (const [address, version, ...[sequence, key, foundSequence, foundKey]] of rows) {
      const at = { fromVersion: BigInt(version), toVersion: BigInt(version) };
      const stored = recordText(recordIn([sequence, key, null]));
      report({ kind: "account_probe", subject: address, ...at, stored, found: recordText(recordIn([foundSequence, foundKey, null])) });
    }
  }
}
