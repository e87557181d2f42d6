import type { Engine } from "../../engine/engine.ts";
import { hex, orNull, shapeOf, text, textsOf, version } from "../../engine/shape.ts";
import type { Address } from "../../move/address.ts";
import { hexOf } from "../../schema/sql/functions.ts";
import { moduleSpans } from "../../schema/sql/predicates.ts";
import { type Sql, sql } from "../../schema/sql/sql.ts";

const record = shapeOf({
  address: text<Address>("a.address"),
  from: version("s.from_version"),
  to: orNull(version("s.to_version")),
  sequenceNumber: orNull(text("CAST(s.sequence_number AS text)")),
  key: orNull(hex("s.authentication_key")),
});

const reference = shapeOf({
  address: text<Address>("a.address"),
  name: text("e.name"),
  otherAddress: text<Address>("o.address"),
  otherName: text("m.name"),
});

/** What stands in the newest snapshot that covers its account; `text` is what an error means, and what derived a module's rows. */
const item = shapeOf({
  address: text<Address>("address"),
  module: text("module"),
  kind: text<"module" | "function" | "struct" | "error">("kind"),
  name: text("name"),
  text: text("words"),
});

const standing = sql`${moduleSpans} s JOIN _bytecodes b ON b.id = s.bytecode_id JOIN _addresses a ON a.id = s.address_id`;
const itemsOf = (kind: Sql, name: Sql, words: Sql, links: Sql): Sql =>
  sql`SELECT a.address, s.name AS module, ${kind} AS kind, ${name} AS name, ${words} AS words FROM ${standing} ${links} WHERE s.to_version IS NULL`;
const ofAbi = (kind: Sql, links: Sql, rows: Sql): Sql =>
  itemsOf(kind, sql`f.name`, sql`''`, sql`JOIN ${links} l ON l.abi_id = b.abi_id JOIN ${rows}`);
const errorLinks = sql`JOIN _abis x ON x.id = b.abi_id JOIN _error_map_codes l ON l.error_map_id = x.error_map_id JOIN _error_codes f ON f.id = l.error_code_id`;
const items = sql`SELECT ${item.columns} FROM (${itemsOf(sql`'module'`, sql`s.name`, sql`coalesce(b.derived_by, '')`, sql``)}
  UNION ALL ${ofAbi(sql`'function'`, sql`_abi_functions`, sql`_functions f ON f.id = l.function_id`)}
  UNION ALL ${ofAbi(sql`'struct'`, sql`_abi_structs`, sql`_structs f ON f.id = l.struct_id`)}
  UNION ALL ${itemsOf(sql`'error'`, sql`f.name`, sql`f.description`, errorLinks)}) i`;
const references = sql`SELECT ${reference.columns} FROM (SELECT DISTINCT s.address_id, s.name, d.module_id FROM ${moduleSpans} s
    JOIN _bytecodes b ON b.id = s.bytecode_id JOIN (SELECT abi_id, module_id FROM _abi_dependencies UNION ALL SELECT abi_id, module_id FROM _abi_friends) d
    ON d.abi_id = b.abi_id) e
  JOIN _addresses a ON a.id = e.address_id JOIN _modules m ON m.id = e.module_id JOIN _addresses o ON o.id = m.address_id`;
const records = sql`SELECT ${record.columns} FROM (SELECT address_id, from_version, to_version, sequence_number, authentication_key FROM _account_spans
    UNION ALL SELECT address_id, from_version, to_version, NULL, NULL FROM _record_coverage) s JOIN _addresses a ON a.id = s.address_id`;
const withoutAbi = sql`SELECT ${hexOf("sha256")} FROM _bytecodes WHERE abi_id IS NULL`;
const derivedBy = sql`SELECT DISTINCT derived_by FROM _bytecodes WHERE derived_by IS NOT NULL`;

/** What a site asks of all modules and accounts at once. Nothing of it is in an order. */
export function prepareSiteReads(engine: Engine) {
  return {
    /** What stands in the newest snapshot that covers its account. */
    standingItems: () => item.stream(engine, items),
    /** Which modules refer to or befriend which, each in any of its versions. */
    references: () => reference.stream(engine, references),
    /** Records over a stretch of snapshots; of a stretch that was only read, sequence number and key are null. */
    recordSpans: () => record.stream(engine, records),
    /** SHA-256 of bytecode without an ABI. */
    withoutAbi: (): Promise<readonly string[]> => textsOf(engine, withoutAbi),
    /** What derived the ABIs of the rest. */
    derivedBy: (): Promise<readonly string[]> => textsOf(engine, derivedBy),
  };
}
