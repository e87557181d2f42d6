import { allFields, isExposed, type ModuleAbi } from "../../core/abi/model.ts";
import { sha256Hex } from "../../core/base/sha256.ts";
import { formatItemId, formatModuleId } from "../../core/move/module-id.ts";
import { partsOf } from "../../core/move/types/format-type.ts";
import type { MoveType, StructType } from "../../core/move/types/make-type.ts";

export type TypedModule = { readonly sha256: string; readonly abi: ModuleAbi };

/** Structs that a node's JSON has in another form than their fields: the same type everywhere, and their modules are not needed. */
const builtIn = new Map<string, { readonly parameters: number; readonly text: (argument: string) => string }>([
  ["0x1::string::String", { parameters: 0, text: () => "string" }],
  ["0x1::option::Option", { parameters: 1, text: (held) => `$move.Option<${held}>` }],
  ["0x1::object::Object", { parameters: 1, text: (held) => `$move.MoveObject<${held}>` }],
]);

/** The type of such a struct with these type arguments; undefined for any other. */
export function builtInText(name: string, [argument = "", ...more]: readonly string[]): string | undefined {
  const found = builtIn.get(name);
  return found !== undefined && more.length === 0 && found.parameters === (argument === "" ? 0 : 1) ? found.text(argument) : undefined;
}

/** The structs that types name and that are not built in; none within a function type, for which typings have no spelling. */
export function structsNamed(types: readonly MoveType[]): StructType[] {
  const rest = [...types];
  const found: StructType[] = [];
  for (let type = rest.pop(); type !== undefined; type = rest.pop()) {
    if (type.kind === "struct" && !builtIn.has(formatItemId(type))) found.push(type);
    if (type.kind !== "function") rest.push(...partsOf(type));
  }
  return found;
}

/** The modules needed for a set of typings, in the order in which they were found, and the names of missing ones. */
export type Closure = { readonly modules: ReadonlyMap<string, TypedModule>; readonly missing: readonly string[] };

/** Collects, starting from `roots`, all modules whose structs appear in types of fields and of callable functions. */
export function closureOf(roots: readonly string[], find: (id: string) => TypedModule | undefined): Closure {
  const modules = new Map<string, TypedModule>();
  const missing: string[] = [];
  const seen = new Set(roots);
  // Iteration over a set includes the elements added meanwhile.
  for (const id of seen) {
    const module = find(id);
    if (module === undefined) missing.push(id);
    else {
      modules.set(id, module);
      const { functions, structs } = module.abi;
      const signatures = functions.filter(isExposed).flatMap((fn) => [...fn.params, ...fn.returns]);
      const fields = structs.flatMap(allFields).map(({ type }) => type);
      for (const other of structsNamed([...signatures, ...fields])) seen.add(formatModuleId(other.module));
    }
  }
  return { modules, missing };
}

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** A parameter would hide a struct of its name, in silence where that has none of its own. */
const PARAMETER = /^_?T[0-9]+$/;
// Words that cannot be the name of a TypeScript type.
const RESERVED = new Set(
  (
    "any as async await bigint boolean break case catch class const continue debugger declare default delete do else enum export extends false finally for " +
    "function if implements import in infer instanceof interface intrinsic is keyof let module namespace never new null number object of package private " +
    "protected public readonly require return static string super switch symbol this throw true try type typeof undefined unique unknown var void while with yield"
  ).split(" "),
);

/** The name of a struct's type: the struct's name, unless that is not a valid name in TypeScript, or one of a type parameter here. */
export function structTypeName(name: string): string {
  if (IDENTIFIER.test(name) && !RESERVED.has(name) && !PARAMETER.test(name)) return name;
  return `$${name.replaceAll(/[^A-Za-z0-9_]/g, "_").slice(0, 60)}_${sha256Hex(name).slice(0, 8)}`;
}

const NUMBERS = new Set(["u8", "u16", "u32", "i8", "i16", "i32"]);
/** A type that cannot be expressed. */
const UNKNOWN = "unknown";

/** Spells the types of one module as the node's JSON represents their values, and collects the imports that they need. */
export class TypeText {
  readonly #self: string;
  readonly #closure: Closure;
  /** Other modules that the types mention, with their aliases. */
  readonly imports = new Map<string, string>();
  /** Type parameters that the types spelled since the last `clear` mention. */
  readonly mentioned = new Set<number>();

  constructor(self: string, closure: Closure) {
    this.#self = self;
    this.#closure = closure;
  }

  /** A type inside an item with `parameters` type parameters. */
  of(type: MoveType, parameters: number): string {
    switch (type.kind) {
      case "primitive":
        return primitiveText(type.text);
      case "vector":
        return type.element.text === "u8" ? "$move.Hex" : `${this.of(type.element, parameters)}[]`;
      case "reference":
        return this.of(type.target, parameters);
      case "parameter":
        if (type.index >= parameters) return UNKNOWN;
        this.mentioned.add(type.index);
        return `T${type.index}`;
      case "struct":
        return this.#struct(type, parameters);
      default:
        return UNKNOWN;
    }
  }

  #struct(type: Extract<MoveType, { kind: "struct" }>, parameters: number): string {
    const id = formatModuleId(type.module);
    const typeArguments = type.typeArguments.map((argument) => this.of(argument, parameters));
    const known = builtInText(formatItemId(type), typeArguments);
    if (known !== undefined) return known;
    const definition = this.#closure.modules.get(id)?.abi.structs.find(({ name }) => name === type.name);
    if (definition?.typeParams.length !== typeArguments.length) return UNKNOWN;
    const name = `${this.#prefix(id)}${structTypeName(type.name)}`;
    return typeArguments.length === 0 ? name : `${name}<${typeArguments.join(", ")}>`;
  }

  /** What stands before a struct's name: nothing for the module's own, else the alias of its module, which is imported. */
  #prefix(id: string): string {
    if (id === this.#self) return "";
    const alias = this.imports.get(id) ?? `$m${this.imports.size}`;
    this.imports.set(id, alias);
    return `${alias}.`;
  }
}

function primitiveText(text: string): string {
  if (text === "bool") return "boolean";
  if (text === "address" || text === "signer") return "$move.Address";
  return NUMBERS.has(text) ? "number" : "$move.U64";
}
