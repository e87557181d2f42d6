import type { Cell } from "../../core/base/cell.ts";
import { printable } from "../../core/base/printable.ts";
import { findBytecodes } from "../../core/db/archive/content/observed-module.ts";
import { internAddressIds } from "../../core/db/archive/content/shared-rows.ts";
import { ABSENT } from "../../core/db/archive/nodes/sources.ts";
import { type RecordCells, recordIn } from "../../core/db/archive/snapshots/covering.ts";
import { storableVersion } from "../../core/db/archive/snapshots/snapshot-queries.ts";
import { keepEstimate, keepTime } from "../../core/db/archive/times/ledger-times.ts";
import type { Integer, Session, Transaction } from "../../core/db/engine/engine.ts";
import { condition, orNull, rowOf, text, version, whole } from "../../core/db/engine/row-shape.ts";
import { checksumOf, isAsWritten } from "../../core/db/schema/sql/checksum.ts";
import { countRows, hexOf } from "../../core/db/schema/sql/functions.ts";
import { includesVersion, internAddresses } from "../../core/db/schema/sql/predicates.ts";
import { joined, named, type Sql, sql } from "../../core/db/schema/sql/sql.ts";
import { traceTables } from "../../core/db/schema/tables/time.ts";
import { workTables } from "../../core/db/schema/tables/work.ts";
import type { Address } from "../../core/move/address.ts";
import { keepAccountProbe, keepModuleProbe } from "../trace/probes.ts";
import { recordText } from "./accounts.ts";
import type { Contradictions } from "./contradictions.ts";
import { foreignAddress, foreignName, foreignRecord, moment } from "./foreign-archive.ts";

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
const isCovered = (account: Sql) =>
  sql`EXISTS (SELECT 1 FROM _coverage c WHERE c.address_id = ${account} AND ${includesVersion("c", ":version")})`;
// An account that is covered has an answer, and no gap.
const gaps = sql`SELECT ${gap.columns} FROM _all_gaps m JOIN _addresses a ON a.id = m.address_id
  WHERE m.ledger_version = :version AND NOT ${isCovered(sql`m.address_id`)} ORDER BY length(a.address), a.address`;
const { reason, error_code, http_status, message, attempts, is_final, first_at, last_at } = workTables.all_gaps.columns;
const facts = { reason, error_code, http_status, message, attempts, is_final, first_at, last_at };
const staged = { name: "foreign_gaps", columns: { address: { kind: "text" }, ...facts } } as const;
const countStaged = countRows("foreign_gaps");
const internStaged = internAddresses(sql`foreign_gaps`);
const names = Object.keys(facts).map(named);
const columns = joined(names, ", ");
const given = joined(
  names.map((name) => sql`excluded.${name}`),
  ", ",
);
// An order that both sides agree on: the later failure first, then everything else that is said of it.
const rank = (alias: string): Sql => {
  const of = named(alias);
  return sql`(${of}.last_at, ${of}.attempts, ${of}.first_at, ${of}.is_final, ${of}.reason, coalesce(${of}.error_code, ''), coalesce(${of}.http_status, -1), ${of}.message)`;
};
// The stretches across a snapshot that is not sealed say nothing of it.
const addGaps = sql`INSERT INTO _all_gaps (ledger_version, address_id, ${columns}) SELECT :version::version, a.id, ${columns}
  FROM foreign_gaps g JOIN _addresses a ON a.address = g.address WHERE NOT (:isSealed AND ${isCovered(sql`a.id`)})
  ON CONFLICT (ledger_version, address_id) DO UPDATE SET (${columns}, checksum) = (${given}, NULL) WHERE ${rank("excluded")} > ${rank("_all_gaps")}`;
const checkGaps = sql`UPDATE _all_gaps SET checksum = ${checksumOf(workTables.all_gaps)} WHERE ledger_version = :version AND checksum IS NULL`;

/** Takes over the gaps that a foreign database has of a snapshot, where there is no answer here. */
export async function takeGaps(tx: Transaction, session: Session, version: bigint, isSealed: boolean): Promise<void> {
  const rowOfGap = ({ address, ...facts }: ReturnType<typeof gap.read>) => [
    foreignAddress(address),
    ...Object.values(facts).map((fact) => (typeof fact === "string" ? printable(fact, 10_000) : fact)),
  ];
  await tx.stage(staged, []);
  for await (const rows of session.stream(gaps, { version })) await tx.bulk(staged, rows.map(gap.read).map(rowOfGap));
  await tx.run(countStaged);
  await tx.run(internStaged);
  await tx.run(addGaps, { version, isSealed });
  await tx.run(checkGaps, { version });
}

// A row that is not as it was written would be written here with a checksum of its own, and nobody would ever see it.
const moduleProbes = sql<[Address, Integer, name: string, sha256: string | null, source: string | null]>`SELECT a.address, ledger_version,
  name, ${hexOf("b.sha256")}, source FROM _module_probes JOIN _addresses a ON a.id = address_id LEFT JOIN _bytecodes b ON b.id = bytecode_id
  WHERE ${isAsWritten(traceTables.module_probes)} ORDER BY address_id, name, ledger_version`;
const accountProbes = sql<
  [Address, Integer, sequence: string | null, key: Uint8Array | null, source: string | null]
>`SELECT a.address, ledger_version, sequence_number, authentication_key, source FROM _account_probes JOIN _addresses a ON a.id = address_id
  WHERE ${isAsWritten(traceTables.account_probes)} ORDER BY address_id, ledger_version`;
const ownModule = sql<
  [sha256: string | null]
>`SELECT ${hexOf("b.sha256")} FROM _module_probes p LEFT JOIN _bytecodes b ON b.id = p.bytecode_id
  WHERE p.address_id = :address_id AND p.name = :name AND p.ledger_version = :ledger_version`;
const ownAccount = sql<RecordCells>`SELECT p.sequence_number, p.authentication_key, NULL FROM _account_probes p
  WHERE p.address_id = :address_id AND p.ledger_version = :ledger_version`;

/** Rows of point reads, each with the key of its own here. */
async function* keyed<R extends readonly [Address, Integer, ...Cell[]]>(tx: Transaction, session: Session, select: Sql<R>) {
  for await (const rows of session.stream(select)) {
    const addresses = rows.map(([address]) => foreignAddress(address));
    const ids = await internAddressIds(tx, addresses);
    for (const row of rows) yield { row, key: { address_id: ids.get(row[0]) ?? null, ledger_version: storableVersion(BigInt(row[1])) } };
  }
}

/** Takes over the point reads of a foreign database, whose bytecode is stored. They stay what they are, one read at one version. */
export async function takeProbes(tx: Transaction, session: Session, { at }: Contradictions): Promise<void> {
  for await (const { row, key: place } of keyed(tx, session, moduleProbes)) {
    const [address, , text, found, source] = row;
    const key = { ...place, name: foreignName(text) };
    const own = await tx.first(ownModule, key);
    if (own === undefined) {
      const bytecode = found === null ? undefined : (await findBytecodes(tx, [found])).get(found);
      await keepModuleProbe(tx, key, bytecode, source && printable(source));
    } else at(key.ledger_version)("module_probe", `${address}::${text}`, own[0] ?? ABSENT, found ?? ABSENT);
  }
  for await (const { row, key } of keyed(tx, session, accountProbes)) {
    const [address, , sequence, authenticationKey, source] = row;
    const found = foreignRecord([sequence, authenticationKey, null]);
    const own = await tx.first(ownAccount, key);
    if (own === undefined) await keepAccountProbe(tx, key, found, source && printable(source));
    else at(key.ledger_version)("account_probe", address, recordText(recordIn(own)), recordText(found));
  }
}

const time = rowOf({ version: version("ledger_version"), ms: moment("ledger_time"), errorMs: moment("error_ms") });
const times = sql`SELECT ${time.columns} FROM _ledger_times WHERE ${isAsWritten(workTables.ledger_times)} ORDER BY error_ms, ledger_version`;

export async function takeTimes(tx: Transaction, session: Session): Promise<void> {
  for await (const { version, ms, errorMs } of time.stream(session, times)) {
    if (errorMs === 0) await keepTime(tx, version, BigInt(ms) * 1000n);
    else await keepEstimate(tx, version, ms, errorMs);
  }
}

const leftOut = [traceTables.module_probes, traceTables.account_probes, workTables.ledger_times].map(
  (table) => sql<[Integer]>`SELECT count(*) FROM ${named(table.name)} WHERE NOT ${isAsWritten(table)}`,
);

/** How many times and point reads of a foreign database are not as they were written, and are not taken over. */
export async function countLeftOut(session: Session): Promise<number> {
  const rows = await Promise.all(leftOut.map((question) => session.first(question)));
  return rows.reduce((sum, row) => sum + Number(row?.[0]), 0);
}
