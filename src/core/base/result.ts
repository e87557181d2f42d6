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

function kind<In, Out = In>(schema: JsonSchema, print: (value: In) => Out): Kind<In, Out> {
  return { schema, print };
}

const asIs = <T>(value: T): T => value;
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

type OfOwner<Owner, Out> = Kind<Owner, Out> & { readonly takesOwner: true };

/** The fields of an object in the order in which they are printed. The field `ledger_version` prints the value's `ledgerVersion`. */
export type Fields = Readonly<Record<string, AnyKind>>;

type Camel<Name> = Name extends `${infer Word}_${infer Rest}` ? `${Word}${Capitalize<Camel<Rest>>}` : Name & string;
type Loose<T> = { readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: T[K];
};
type Named<F> = Loose<{ [K in keyof F as F[K] extends { readonly takesOwner: true } ? never : Camel<K>]: InOf<F[K]> }>;
type Owners<F> = { [K in keyof F]: F[K] extends OfOwner<infer Owner, unknown> ? (value: Owner) => void : never }[keyof F];
type InOf<K> = K extends Kind<infer In, unknown> ? In : never;
type OutOf<K> = K extends Kind<never, infer Out> ? Out : never;
/** The program's own value of which these fields are printed. */
export type Given<F> = Named<F> & (Owners<F> extends (value: infer Owner) => void ? Owner : unknown);
export type Printed<F> = { readonly [K in keyof F]: OutOf<F[K]> };

export function list<In, Out>(item: Kind<In, Out>): Kind<readonly In[], readonly Out[]> {
  return kind({ type: "array", items: item.schema }, (values) => values.map(item.print));
}

/** An object whose names are data. */
export function named<In, Out>(
  value: Kind<In, Out>,
): Kind<ReadonlyMap<string, In> | Readonly<Record<string, In>>, Readonly<Record<string, Out>>> {
  return kind({ type: "object", additionalProperties: value.schema }, (values) => {
    const entries: Iterable<[string, In]> = values instanceof Map ? values : Object.entries(values);
    return Object.fromEntries(Array.from(entries, ([name, one]) => [name, value.print(one)]));
  });
}

/** What is not known is null. */
export function orNull<In, Out>({ schema, print, ...more }: Kind<In, Out>): Kind<In | null | undefined, Out | null> {
  return { ...more, schema: orNullSchema(schema), print: (value) => (value === null || value === undefined ? null : print(value)) };
}

function orNullSchema(schema: JsonSchema): JsonSchema {
  const { type, enum: words } = schema as { readonly type?: string; readonly enum?: readonly string[] };
  if (type === undefined) return { anyOf: [schema, { type: "null" }] };
  return { ...schema, type: [type, "null"], ...(words === undefined ? {} : { enum: [...words, null] }) };
}

/** A field that is missing where there is no value. */
export function maybe<In, Out>({ schema, print }: Kind<In, Out>): Kind<In | undefined, Out | undefined> {
  return { schema, print: (value) => (value === undefined ? undefined : print(value)), isOptional: true };
}

type At<Path, In> = Path extends `${infer Name}.${infer Rest}`
  ? Loose<{ [K in Name]: At<Rest, In> | Extract<In, null | undefined> }>
  : Loose<{ [K in Path & string]: In }>;

/** A field whose value comes from elsewhere in the object: by `take`, or from another name, such as `speed.average`. */
export function from<Path extends string, In, Out>(path: Path, kind: Kind<In, Out>): OfOwner<At<Path, In>, Out>;
export function from<Owner, In, Out>(take: (owner: Owner) => In, kind: Kind<In, Out>): OfOwner<Owner, Out>;
export function from(take: string | ((owner: unknown) => unknown), { print, ...kind }: Kind<unknown, unknown>): OfOwner<unknown, unknown> {
  const path = typeof take === "string" ? take.split(".") : [];
  const value = typeof take === "string" ? (owner: unknown) => path.reduce((of, name) => (of as Owner | undefined)?.[name], owner) : take;
  return { ...kind, takesOwner: true, print: (owner) => print(value(owner)) };
}

/** A field that has the same value always. */
export function always<Out>(value: Out, { schema }: Kind<never, Out>): OfOwner<unknown, Out> {
  return { schema, takesOwner: true, print: () => value };
}

/** Several fields of one kind. */
export function all<const Name extends string, K extends AnyKind>(kind: K, ...names: readonly Name[]): { readonly [N in Name]: K } {
  return Object.fromEntries(names.map((name) => [name, kind])) as { [N in Name]: K };
}

export function object<const F extends Fields>(fields: F): Kind<Given<F>, Printed<F>> {
  const list = Object.entries(fields);
  const printers = list.map(([name, field]) => [name, printerOf(name, field)] as const);
  const schema = {
    type: "object",
    properties: Object.fromEntries(list.map(([name, field]) => [name, field.schema])),
    required: list.flatMap(([name, { isOptional }]) => (isOptional === true ? [] : [name])),
  };
  return kind(schema, (owner) => {
    const printed = printers.map(([name, print]) => [name, print(owner)]);
    return Object.fromEntries(printed.filter(([, value]) => value !== undefined)) as Printed<F>;
  });
}

type Within<Owner, F> = { readonly [K in keyof F]: OfOwner<Owner, OutOf<F[K]>> };

/** Fields of the object at `name` in the program's own value, printed beside the other fields. */
export function within<Name extends string, const F extends Fields>(name: Name, fields: F): Within<{ readonly [N in Name]: Given<F> }, F> {
  return mapFields(fields, (field, print) => ({ ...field, print: (owner) => print(owner[name]) })) as never;
}

/** The same of what may be undefined: then all of the fields are missing. */
export function perhaps<Name extends string, const F extends Fields>(
  name: Name,
  fields: F,
): Within<{ readonly [N in Name]?: Given<F> | undefined }, F> {
  return mapFields(fields, (field, print) => ({
    ...field,
    isOptional: true,
    print: (owner) => (owner[name] === undefined ? undefined : print(owner[name])),
  })) as never;
}

type Owner = Readonly<Record<string, unknown>>;
type FieldOfOwner = Omit<AnyKind, "print"> & { readonly print: (owner: Owner) => unknown };

function mapFields(fields: Fields, change: (field: AnyKind, print: (owner: unknown) => unknown) => FieldOfOwner): Fields {
  const changed = Object.entries(fields).map(([name, field]) => [name, { ...change(field, printerOf(name, field)), takesOwner: true }]);
  return Object.fromEntries(changed);
}

function printerOf(name: string, field: AnyKind): (owner: unknown) => unknown {
  const print = field.print as (value: unknown) => unknown;
  if (field.takesOwner === true) return print;
  const key = name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return (owner) => print((owner as Owner)[key]);
}

/** One of several kinds. `print` chooses; without it the value is one that was printed by one of them. */
export function either<Out, In = Out>(kinds: readonly Kind<never, Out>[], print: (value: In) => Out = asIs as never): Kind<In, Out> {
  return kind({ anyOf: kinds.map(({ schema }) => schema) }, print);
}

/** A value that is printed already. */
export function printed({ schema }: AnyKind): Kind<Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>> {
  return kind(schema, asIs);
}
