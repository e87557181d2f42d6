import { formatHex } from "../../core/base/bytes.ts";
import { printable } from "../../core/base/printable.ts";
import { internAddressIds } from "../../core/db/archive/content/module-ids.ts";
import { findBytecodes } from "../../core/db/archive/content/observed-module.ts";
import { ABSENT } from "../../core/db/archive/nodes/sources.ts";
import { type RecordCells, recordIn } from "../../core/db/archive/snapshots/covering.ts";
import { storableVersion } from "../../core/db/archive/snapshots/snapshot-queries.ts";
import type { Integer, Session, Transaction } from "../../core/db/engine/engine.ts";
import { condition, orNull, rowOf, text, whole } from "../../core/db/engine/row-shape.ts";
import { checksumOf } from "../../core/db/schema/sql/checksum.ts";
import { hexOf } from "../../core/db/schema/sql/functions.ts";
import { includesVersion, internAddresses } from "../../core/db/schema/sql/predicates.ts";
import { joined, named, type Sql, sql } from "../../core/db/schema/sql/sql.ts";
import { workTables } from "../../core/db/schema/tables/work.ts";
import type { Address } from "../../core/move/address.ts";
import { keepAccountProbe, keepModuleProbe } from "../trace/probes.ts";
import { type Contradictions, recordText } from "./compare-accounts.ts";
import { foreignAddress, foreignName, foreignRecord, moment } from "./foreign-cells.ts";

const { reason, error_code, http_status, message, attempts, is_final, first_at, last_at } = workTables.all_gaps.columns;
const facts = { reason, error_code, http_status, message, attempts, is_final, first_at, last_at };
const names = Object.keys(facts);
const staged = { name: "foreign_gaps", columns: { address: { kind: "text" }, ...facts } } as const;
const list = (each: (name: Sql) => Sql, between: ", " | " AND " = ", ") =>
  joined(
    names.map((name) => each(named(name))),
    between,
  );

const coveredAt = (account: Sql, at: string) =>
  sql`EXISTS (SELECT 1 FROM _coverage c WHERE c.address_id = ${account} AND ${includesVersion("c", at)})`;
const gap = rowOf({
  address: text("a.address"),
  reason: text("m.reason"),
  error_code: orNull(text("m.error_code")),
  http_status: orNull(whole("m.http_status")),
  message: text("m.message"),
  attempts: whole("m.attempts"),
  is_final: condition("m.is_final"),
  first_at: moment("m.first_at"),
  last_at: moment("m.last_at"),
});
// An account that is covered has an answer, and no gap.
const select = sql`SELECT ${gap.columns} FROM _all_gaps m JOIN _addresses a ON a.id = m.address_id
  WHERE m.ledger_version = :version AND NOT ${coveredAt(sql`m.address_id`, ":version")} ORDER BY length(a.address), a.address`;
const intern = internAddresses(sql`foreign_gaps`);
const given = sql`foreign_gaps g JOIN _addresses a ON a.address = g.address`;

// An order that both sides agree on: the later failure first, then everything else that is said of it.
const rank = (alias: string): Sql => {
  const of = named(alias);
  return sql`(${of}.last_at, ${of}.attempts, ${of}.first_at, ${of}.is_final, ${of}.reason, coalesce(${of}.error_code, ''), coalesce(${of}.http_status, -1), ${of}.message)`;
};
// The stretches across a snapshot that is not sealed say nothing of it.
const add = sql`INSERT INTO _all_gaps (ledger_version, address_id, ${list((name) => name)}) SELECT :version::version, a.id, ${list((name) => sql`g.${name}`)}
  FROM ${given} WHERE NOT (:isSealed AND ${coveredAt(sql`a.id`, ":version")})
  ON CONFLICT (ledger_version, address_id) DO UPDATE SET ${list((name) => sql`${name} = excluded.${name}`)} WHERE ${rank("excluded")} > ${rank("_all_gaps")}`;
const check = sql`UPDATE _all_gaps SET checksum = ${checksumOf(workTables.all_gaps)} WHERE ledger_version = :version AND EXISTS (SELECT 1 FROM ${given}
  WHERE a.id = _all_gaps.address_id AND ${list((name) => sql`g.${name} IS NOT DISTINCT FROM _all_gaps.${name}`, " AND ")})`;

/** Takes over the gaps that a foreign database has of a snapshot, where there is no answer here. */
export async function takeGaps(tx: Transaction, session: Session, version: bigint, isSealed: boolean): Promise<void> {
  await tx.stage(staged, foreignGaps(session, version));
  await tx.run(intern);
  await tx.run(add, { version, isSealed });
  await tx.run(check, { version });
}

async function* foreignGaps(session: Session, version: bigint): AsyncGenerator<readonly unknown[]> {
  for await (const { address, ...facts } of gap.stream(session, select, { version }))
    yield [foreignAddress(address), ...Object.values(facts).map((fact) => (typeof fact === "string" ? printable(fact, 10_000) : fact))];
}

const modules = sql<
  [Address, name: string, Integer, sha256: Uint8Array | null, source: string | null]
>`SELECT a.address, m.name, m.ledger_version, b.sha256, m.source FROM _module_probes m
  JOIN _addresses a ON a.id = m.address_id LEFT JOIN _bytecodes b ON b.id = m.bytecode_id ORDER BY m.address_id, m.name, m.ledger_version`;
const accounts = sql<
  [Address, Integer, sequence: string | null, key: Uint8Array | null, source: string | null]
>`SELECT a.address, m.ledger_version, m.sequence_number, m.authentication_key, m.source
  FROM _account_probes m JOIN _addresses a ON a.id = m.address_id ORDER BY m.address_id, m.ledger_version`;
const ownModule = sql<
  [sha256: string | null]
>`SELECT ${hexOf("b.sha256")} FROM _module_probes p LEFT JOIN _bytecodes b ON b.id = p.bytecode_id
  WHERE p.address_id = :address_id AND p.name = :name AND p.ledger_version = :ledger_version`;
const ownAccount = sql<RecordCells>`SELECT p.sequence_number, p.authentication_key, NULL FROM _account_probes p
  WHERE p.address_id = :address_id AND p.ledger_version = :ledger_version`;

/** Takes over the point reads of a foreign database, whose bytecode is stored. They stay what they are, one read at one version. */
export async function takeProbes(tx: Transaction, session: Session, contradictions: Contradictions): Promise<void> {
  for await (const rows of session.stream(modules)) {
    const ids = await internAddressIds(
      tx,
      rows.map(([address]) => foreignAddress(address)),
    );
    const digests = rows.map(([, , , sha256]) => (sha256 === null ? null : formatHex(sha256)));
    const bytecodes = await findBytecodes(
      tx,
      digests.filter((hex) => hex !== null),
    );
    for (const [i, [address, name, version, , source]] of rows.entries()) {
      const key = { address_id: ids.get(address) ?? null, name: foreignName(name), ledger_version: storableVersion(BigInt(version)) };
      const found = digests[i] ?? null;
      const own = await tx.first(ownModule, key);
      if (own === undefined) await keepModuleProbe(tx, key, bytecodes.get(found ?? ""), source && printable(source));
      else if (own[0] !== found) {
        const texts = { stored: own[0] ?? ABSENT, found: found ?? ABSENT };
        contradictions.add(key.ledger_version, { kind: "module_probe", subject: `${address}::${name}`, ...texts });
      }
    }
  }
  for await (const rows of session.stream(accounts)) {
    const ids = await internAddressIds(
      tx,
      rows.map(([address]) => foreignAddress(address)),
    );
    for (const [address, version, sequence, authenticationKey, source] of rows) {
      const key = { address_id: ids.get(address) ?? null, ledger_version: storableVersion(BigInt(version)) };
      const found = foreignRecord([sequence, authenticationKey, null]);
      const own = await tx.first(ownAccount, key);
      if (own === undefined) await keepAccountProbe(tx, key, found, source && printable(source));
      else if (recordText(recordIn(own)) !== recordText(found)) {
        const texts = { stored: recordText(recordIn(own)), found: recordText(found) };
        contradictions.add(key.ledger_version, { kind: "account_probe", subject: address, ...texts });
      }
    }
  }
}
