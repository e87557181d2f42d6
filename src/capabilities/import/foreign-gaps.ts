import { printable } from "../../core/base/printable.ts";
import type { Session, Transaction } from "../../core/db/engine/engine.ts";
import { condition, orNull, rowOf, text, whole } from "../../core/db/engine/row-shape.ts";
import { checksumOf } from "../../core/db/schema/sql/checksum.ts";
import { includesVersion, internAddresses } from "../../core/db/schema/sql/predicates.ts";
import { joined, named, type Sql, sql } from "../../core/db/schema/sql/sql.ts";
import { workTables } from "../../core/db/schema/tables/work.ts";
import { foreignAddress, moment } from "./foreign-cells.ts";

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
