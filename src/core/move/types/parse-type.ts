import { parseAddress } from "../address.ts";
import { IDENTIFIER } from "../module-id.ts";
import type { MoveType } from "./make-type.ts";
import { functionType, parameterType, plainStructType, primitiveType, referenceType, structType, vectorType } from "./make-type.ts";

/** Nesting limit of a type in text, the same as in bytecode; real types stay below 10. */
const DEPTH_MAX = 256;

const PRIMITIVES = new Map(
  ["bool", "u8", "u16", "u32", "u64", "u128", "u256", "i8", "i16", "i32", "i64", "i128", "i256", "address", "signer"].map(
    (name) => [name, primitiveType(name)] as const,
  ),
);
const PARAMETER = /^T(0|[1-9][0-9]{0,4})$/;
const WORD = /[\w$]+/y;
const STRUCT = new RegExp(`(0x(?:0|[1-9a-f][0-9a-f]{0,63}))::(${IDENTIFIER})::(${IDENTIFIER})`, "y");

/**
 * Parses a type in the node's spelling (aptos-core `api/types/src/move_types.rs`) and never throws: other or too deep text is
 * `unknown`, as are ambiguous function types (`|||u64,bool|`); `parseType(text).text === text`. Function types have no abilities
 * here.
 */
export function parseType(text: string): MoveType {
  const parser = new Parser(text);
  const type = parser.type(1, true);
  return type && parser.at === text.length && type.text === text ? type : { kind: "unknown", text };
}

/** A position in a text. Each method moves past what it returns; after one returned undefined, the position is meaningless. */
class Parser {
  at = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** One type at nesting level `depth`; `functions` tells whether a function type is allowed here. */
  type(depth: number, functions: boolean): MoveType | undefined {
    if (depth > DEPTH_MAX) return undefined;
    if (this.take("&")) {
      const mutable = this.take("mut ");
      const target = this.type(depth + 1, functions);
      return target && referenceType(mutable, target);
    }
    if (this.take("vector<")) {
      const element = this.type(depth + 1, true);
      return element && this.take(">") ? vectorType(element) : undefined;
    }
    if (functions && this.take("|")) return this.functionRest(depth);
    const struct = this.match(STRUCT);
    return struct ? this.structRest(struct, depth) : this.word();
  }

  private functionRest(depth: number): MoveType | undefined {
    const params = this.functionList(depth);
    if (!params || !this.take("|")) return undefined;
    const results = this.functionList(depth);
    return results && functionType([], params, results);
  }

  /** A parameter or result list of a function type, possibly empty. It ends before the first character that cannot belong to it. */
  private functionList(depth: number): MoveType[] | undefined {
    const next = this.text[this.at];
    return next === undefined || "|>,".includes(next) ? [] : this.list(depth, ",", false);
  }

  private structRest([, digits = "", module = "", name = ""]: readonly string[], depth: number): MoveType | undefined {
    const address = parseAddress(digits);
    if (!address) return undefined;
    const plain = plainStructType({ address, name: module }, name);
    if (!this.take("<")) return plain;
    const typeArguments = this.list(depth, ", ", true);
    return typeArguments && this.take(">") ? structType(plain, typeArguments) : undefined;
  }

  private word(): MoveType | undefined {
    const word = this.match(WORD)?.[0] ?? "";
    const parameter = PARAMETER.exec(word);
    return parameter ? parameterType(Number(parameter[1])) : PRIMITIVES.get(word);
  }

  private list(depth: number, separator: string, functions: boolean): MoveType[] | undefined {
    const types: MoveType[] = [];
    do {
      const type = this.type(depth + 1, functions);
      if (!type) return undefined;
      types.push(type);
    } while (this.takeSeparator(separator));
    return types;
  }

  /** A `,` followed by a space separates type arguments, so it also ends the results of a function type among them. */
  private takeSeparator(separator: string): boolean {
    if (separator === "," && this.text.startsWith(", ", this.at)) return false;
    return this.take(separator);
  }

  private take(expected: string): boolean {
    if (!this.text.startsWith(expected, this.at)) return false;
    this.at += expected.length;
    return true;
  }

  private match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text);
    if (match) this.at = pattern.lastIndex;
    return match ?? undefined;
  }
}
