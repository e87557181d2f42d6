import type { AttributeSpec, FieldsSpec, FunctionSpec, StructSpec, TypeSpec } from "../module-writer/module-writer.ts";

type Ability = NonNullable<StructSpec["abilities"]>[number];
type FunctionExtras = Partial<Omit<FunctionSpec, "name" | "params" | "returns">>;

const VIEW: AttributeSpec = { kind: 1 };

/** A public function. */
export function open(
  name: string,
  params: readonly TypeSpec[],
  returns: readonly TypeSpec[] = [],
  extras: FunctionExtras = {},
): FunctionSpec {
  return { name, visibility: "public", params, returns, ...extras };
}

/** A public entry function. */
export function entry(name: string, params: readonly TypeSpec[], extras: FunctionExtras = {}): FunctionSpec {
  return open(name, params, [], { entry: true, ...extras });
}

/** A public view function. */
export function view(name: string, params: readonly TypeSpec[], returns: readonly TypeSpec[], extras: FunctionExtras = {}): FunctionSpec {
  return open(name, params, returns, { attributes: [VIEW], ...extras });
}

/** A function for the module's friends. */
export function friendly(
  name: string,
  params: readonly TypeSpec[],
  returns: readonly TypeSpec[] = [],
  extras: FunctionExtras = {},
): FunctionSpec {
  return open(name, params, returns, { visibility: "friend", ...extras });
}

/** A private function; an entry or a view when the extras say so. */
export function hidden(
  name: string,
  params: readonly TypeSpec[],
  returns: readonly TypeSpec[] = [],
  extras: FunctionExtras = {},
): FunctionSpec {
  return open(name, params, returns, { visibility: "private", ...extras });
}

/** A private view function, which nodes list since 2026. */
export function hiddenView(name: string, params: readonly TypeSpec[], returns: readonly TypeSpec[]): FunctionSpec {
  return hidden(name, params, returns, { attributes: [VIEW] });
}

/** A struct with abilities in words, e.g. `"store drop"`. */
export function struct(name: string, abilities: string, fields: FieldsSpec, extras: Partial<StructSpec> = {}): StructSpec {
  return { name, abilities: abilities.split(" ").filter(Boolean) as Ability[], fields, ...extras };
}

/** An event. */
export function event(name: string, fields: FieldsSpec): StructSpec {
  return struct(name, "drop store", fields, { attributes: [{ kind: 4 }] });
}

/** A resource that is stored in a group with others. */
export function grouped(name: string, group: string, fields: FieldsSpec): StructSpec {
  return struct(name, "key", fields, { attributes: [{ kind: 3, args: [group] }] });
}

/** Error codes in the order of their reasons, from 1. */
export function reasons(
  ...texts: readonly (readonly [name: string, description: string])[]
): { code: number; name: string; description: string }[] {
  return texts.map(([name, description], index) => ({ code: index + 1, name, description }));
}
