import { formatModuleId } from "../../move/module-id.ts";
import type { MoveType } from "../../move/types/types.ts";
import type { Closure, TypedModule } from "./closure.ts";

export type Spelling = {
  readonly primitive: (text: string) => string;
  readonly parameter: (index: number) => string;
  readonly vector: (element: string) => string;
  readonly bytes: string;
  readonly string: string;
  readonly option: (value: string) => string;
  readonly object: (held: string) => string;
  /** The name of a struct's type in the file of its module. */
  readonly structName: (module: TypedModule, name: string) => string;
  readonly generic: (name: string, typeArguments: readonly string[]) => string;
  /** What another module is called where it is imported. */
  readonly alias: (position: number) => string;
  /** A type that cannot be expressed. */
  readonly unknown: string;
};

/** Spells the types of one module and collects the imports that they need. */
export class TypeText {
  readonly #self: string;
  readonly #closure: Closure;
  readonly #spelling: Spelling;
  /** Other modules that the types mention, with their aliases. */
  readonly imports: Map<string, string>;
  /** Type parameters that the types spelled since the last `clear` mention. */
  readonly mentioned = new Set<number>();

  constructor(self: string, closure: Closure, spelling: Spelling, imports = new Map<string, string>()) {
    this.#self = self;
    this.#closure = closure;
    this.#spelling = spelling;
    this.imports = imports;
  }

  /** A type inside an item with `parameters` type parameters. */
  of(type: MoveType, parameters: number): string {
    const spelling = this.#spelling;
    switch (type.kind) {
      case "primitive":
        return spelling.primitive(type.text);
      case "vector":
        return type.element.text === "u8" ? spelling.bytes : spelling.vector(this.of(type.element, parameters));
      case "reference":
        return this.of(type.target, parameters);
      case "parameter":
        if (type.index >= parameters) return spelling.unknown;
        this.mentioned.add(type.index);
        return spelling.parameter(type.index);
      case "struct":
        return this.#struct(type, parameters);
      default:
        return spelling.unknown;
    }
  }

  #struct(type: Extract<MoveType, { kind: "struct" }>, parameters: number): string {
    const spelling = this.#spelling;
    const id = formatModuleId(type.module);
    if (id === "0x1::string" && type.name === "String") return spelling.string;
    const typeArguments = type.typeArguments.map((argument) => this.of(argument, parameters));
    const [only] = typeArguments;
    if (only !== undefined && typeArguments.length === 1) {
      if (id === "0x1::option" && type.name === "Option") return spelling.option(only);
      if (id === "0x1::object" && type.name === "Object") return spelling.object(only);
    }
    const module = this.#closure.modules.get(id);
    const definition = module?.abi.structs.find(({ name }) => name === type.name);
    if (module === undefined || definition?.typeParams.length !== typeArguments.length) return spelling.unknown;
    const name = `${this.#prefix(id)}${spelling.structName(module, type.name)}`;
    return typeArguments.length === 0 ? name : spelling.generic(name, typeArguments);
  }

  /** What stands before a struct's name: nothing for the module's own, else the alias of its module, which is imported. */
  #prefix(id: string): string {
    if (id === this.#self) return "";
    const alias = this.imports.get(id) ?? this.#spelling.alias(this.imports.size);
    this.imports.set(id, alias);
    return `${alias}.`;
  }
}
