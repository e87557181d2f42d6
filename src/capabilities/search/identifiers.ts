import type { Engine } from "../../core/db/engine/engine.ts";
import { rowOf, text, textsOf, version } from "../../core/db/engine/row-shape.ts";
import { bytesOf, hexOf, jsonEach } from "../../core/db/schema/sql/functions.ts";
import { moduleSpans } from "../../core/db/schema/sql/predicates.ts";
import { type Sql, sql } from "../../core/db/schema/sql/sql.ts";
import type { Address } from "../../core/move/address.ts";
import { LAST, SPECIAL } from "./hits.ts";

const withSha = rowOf({
  sha256: text(hexOf("b.sha256")),
  address: text<Address>("a.address"),
  name: text("s.name"),
  from: version("min(s.from_version)"),
});
const withCode = rowOf({
  address: text<Address>("a.address"),
  name: text("m.name"),
  error: text("e.name"),
  description: text("e.description"),
});
const withLabel = rowOf({ address: text<Address>("a.address"), label: text("t.label") });

/** A module as it stood with some bytes: the first snapshot that showed it so. */
export type ModuleWithSha = ReturnType<typeof withSha.read>;

export type ErrorOfModule = ReturnType<typeof withCode.read>;

const bySha = sql`SELECT ${withSha.columns} FROM _bytecodes b
  JOIN ${moduleSpans} s ON s.bytecode_id = b.id JOIN _addresses a ON a.id = s.address_id
  WHERE b.sha256 >= ${bytesOf(":low::text")} AND b.sha256 <= ${bytesOf(":high::text")} GROUP BY b.sha256, a.address, s.name
  ORDER BY b.sha256, length(a.address), a.address LIMIT :limit`;
const beginning = sql`SELECT a.address FROM _addresses a WHERE a.address >= :from AND a.address < :to
  AND EXISTS (SELECT 1 FROM _coverage c WHERE c.address_id = a.id) ORDER BY a.address LIMIT :limit`;
const labelled = sql`SELECT ${withLabel.columns} FROM _targets t JOIN _addresses a ON a.id = t.address_id
  WHERE t.label IS NOT NULL AND lower(t.label) LIKE '%' || :word::text || '%' ORDER BY length(t.label), a.address LIMIT :limit`;

// Errors of a code in the newest listings of accounts. Each table is read by what the one before it gives: of the ledger's own accounts by
// their modules, of all others by the code.
const coded = (tables: Sql): Sql => sql`SELECT ${withCode.columns} FROM ${tables}
  WHERE s.to_version IS NULL AND m.listing_id = s.listing_id AND b.id = m.bytecode_id AND x.id = b.abi_id AND q.error_map_id = x.error_map_id
    AND e.id = q.error_code_id AND e.code = :code::u64 AND a.id = s.address_id`;
const codedInOwn = sql`${coded(sql`${jsonEach(":special::json", "z")} CROSS JOIN _addresses a CROSS JOIN _listing_spans s CROSS JOIN _listing_modules m
  CROSS JOIN _bytecodes b CROSS JOIN _abis x CROSS JOIN _error_map_codes q CROSS JOIN _error_codes e`)} AND a.address = z.value LIMIT :limit`;
const codedElsewhere = sql`${coded(sql`_error_codes e CROSS JOIN _error_map_codes q CROSS JOIN _abis x CROSS JOIN _bytecodes b
  CROSS JOIN _listing_modules m CROSS JOIN _listing_spans s CROSS JOIN _addresses a`)}
  AND a.address NOT IN (SELECT z.value FROM ${jsonEach(":special::json", "z")}) LIMIT :limit`;

/** Finding by what identifies a thing, or the beginning of it. All lists are bounded by a limit. */
export function identifierQueries(engine: Engine) {
  return {
    /** Modules by the first digits of the SHA-256 of their bytes, an even number of them. */
    modulesBySha: (digits: string, limit: number): Promise<ModuleWithSha[]> =>
      withSha.all(engine, bySha, { low: digits.padEnd(64, "0"), high: digits.padEnd(64, "f"), limit }),
    /** Accounts that a snapshot has an answer about, by the first characters of their address as nodes print it. */
    accountsBeginning: (from: string, limit: number): Promise<Address[]> =>
      textsOf<Address>(engine, beginning, { from, to: from + LAST, limit }),
    /** Errors to which modules give a code now, those of the ledger's own accounts first. */
    errorsOfCode: async (code: bigint, limit: number): Promise<ErrorOfModule[]> => {
      const values = { code: code.toString(), special: JSON.stringify(SPECIAL) };
      const own = await withCode.all(engine, codedInOwn, { ...values, limit });
      const others = own.length < limit ? await withCode.all(engine, codedElsewhere, { ...values, limit: limit - own.length }) : [];
      return [...own, ...others];
    },
    /** Accounts whose label has a text in it, whatever the case of its letters. */
    accountsLabelled: async (text: string, limit: number) => {
      // In LIKE, these two stand for others.
      const word = text.toLowerCase().replaceAll(/[%_\\]/g, "");
      return word.trim() === "" ? [] : withLabel.all(engine, labelled, { word, limit });
    },
  };
}
