import { U64_MAX } from "../../src/core/base/numbers.ts";
import { type Address, parseAddress } from "../../src/core/move/address.ts";
import { parseCursor, type StateKey } from "../ledger/state-key.ts";

/** A parameter that does not parse, in the framework's words. */
export class ParameterError extends Error {}

const U16_MAX = 65_535n;
const U32_MAX = 4_294_967_295n;

/** The path's address: an optional lower-case `0x`, then 1 to 64 hex digits of any case. */
export function pathAddress(text: string): Address {
  const address = parseAddress(text);
  if (address !== undefined) return address;
  throw new ParameterError(
    `failed to parse path \`address\`: failed to parse "string(Address)": Invalid account address: ${addressCause(text)}`,
  );
}

/** The path's module name: a Move identifier, `$` allowed where the generation allows it. */
export function pathModuleName(text: string, options: { dollar: boolean }): string {
  const identifier = options.dollar ? /^(?:[a-zA-Z][\w$]*|[_$][\w$]+|<SELF>(?:_\d+)?)$/ : /^(?:[a-zA-Z]\w*|_\w+|<SELF>(?:_\d+)?)$/;
  if (identifier.test(text)) return text;
  throw new ParameterError(
    `failed to parse path \`module_name\`: failed to parse "string(IdentifierWrapper)": Invalid identifier '${text}'`,
  );
}

/** `ledger_version`: a u64 in decimal, or absent. Present but empty is refused. */
export function queryVersion(query: Query): bigint | undefined {
  return queryInteger(query, "ledger_version", "string(U64)", U64_MAX, (cause, text) => {
    return `Parsing u64 string "${text}" failed, caused by error: ${cause}`;
  });
}

/** `limit`: a u16, or absent. Zero parses; the API refuses it later. */
export function queryLimit(query: Query): number | undefined {
  const limit = queryInteger(query, "limit", "integer(uint16)", U16_MAX);
  return limit === undefined ? undefined : Number(limit);
}

/** `duration_secs` of the health check: a u32, or absent. */
export function queryDuration(query: Query): bigint | undefined {
  return queryInteger(query, "duration_secs", "integer(uint32)", U32_MAX);
}

/** `start`: the hex of a state key, or absent. */
export function queryStart(query: Query, options: { tradingNative: boolean }): StateKey | undefined {
  const text = query("start");
  if (text === undefined) return undefined;
  const key = parseCursor(text, options);
  if ("kind" in key) return key;
  throw parameterError("start", "string(StateKeyWrapper)", key.cause);
}

/** The first value of a query parameter, undefined when it is absent. */
export type Query = (name: string) => string | undefined;

/** A query string as the node reads it: form-decoded, decoded once more, the first of a repeated name wins. */
export function parseQuery(text: string): Query {
  if (text === "") return () => undefined;
  const values = new URLSearchParams(text);
  return (name) => {
    const value = values.get(name);
    return value === null ? undefined : decodeAgain(value);
  };
}

/** Percent-decoding where it is well-formed, else the text as it is. */
export function decodeAgain(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function parameterError(name: string, type: string, cause: string): ParameterError {
  return new ParameterError(
    `failed to parse parameter \`${name}\`: failed to parse "${type}": ${cause} (occurred while parsing "optional<${type}>")`,
  );
}

/** An unsigned integer with the causes of Rust's own parser, which takes a leading `+` and leading zeros. */
function queryInteger(
  query: Query,
  name: string,
  type: string,
  max: bigint,
  describe = (cause: string, _text: string): string => cause,
): bigint | undefined {
  const text = query(name);
  if (text === undefined) return undefined;
  const refuse = (cause: string): ParameterError => parameterError(name, type, describe(cause, text));
  if (text === "") throw refuse("cannot parse integer from empty string");
  if (!/^\+?[0-9]+$/.test(text)) throw refuse("invalid digit found in string");
  const digits = text.replace(/^\+?0*(?=[0-9])/, "");
  if (digits.length > 20 || BigInt(digits) > max) throw refuse("number too large to fit in target type");
  return BigInt(digits);
}

function addressCause(text: string): string {
  const digits = text.startsWith("0x") ? text.slice(2) : text;
  if (digits === "") return "Hex string is too short, must be 1 to 64 chars long, excluding the leading 0x";
  const bytes = Buffer.from(digits, "utf8");
  if (bytes.length > 64) {
    return `Hex characters are invalid: ${bytes.length % 2 === 1 ? "Odd number of digits" : "Invalid string length"}`;
  }
  const bad = digits.search(/[^0-9a-fA-F]/);
  return `Hex characters are invalid: Invalid character ${debugCharacter(Buffer.from(digits.slice(bad))[0] as number)} at position ${64 - bytes.length + bad}`;
}

/** A byte as Rust's `{:?}` prints the character of its number. */
function debugCharacter(byte: number): string {
  const character = String.fromCharCode(byte);
  const escapes: Readonly<Record<string, string>> = { "\0": "\\0", "\t": "\\t", "\n": "\\n", "\r": "\\r", "'": "\\'", "\\": "\\\\" };
  const isControl = byte < 0x20 || (byte >= 0x7f && byte <= 0xa0) || byte === 0xad;
  return `'${escapes[character] ?? (isControl ? `\\u{${byte.toString(16)}}` : character)}'`;
}
