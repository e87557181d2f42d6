import type { FunctionSpec, ModuleSpec, StructSpec, TypeSpec } from "../module-writer/module-writer.ts";

type Ability = NonNullable<StructSpec["abilities"]>[number];
/** Types by the names of fields, in their order. */
type Fields = Readonly<Record<string, TypeSpec>>;
type Types = readonly TypeSpec[];
type FunctionExtras = Partial<Omit<FunctionSpec, "name" | "params" | "returns">>;

/** A public function. */
export function open(name: string, params: Types, returns: Types = [], extras: FunctionExtras = {}): FunctionSpec {
  return { name, visibility: "public", params, returns, ...extras };
}

/** A public entry function. */
export function entry(name: string, params: Types, extras: FunctionExtras = {}): FunctionSpec {
  return open(name, params, [], { entry: true, ...extras });
}

/** A public view function. */
export function view(name: string, params: Types, returns: Types, extras: FunctionExtras = {}): FunctionSpec {
  return open(name, params, returns, { attributes: [{ kind: 1 }], ...extras });
}

/** A function for the module's friends. */
export function friendly(name: string, params: Types, returns: Types = [], extras: FunctionExtras = {}): FunctionSpec {
  return open(name, params, returns, { visibility: "friend", ...extras });
}

/** A private function; an entry or a view when the extras say so. */
export function hidden(name: string, params: Types, returns: Types = [], extras: FunctionExtras = {}): FunctionSpec {
  return open(name, params, returns, { visibility: "private", ...extras });
}

/** A struct with abilities in words, e.g. `"store drop"`. */
export function struct(name: string, abilities: string, fields: Fields, typeParams: readonly string[] = []): StructSpec {
  return { name, abilities: abilities.split(" ").filter(Boolean) as Ability[], fields: Object.entries(fields), typeParams };
}

/** An enum, by its variants. */
export function enumeration(
  name: string,
  abilities: string,
  variants: Readonly<Record<string, Fields>>,
  typeParams: readonly string[] = [],
): StructSpec {
  const list = Object.entries(variants).map(([variant, fields]) => ({ name: variant, fields: Object.entries(fields) }));
  return { ...struct(name, abilities, {}, typeParams), variants: list };
}

/** An event. */
export function event(name: string, fields: Fields): StructSpec {
  return { ...struct(name, "drop store", fields), attributes: [{ kind: 4 }] };
}

/** A resource that is stored in a group with others. */
export function grouped(name: string, group: string, fields: Fields): StructSpec {
  return { ...struct(name, "key", fields), attributes: [{ kind: 3, args: [group] }] };
}

/** Error codes in the order of their reasons, from 1. */
export function reasons(
  ...texts: readonly (readonly [name: string, description: string])[]
): { code: number; name: string; description: string }[] {
  return texts.map(([name, description], index) => ({ code: index + 1, name, description }));
}

/** A module with the functions of these others that its own ones call. */
export function linked(module: ModuleSpec, others: readonly ModuleSpec[]): ModuleSpec {
  const called = (module.functions ?? []).flatMap(({ calls = [] }) => calls).map((call) => call.replace(/<.*/, ""));
  const imports = others
    .filter(({ address, name }) => address !== module.address || name !== module.name)
    .flatMap(({ address, name, functions = [] }) => functions.map((fn) => ({ ...fn, module: `${address}::${name}` })))
    .filter(({ module: of, name }) => called.includes(`${of}::${name}`));
  return { ...module, imports };
}

/** A module whose functions call nothing. */
export function unlinked({ imports: _, functions = [], ...module }: ModuleSpec): ModuleSpec {
  return { ...module, functions: functions.map(({ calls: _, ...fn }) => fn) };
}
