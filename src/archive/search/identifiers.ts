import type { Engine } from "../../engine/engine.ts";
import { shapeOf, text, textsOf, version } from "../../engine/shape.ts";
import type { Address } from "../../move/address.ts";
import { bytesOf, each, hexOf } from "../../schema/sql/functions.ts";
import { moduleSpans } from "../../schema/sql/predicates.ts";
import { sql } from "../../schema/sql/sql.ts";

const withSha = shapeOf({
  sha256: text(hexOf("b.sha256")),
  address: text<Address>("a.address"),
  name: text("s.name"),
  from: version("min(s.from_version)"),
});
const withLabel = shapeOf({ address: text<Address>("a.address"), label: text("t.label") });

/** A module as it stood with some bytes: the first snapshot that showed it so. */
export type ModuleWithSha = ReturnType<typeof withSha.read>;

/** An account by what whoever added it calls it. */
export type LabelledAccount = ReturnType<typeof withLabel.read>;

const LAST = "\u{10ffff}";

const bySha = sql`SELECT ${withSha.columns} FROM _bytecodes b
  JOIN ${moduleSpans} s ON s.bytecode_id = b.id JOIN _addresses a ON a.id = s.address_id
  WHERE b.sha256 >= ${bytesOf(":low::text")} AND b.sha256 <= ${bytesOf(":high::text")} GROUP BY b.sha256, a.address, s.name
  ORDER BY b.sha256, length(a.address), a.address LIMIT :limit`;
const beginning = sql`SELECT a.address FROM _addresses a WHERE a.address >= :from AND a.address < :to
  AND EXISTS (SELECT 1 FROM _coverage c WHERE c.address_id = a.id) ORDER BY a.address LIMIT :limit`;
const labelled = sql`SELECT ${withLabel.columns} FROM _targets t JOIN _addresses a ON a.id = t.address_id, ${each(":words::json", "j")}
  WHERE t.label IS NOT NULL AND lower(t.label) LIKE '%' || j.value || '%' ORDER BY length(t.label), a.address LIMIT :limit`;

/** Finding by what identifies a thing, or the beginning of it. All lists are bounded by a limit. */
export function prepareIdentifiers(engine: Engine) {
  return {
    /** Modules by the first digits of the SHA-256 of their bytes, an even number of them. */
    modulesBySha: (digits: string, limit: number): Promise<ModuleWithSha[]> =>
      withSha.all(engine, bySha, { low: digits.padEnd(64, "0"), high: digits.padEnd(64, "f"), limit }),
    /** Accounts that a snapshot has an answer about, by the first characters of their address as nodes print it. */
    accountsBeginning: (from: string, limit: number): Promise<Address[]> =>
      textsOf<Address>(engine, beginning, { from, to: from + LAST, limit }),
    /** Accounts whose label has a text in it, whatever the case of its letters. */
    accountsLabelled: async (text: string, limit: number): Promise<LabelledAccount[]> => {
      // In LIKE, these two stand for others.
      const word = text.toLowerCase().replaceAll(/[%_\\]/g, "");
      return word.trim() === "" ? [] : withLabel.all(engine, labelled, { words: JSON.stringify([word]), limit });
    },
  };
}
