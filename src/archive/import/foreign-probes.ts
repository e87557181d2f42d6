import type { Cell } from "../../base/cell.ts";
import type { Integer, Session, Transaction } from "../../engine/engine.ts";
import type { Address } from "../../move/address.ts";
import { checksumOf } from "../../schema/sql/checksum.ts";
import { bytesOf, hexOf } from "../../schema/sql/functions.ts";
import { internAddresses } from "../../schema/sql/predicates.ts";
import { sql } from "../../schema/sql/sql.ts";
import { traceTables } from "../../schema/tables/trace.ts";
import { ABSENT } from "../nodes/sources.ts";
import { recordIn } from "../snapshots/records.ts";
import { recordText } from "./compare-accounts.ts";
import type { Contradictions } from "./contradictions.ts";
import { addressIn, keyIn, nameIn, orNullIn, recordOf, textIn, versionIn } from "./foreign-cells.ts";

type Record = readonly [sequenceNumber: string | null, authenticationKey: Uint8Array | null];
type ModuleRow = readonly [address: Address, name: string, version: Integer, stored: string | null, found: string | null];
type AccountRow = readonly [address: Address, version: Integer, ...stored: Record, ...found: Record];

const { module_probes, account_probes } = traceTables;
const { name, ledger_version, source, sequence_number, authentication_key } = { ...module_probes.columns, ...account_probes.columns };
const address = { kind: "text" } as const;
const modulesTable = { name: "foreign_module_probes", columns: { address, name, ledger_version, sha256: address, source } } as const;
const accountsTable = {
  name: "foreign_account_probes",
  columns: { address, ledger_version, sequence_number, authentication_key, source },
} as const;

const modules = sql<[Cell, Cell, Cell, Cell, Cell]>`SELECT a.address, m.name, m.ledger_version, b.sha256, m.source FROM _module_probes m
  JOIN _addresses a ON a.id = m.address_id LEFT JOIN _bytecodes b ON b.id = m.bytecode_id ORDER BY m.address_id, m.name, m.ledger_version`;
const accounts = sql<[Cell, Cell, Cell, Cell, Cell]>`SELECT a.address, m.ledger_version, m.sequence_number, m.authentication_key, m.source
  FROM _account_probes m JOIN _addresses a ON a.id = m.address_id ORDER BY m.address_id, m.ledger_version`;

const ofModules = sql`foreign_module_probes s JOIN _addresses a ON a.address = s.address`;
const ofAccounts = sql`foreign_account_probes s JOIN _addresses a ON a.address = s.address`;
const bytecode = sql`LEFT JOIN _bytecodes b ON b.sha256 = ${bytesOf("s.sha256")}`;
const merge = [
  internAddresses(sql`foreign_module_probes`),
  internAddresses(sql`foreign_account_probes`),
  sql`INSERT INTO _module_probes (address_id, name, ledger_version, bytecode_id, source) SELECT a.id, s.name, s.ledger_version, b.id, s.source
    FROM ${ofModules} ${bytecode} WHERE true ON CONFLICT DO NOTHING`,
  sql`INSERT INTO _account_probes (address_id, ledger_version, sequence_number, authentication_key, source)
    SELECT a.id, s.ledger_version, s.sequence_number, s.authentication_key, s.source FROM ${ofAccounts} WHERE true ON CONFLICT DO NOTHING`,
  // Of rows that are as the archive has them: one that was damaged here does not become sound.
  sql`UPDATE _module_probes SET checksum = ${checksumOf(module_probes)} WHERE checksum IS NULL AND EXISTS (SELECT 1 FROM ${ofModules} ${bytecode}
    WHERE a.id = _module_probes.address_id AND s.name = _module_probes.name AND s.ledger_version = _module_probes.ledger_version
    AND b.id IS NOT DISTINCT FROM _module_probes.bytecode_id)`,
  sql`UPDATE _account_probes SET checksum = ${checksumOf(account_probes)} WHERE checksum IS NULL AND EXISTS (SELECT 1 FROM ${ofAccounts}
    WHERE a.id = _account_probes.address_id AND s.ledger_version = _account_probes.ledger_version
    AND s.sequence_number IS NOT DISTINCT FROM _account_probes.sequence_number AND s.authentication_key IS NOT DISTINCT FROM _account_probes.authentication_key)`,
];
const otherModules = sql<ModuleRow>`SELECT s.address, s.name, s.ledger_version, ${hexOf("b.sha256")}, s.sha256 FROM ${ofModules}
  JOIN _module_probes p ON p.address_id = a.id AND p.name = s.name AND p.ledger_version = s.ledger_version
  LEFT JOIN _bytecodes b ON b.id = p.bytecode_id WHERE ${hexOf("b.sha256")} IS DISTINCT FROM s.sha256`;
const otherAccounts = sql<AccountRow>`SELECT s.address, s.ledger_version, p.sequence_number, p.authentication_key, s.sequence_number,
  s.authentication_key FROM ${ofAccounts} JOIN _account_probes p ON p.address_id = a.id AND p.ledger_version = s.ledger_version
  WHERE p.sequence_number IS DISTINCT FROM s.sequence_number OR p.authentication_key IS DISTINCT FROM s.authentication_key`;

/** Takes over the point reads of a foreign database, whose bytecode is stored. They stay what they are, one read at one version. */
export async function takeProbes(tx: Transaction, session: Session, contradictions: Contradictions): Promise<void> {
  await tx.stage(modulesTable, foreignModules(session));
  await tx.stage(accountsTable, foreignAccounts(session));
  for (const statement of merge) await tx.run(statement);
  for await (const rows of tx.stream(otherModules)) {
    for (const [address, name, version, stored, found] of rows) {
      const texts = { stored: stored ?? ABSENT, found: found ?? ABSENT };
      contradictions.add(BigInt(version), { kind: "module_probe", subject: `${address}::${name}`, ...texts });
    }
  }
  for await (const rows of tx.stream(otherAccounts)) {
    for (const [address, version, ...[sequence, key, foundSequence, foundKey]] of rows) {
      const texts = { stored: recordText(recordIn([sequence, key, null])), found: recordText(recordIn([foundSequence, foundKey, null])) };
      contradictions.add(BigInt(version), { kind: "account_probe", subject: address, ...texts });
    }
  }
}

async function* foreignModules(session: Session): AsyncGenerator<readonly unknown[]> {
  for await (const rows of session.stream(modules)) {
    for (const [address, name, version, sha256, source] of rows) {
      const digest = orNullIn(keyIn, sha256);
      const hex = digest && Buffer.from(digest).toString("hex");
      yield [addressIn(address), nameIn(name), versionIn(version), hex, orNullIn(textIn, source)];
    }
  }
}

async function* foreignAccounts(session: Session): AsyncGenerator<readonly unknown[]> {
  for await (const rows of session.stream(accounts)) {
    for (const [address, version, sequence, key, source] of rows) {
      const record = recordOf([sequence, key, null]);
      const cells = [record?.sequenceNumber ?? null, record?.authenticationKey ?? null];
      yield [addressIn(address), versionIn(version), ...cells, orNullIn(textIn, source)];
    }
  }
}
