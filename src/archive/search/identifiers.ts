import type { Engine, Integer } from "../../engine/engine.ts";
import type { Address } from "../../move/address.ts";
import type { ModuleId } from "../../move/types/types.ts";
import { bytesOf, each, hexOf } from "../../schema/sql/functions.ts";
import { moduleSpans } from "../../schema/sql/predicates.ts";
import { sql } from "../../schema/sql/sql.ts";

/** A module as it stood with some bytes: the first snapshot that showed it so. */
export type ModuleWithSha = ModuleId & { readonly sha256: string; readonly from: bigint };

/** An account by what whoever added it calls it. */
export type LabelledAccount = { readonly address: Address; readonly label: string };

const LAST = "\u{10ffff}";

const bySha = sql`SELECT ${hexOf("b.sha256")}, a.address, s.name, min(s.from_version) FROM _bytecodes b
  JOIN ${moduleSpans} s ON s.bytecode_id = b.id JOIN _addresses a ON a.id = s.address_id
  WHERE b.sha256 >= ${bytesOf(":low::text")} AND b.sha256 <= ${bytesOf(":high::text")} GROUP BY b.sha256, a.address, s.name
  ORDER BY b.sha256, length(a.address), a.address LIMIT :limit`;
const beginning = sql`SELECT a.address FROM _addresses a WHERE a.address >= :from AND a.address < :to
  AND EXISTS (SELECT 1 FROM _coverage c WHERE c.address_id = a.id) ORDER BY a.address LIMIT :limit`;
const labelled = sql`SELECT a.address, t.label FROM _targets t JOIN _addresses a ON a.id = t.address_id, ${each(":words::json", "j")}
  WHERE t.label IS NOT NULL AND lower(t.label) LIKE '%' || j.value || '%' ORDER BY length(t.label), a.address LIMIT :limit`;

/** Finding by what identifies a thing, or the beginning of it. All lists are bounded by a limit. */
export function prepareIdentifiers(engine: Engine) {
  return {
    /** Modules by the first digits of the SHA-256 of their bytes, an even number of them. */
    modulesBySha: async (digits: string, limit: number): Promise<ModuleWithSha[]> => {
      const values = { low: digits.padEnd(64, "0"), high: digits.padEnd(64, "f"), limit };
      const rows = await engine.all<[sha256: string, address: Address, name: string, from: Integer]>(bySha, values);
      return rows.map(([sha256, address, name, from]) => ({ sha256, address, name, from: BigInt(from) }));
    },
    /** Accounts that a snapshot has an answer about, by the first characters of their address as nodes print it. */
    accountsBeginning: async (from: string, limit: number): Promise<Address[]> =>
      (await engine.all<[Address]>(beginning, { from, to: from + LAST, limit })).map(([address]) => address),
    /** Accounts whose label has a text in it, whatever the case of its letters. */
    accountsLabelled: async (text: string, limit: number): Promise<LabelledAccount[]> => {
      // In LIKE, these two stand for others.
      const word = text.toLowerCase().replaceAll(/[%_\\]/g, "");
      if (word.trim() === "") return [];
      const rows = await engine.all<[address: Address, label: string]>(labelled, { words: JSON.stringify([word]), limit });
      return rows.map(([address, label]) => ({ address, label }));
    },
  };
}
