import { formatHex } from "../../base/hex.ts";
import { ADDRESS_BYTES, formatAddress } from "../address.ts";
import type { MoveType } from "../types/types.ts";

/**
 * The value of a constant as a Move literal: `5`, `true`, `@0x1`, `b"text"`, `x"00ff"`. Undefined if the type is another
 * one, or the bytes are not exactly one value of it: the node's reader does not check that either.
 */
export function formatConstant(type: MoveType, bytes: Uint8Array): string | undefined {
  if (type.kind === "primitive") return formatPrimitive(type.text, bytes);
  if (type.kind !== "vector" || type.element.text !== "u8") return undefined;
  const content = withoutLength(bytes);
  if (content === undefined) return undefined;
  const isText = content.length > 0 && content.every((byte) => byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c);
  return isText ? `b"${Buffer.from(content).toString("latin1")}"` : `x"${formatHex(content)}"`;
}

function formatPrimitive(name: string, bytes: Uint8Array): string | undefined {
  if (name === "bool") return bytes.length === 1 && (bytes[0] as number) < 2 ? String(bytes[0] === 1) : undefined;
  if (name === "address") return bytes.length === ADDRESS_BYTES ? `@${formatAddress(bytes)}` : undefined;
  const [, sign, bits] = /^([ui])(\d+)$/.exec(name) ?? [];
  if (bits === undefined || bytes.length !== Number(bits) / 8) return undefined;
  const value = BigInt(`0x${formatHex(bytes.toReversed())}`);
  return String(sign === "i" ? BigInt.asIntN(Number(bits), value) : value);
}

/** The content of a BCS byte vector; undefined unless its length is exactly what follows. */
function withoutLength(bytes: Uint8Array): Uint8Array | undefined {
  let length = 0;
  for (const [i, byte] of bytes.entries()) {
    length += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) return bytes.length === i + 1 + length ? bytes.subarray(i + 1) : undefined;
  }
  return undefined;
}
