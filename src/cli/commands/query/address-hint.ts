import { parseAddress } from "../../../move/address.ts";

/** An address as a text of SQL. */
const LITERAL = /['"](0x[0-9a-fA-F]{1,64})['"]/g;

/**
 * What to say of a statement that found nothing and names an address in another form than the column holds it:
 * `address` columns have the short form (0x1), `address_long` has 64 digits. Undefined when that is not the reason.
 */
export function addressHint(sql: string, params: Readonly<Record<string, string>>): string | undefined {
  const asksLong = /\baddress_long\b/i.test(sql);
  const literals = [...sql.matchAll(LITERAL)].map((match) => match[1] as string);
  for (const literal of [...literals, ...Object.values(params)]) {
    const short = literal.startsWith("0x") ? parseAddress(literal) : undefined;
    if (short === undefined) continue;
    const long = `0x${short.slice(2).padStart(64, "0")}`;
    if (asksLong && literal !== long)
      return `address_long holds addresses in full: write ${long}, or compare the column address with ${short}.`;
    if (!asksLong && literal !== short)
      return `address columns hold addresses as nodes print them: write ${short}, or compare the column address_long with ${long}.`;
  }
  return undefined;
}
