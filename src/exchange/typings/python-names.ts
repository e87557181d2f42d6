import { sha256Hex } from "../../base/sha256.ts";
import { fileName } from "../file-name.ts";
import type { TypedModule } from "./closure.ts";

// Python's keywords, and what the typings themselves use.
const RESERVED = new Set(
  (
    "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal " +
    "not or pass raise return try while with yield bool bytes int list object str tuple annotations dataclass field move ClassVar Generic NoReturn TypeAlias " +
    "TypeVar Union"
  ).split(" "),
);
/** Type parameters, aliases of modules, and parameters of functions. */
const OURS = /^[Tmat]\d+$/;
const IDENTIFIER = /^(?!__)[A-Za-z_][A-Za-z0-9_]*$/;

/** Names that stand in one place, each once. */
export class PythonNames {
  readonly #taken: Set<string>;

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(taken);
  }

  /** The name itself, or one near it where Python cannot have it there. */
  take(name: string): string {
    let free = pythonName(name);
    while (this.#taken.has(free)) free += "_";
    this.#taken.add(free);
    return free;
  }
}

function pythonName(name: string): string {
  if (RESERVED.has(name) || OURS.test(name)) return `${name}_`;
  if (IDENTIFIER.test(name)) return name;
  // Fields of positional structs are called 0, 1 and so on.
  return /^\d+$/.test(name) ? `_${name}` : `x_${sanitized(name)}_${sha256Hex(name).slice(0, 8)}`;
}

/** The names of a module: structs, variants (of the enum and its position) and functions. */
export type ModuleNames = {
  readonly structs: ReadonlyMap<string, string>;
  readonly variants: ReadonlyMap<string, readonly string[]>;
  readonly functions: ReadonlyMap<string, string>;
};

const known = new WeakMap<TypedModule, ModuleNames>();

/** What a module's items are called in its file, which other files have to know. */
export function namesOf(module: TypedModule): ModuleNames {
  const found = known.get(module);
  if (found !== undefined) return found;
  const all = new PythonNames();
  const { structs, functions } = module.abi;
  const structNames = new Map(structs.map(({ name }) => [name, all.take(name)]));
  const names = {
    structs: structNames,
    variants: new Map(structs.map(({ name, variants }) => [name, variants.map((variant) => all.take(`${name}_${variant.name}`))])),
    functions: new Map(functions.filter(({ isEntry, isView }) => isEntry || isView).map(({ name }) => [name, all.take(name)])),
  };
  known.set(module, names);
  return names;
}

/** The name of a module's file without its extension: something that `import` can name, and different for different modules. */
export function pythonFile(name: string): string {
  const isPlain = fileName(name) === name && IDENTIFIER.test(name) && !RESERVED.has(name) && !name.startsWith("x_");
  return isPlain ? name : `x_${sanitized(name)}_${sha256Hex(name).slice(0, 16)}`;
}

function sanitized(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]/g, "_")
    .slice(0, 60);
}
