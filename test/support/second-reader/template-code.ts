/** What @mysten/move-bytecode-template 0.4.1 makes of a module: its tables, and code whose operands are their indexes. */
export type TemplateModule = {
  readonly self_module_handle_idx: number;
  readonly identifiers: readonly string[];
  readonly address_identifiers: readonly string[];
  readonly module_handles: readonly { address: number; name: number }[];
  readonly datatype_handles: readonly { module: number; name: number }[];
  readonly function_handles: readonly { module: number; name: number }[];
  readonly struct_defs: readonly { struct_handle: number; field_information: "Native" | { Declared: readonly { name: number }[] } }[];
  readonly field_handles: readonly { owner: number; field: number }[];
  readonly struct_def_instantiations: readonly { def: number; type_parameters: number }[];
  readonly function_instantiations: readonly { handle: number; type_parameters: number }[];
  readonly field_instantiations: readonly { handle: number; type_parameters: number }[];
  readonly signatures: readonly (readonly Token[])[];
  readonly constant_pool: readonly { type_: Token; data: readonly number[] }[];
  readonly function_defs: readonly {
    function: number;
    code?: { locals: number; code: readonly (string | Readonly<Record<string, unknown>>)[] };
  }[];
};

type Token = string | Readonly<Record<string, unknown>>;

/** The code of each function as `formatInstruction` should write it, made from that reader's tables alone. */
export function otherReadersCode(module: TemplateModule): string[][] {
  const text = new Texts(module);
  return module.function_defs.map(({ function: handle, code }) => [
    `${text.name(module.function_handles[handle]?.name)}(${code === undefined ? "" : text.types(code.locals)})`,
    ...(code === undefined ? [] : code.code.map((instruction) => text.instruction(instruction))),
  ]);
}

/** What a module refers to of others by that reader's tables; and what each of its functions calls, by full names. */
export function otherReadersUses(module: TemplateModule): {
  readonly id: string;
  readonly modules: readonly string[];
  readonly functions: readonly string[];
  readonly structs: readonly string[];
  readonly calls: ReadonlyMap<string, readonly string[]>;
} {
  const text = new Texts(module);
  const id = text.moduleId(module.self_module_handle_idx);
  const foreign = (names: readonly string[]): string[] => names.filter((name) => name !== id && !name.startsWith(`${id}::`));
  const all = <T>(rows: readonly T[], nameOf: (index: number) => string): string[] => rows.map((_, index) => nameOf(index));
  return {
    id,
    modules: foreign(all(module.module_handles, (index) => text.moduleId(index))),
    functions: foreign(all(module.function_handles, (index) => text.fn(index))),
    structs: foreign(all(module.datatype_handles, (index) => text.datatype(index))),
    calls: new Map(
      module.function_defs.map(({ function: handle, code }) => [
        text.fn(handle),
        (code?.code ?? []).flatMap((instruction) => /^Call(?:Generic)? ([^<]+)/.exec(text.instruction(instruction))?.[1] ?? []),
      ]),
    ),
  };
}

class Texts {
  private readonly module: TemplateModule;

  constructor(module: TemplateModule) {
    this.module = module;
  }

  name(index: number | undefined): string {
    return this.module.identifiers[index ?? -1] ?? "?";
  }

  types(signature: number): string {
    return (this.module.signatures[signature] ?? []).map((token) => this.type(token)).join(", ");
  }

  instruction(instruction: string | Readonly<Record<string, unknown>>): string {
    if (typeof instruction === "string") return instruction;
    const [[given, operand] = ["?", 0]] = Object.entries(instruction);
    // That reader calls instructions deprecated that its own chain has given up.
    const name = given.replace(/Deprecated$/, "");
    const shown = this.operand(name, operand);
    return shown === "" ? name : `${name} ${shown}`;
  }

  private operand(name: string, operand: unknown): string {
    const { module } = this;
    const index = Number(operand);
    const generic = (row: { type_parameters: number } | undefined): string => `<${this.types(row?.type_parameters ?? -1)}>`;
    if (/^LdU/.test(name)) return Array.isArray(operand) ? String(littleEndian(operand as number[])) : String(operand);
    if (/^Vec(?:Pack|Unpack)$/.test(name)) {
      const [signature, count] = operand as [number, bigint];
      return `${this.types(signature)} ${count}`;
    }
    if (/^Vec/.test(name)) return this.types(index);
    if (/^Br|Loc$/.test(name)) return String(index);
    if (name === "Call") return this.fn(index);
    if (name === "CallGeneric") {
      const row = module.function_instantiations[index];
      return this.fn(row?.handle ?? -1) + generic(row);
    }
    if (/BorrowField$/.test(name)) return this.field(index, "");
    if (/BorrowFieldGeneric$/.test(name)) {
      const row = module.field_instantiations[index];
      return this.field(row?.handle ?? -1, generic(row));
    }
    if (name === "LdConst") return this.constant(index);
    if (/Generic$/.test(name)) {
      const row = module.struct_def_instantiations[index];
      return this.definition(row?.def ?? -1) + generic(row);
    }
    return this.definition(index);
  }

  private constant(index: number): string {
    const { type_: token, data } = present(this.module.constant_pool[index]);
    const type = this.type(token);
    const hex = Buffer.from(data).toString("hex");
    if (type === "bool") return `bool ${data[0] === 1}`;
    if (/^u\d/.test(type)) return `${type} ${littleEndian(data)}`;
    if (type === "address") return `address @${trim(hex)}`;
    if (type !== "vector<u8>") return `${type} 0x${hex}`;
    const content = Buffer.from(data).subarray(data.length > 128 ? 2 : 1);
    const ascii = content.toString("latin1");
    return `vector<u8> ${/^[ !#-[\]-~]+$/.test(ascii) ? `b"${ascii}"` : `x"${content.toString("hex")}"`}`;
  }

  fn(index: number): string {
    const handle = this.module.function_handles[index];
    return `${this.moduleId(handle?.module ?? -1)}::${this.name(handle?.name)}`;
  }

  private field(index: number, typeArguments: string): string {
    const handle = this.module.field_handles[index];
    const owner = this.module.struct_defs[handle?.owner ?? -1]?.field_information;
    const field = owner === undefined || owner === "Native" ? undefined : owner.Declared[handle?.field ?? -1];
    return `${this.definition(handle?.owner ?? -1)}${typeArguments}.${this.name(field?.name)}`;
  }

  private definition(index: number): string {
    return this.datatype(this.module.struct_defs[index]?.struct_handle ?? -1);
  }

  datatype(index: number): string {
    const handle = this.module.datatype_handles[index];
    return `${this.moduleId(handle?.module ?? -1)}::${this.name(handle?.name)}`;
  }

  moduleId(index: number): string {
    const handle = this.module.module_handles[index];
    return `${trim(this.module.address_identifiers[handle?.address ?? -1] ?? "?")}::${this.name(handle?.name)}`;
  }

  private type(token: Token): string {
    if (typeof token === "string") return token.toLowerCase();
    const [[kind, value] = ["?", undefined]] = Object.entries(token);
    switch (kind) {
      case "Vector":
        return `vector<${this.type(value as Token)}>`;
      case "Reference":
        return `&${this.type(value as Token)}`;
      case "MutableReference":
        return `&mut ${this.type(value as Token)}`;
      case "TypeParameter":
        return `T${value as number}`;
      case "Datatype":
        return this.datatype(value as number);
      default: {
        const [handle, types] = value as [number, Token[]];
        return `${this.datatype(handle)}<${types.map((part) => this.type(part)).join(", ")}>`;
      }
    }
  }
}

function present<T>(row: T | undefined): T {
  if (row === undefined) throw new Error("an index of the other reader leads nowhere");
  return row;
}

function littleEndian(bytes: readonly number[]): bigint {
  return bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
}

function trim(digits: string): string {
  return `0x${digits.replace(/^0+(?=.)/, "")}`;
}
