import type { NodeGeneration } from "../../../core/abi/node-json/format.ts";
import { U64_MAX } from "../../../core/base/numbers.ts";
import { type Address, parseAddress } from "../../../core/move/address.ts";
import { isIdentifier } from "../../../core/move/module-id.ts";
import { ParameterError } from "../http/answer.ts";
import { decodeOnce } from "../http/request-parts.ts";
import { parseCursor } from "./state-key.ts";

// The messages below are the node's own, so that they can be found in its sources.
// Source: node-contract, sections 4, 6 and 7.3 (aptos-core `api/types/src/address.rs`, poem-openapi's parameter errors).

const U16_MAX = 65_535n;
const U32_MAX = 4_294_967_295n;

/** Looks up a name in a query string: the first value of a repeated name; undefined for an absent one. */
export type Query = (name: string) => string | undefined;

/** A query string as a node reads it: form-decoded, then percent-decoded once more. */
export function parseQuery(text: string): Query {
  const values = new URLSearchParams(text);
  return (name) => {
    const value = values.get(name);
    return value === null ? undefined : decodeOnce(value);
  };
}

/** A segment of a path as a node reads it: percent-decoded twice. */
export function decodeSegment(text: string): string {
  return decodeOnce(decodeOnce(text));
}

/** The address in a path. @throws ParameterError */
export function readAddress(text: string): Address {
  const address = parseAddress(text);
  if (address !== undefined) return address;
  throw new ParameterError(
    `failed to parse path \`address\`: failed to parse "string(Address)": Invalid account address: ${whyNoAddress(text)}`,
  );
}

/** The module name in a path; names with `$` are known since generation D. @throws ParameterError */
export function readModuleName(text: string, generation: NodeGeneration = "D"): string {
  if (isIdentifier(text) && (generation === "D" || !text.includes("$"))) return text;
  throw new ParameterError(
    `failed to parse path \`module_name\`: failed to parse "string(IdentifierWrapper)": Invalid identifier '${text}'`,
  );
}

/** Reads a number in a query. `words` are a node's about what is wrong. */
function numberIn(name: string, type: string, max: bigint, words = (cause: string, _text: string): string => cause) {
  return (query: Query): bigint | undefined => {
    const text = query(name);
    const value = text === undefined ? undefined : parseUnsigned(text, max);
    if (typeof value !== "object") return value;
    throw parameterError(name, type, words(value.cause, text ?? ""));
  };
}

/** Reads a ledger version. */
function versionIn(name: string) {
  return numberIn(name, "string(U64)", U64_MAX, (cause, text) => `Parsing u64 string "${text}" failed, caused by error: ${cause}`);
}

/** Parameters of a query. 0 parses as `limit`; the API refuses it later. @throws ParameterError */
export const readLedgerVersion = versionIn("ledger_version");
export const readBefore = versionIn("before");
export const readLimit = (query: Query): number | undefined => small(limitIn(query));
export const readDuration = (query: Query): number | undefined => small(durationIn(query));

const limitIn = numberIn("limit", "integer(uint16)", U16_MAX);
const durationIn = numberIn("duration_secs", "integer(uint32)", U32_MAX);

function small(value: bigint | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}

/** `start`, a cursor, as the key that it stands for. @throws ParameterError */
export function readStart(query: Query, generation: NodeGeneration = "D"): string | undefined {
  const text = query("start");
  if (text === undefined) return undefined;
  const start = parseCursor(text, generation);
  if (typeof start === "string") return start;
  throw parameterError("start", "string(StateKeyWrapper)", start.cause);
}

function parameterError(name: string, type: string, cause: string): ParameterError {
  return new ParameterError(
    `failed to parse parameter \`${name}\`: failed to parse "${type}": ${cause} (occurred while parsing "optional<${type}>")`,
  );
}

/** A number as Rust's `from_str` takes it (a plus and leading zeros are allowed), or its message about what is wrong. */
function parseUnsigned(text: string, max: bigint): bigint | { readonly cause: string } {
  if (text === "") return { cause: "cannot parse integer from empty string" };
  const match = /^\+?0*([0-9]+)$/.exec(text);
  if (match === null) return { cause: "invalid digit found in string" };
  const digits = match[1] as string;
  const value = digits.length <= 20 ? BigInt(digits) : max + 1n;
  return value <= max ? value : { cause: "number too large to fit in target type" };
}

function whyNoAddress(text: string): string {
  const digits = text.startsWith("0x") ? text.slice(2) : text;
  if (digits === "") return "Hex string is too short, must be 1 to 64 chars long, excluding the leading 0x";
  const length = Buffer.byteLength(digits);
  if (length > 64) return `Hex characters are invalid: ${length % 2 === 0 ? "Invalid string length" : "Odd number of digits"}`;
  const bad = digits.search(/[^0-9a-fA-F]/);
  // A node looks at bytes, and prints the one that is wrong as if it were a character.
  const byte = Buffer.from(digits.slice(bad)).readUInt8();
  return `Hex characters are invalid: Invalid character ${rustCharacter(byte)} at position ${64 - length + bad}`;
}

const escapes: Readonly<Record<number, string>> = { 0: "0", 9: "t", 10: "n", 13: "r", 39: "'", 92: "\\" };

/** A character below U+0100 as Rust prints it for debugging. */
function rustCharacter(code: number): string {
  const isPlain = (code >= 0x20 && code < 0x7f) || (code > 0xa0 && code !== 0xad);
  if (escapes[code] !== undefined) return `'\\${escapes[code]}'`;
  return isPlain ? `'${String.fromCharCode(code)}'` : `'\\u{${code.toString(16)}}'`;
}
