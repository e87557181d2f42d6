export type JsonSchema = Readonly<Record<string, unknown>>;

/** A kind of value that programs are given: how it is printed from the program's own value, and its JSON Schema. */
export type Kind<In, Out> = {
  readonly schema: JsonSchema;
  readonly print: (value: In) => Out;
  /** Whether a field of this kind may be missing. It is where `print` gives undefined. */
  readonly isOptional?: boolean;
  /** Whether `print` is given the object that the field is a part of, not what the object has under the field's name. */
  readonly takesOwner?: boolean;
};

export type AnyKind = Kind<never, unknown>;

export function kind<In, Out = In>(schema: JsonSchema, print: (value: In) => Out): Kind<In, Out> {
  return { schema, print };
}

export const asIs = <T>(value: T): T => value;
const moment = { type: "string", format: "date-time", pattern: "Z$" };

export const text = kind<string>({ type: "string" }, asIs);
export const truth = kind<boolean>({ type: "boolean" }, asIs);
export const number = kind<number>({ type: "number" }, asIs);
/** A count, a size, or milliseconds. Infinity is null, as always in JSON. */
export const whole = kind<number>({ type: "integer" }, Math.round);
/** A ledger version: text since it may pass 2^53. */
export const version = kind<bigint, string>({ type: "string", pattern: "^[0-9]+$" }, String);
export const u64 = kind<bigint | number | string, string>({ type: "string", pattern: "^-?[0-9]+$" }, String);
/** A moment in milliseconds since 1970, in UTC. */
export const time = kind<number, string>(moment, (at) => new Date(at).toISOString());
/** The same without fractions of a second. */
export const second = kind<number, string>(moment, (at) => new Date(at).toISOString().replace(/\.\d+Z$/, "Z"));
export const address = kind<string>({ type: "string", pattern: "^0x[0-9a-f]{1,64}$" }, asIs);
export const sha256 = kind<string>({ type: "string", pattern: "^[0-9a-f]{64}$" }, asIs);
export const anything = kind<unknown>({}, asIs);

export const word = <Word extends string>(...words: readonly Word[]) => kind<Word>({ type: "string", enum: words }, asIs);
