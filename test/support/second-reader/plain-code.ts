/**
 * A second reader of bytecode, versions 5 to 10, that shares nothing with the first: it knows the tables of a module by their
 * numbers and writes each function's instructions with what they name, so that two can be compared as texts. Made from
 * file_format_common.rs of aptos-core alone; it checks nothing and is only for modules that a chain took.
 */
export function plainCode(bytes: Uint8Array): Map<string, string> {
  return new PlainReader(bytes).functions();
}

/** The same by a module's SHA-256, each read once. */
export function plainCodeReader(bytesOf: (sha256: string) => Uint8Array): (sha256: string) => Map<string, string> {
  const known = new Map<string, Map<string, string>>();
  return (sha256) => {
    const code = known.get(sha256) ?? plainCode(bytesOf(sha256));
    known.set(sha256, code);
    return code;
  };
}

/** Opcodes by what follows: an index into a table, by its name; `n`, a plain number; or so many bytes. */
const OPCODES: Readonly<Record<string, readonly number[]>> = {
  n: [3, 4, 5, 10, 11, 12, 13, 14],
  constant: [7],
  field: [15, 16],
  function: [17],
  struct: [18, 19, 41, 42, 43, 44, 45],
  fieldInst: [0x36, 0x37],
  functionInst: [0x38],
  structInst: [0x39, 0x3a, 0x3b, 0x3c, 0x3d, 0x3e, 0x3f],
  "signature+8": [0x40, 0x46],
  signature: [0x41, 0x42, 0x43, 0x44, 0x45, 0x47, 0x5a],
  variantField: [0x4e, 0x4f],
  variantFieldInst: [0x50, 0x51],
  variant: [0x52, 0x54, 0x56],
  variantInst: [0x53, 0x55, 0x57],
  "function+n": [0x58],
  "functionInst+n": [0x59],
  1: [0x31, 0x5b],
  2: [0x48, 0x5c],
  4: [0x49, 0x5d],
  8: [6, 0x5e],
  16: [0x32, 0x5f],
  32: [0x4a, 0x60],
};
const operands = new Map(Object.entries(OPCODES).flatMap(([operand, codes]) => codes.map((code) => [code, operand])));

type Struct = { readonly name: string; readonly variants: readonly string[] };

class PlainReader {
  private readonly bytes: Uint8Array;
  private at = 0;
  private readonly tables = new Map<number, readonly [from: number, to: number]>();
  private readonly version: number;
  private readonly names: string[];
  private readonly addresses: string[];
  private readonly modules: string[];
  private readonly structNames: string[] = [];
  private readonly signatures: string[][];
  private readonly functionNames: string[] = [];
  private readonly constants: string[];
  private readonly structs: Struct[];
  private readonly rows: Readonly<Record<string, string[]>>;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.version = (bytes[4] as number) | ((bytes[5] as number) << 8);
    this.at = 8;
    const headers: [number, number, number][] = [];
    for (let count = this.uleb(); count > 0; count--) headers.push([this.byte(), this.uleb(), this.uleb()]);
    for (const [kind, offset, length] of headers) this.tables.set(kind, [this.at + offset, this.at + offset + length]);
    this.names = this.table(7, () => this.text());
    this.addresses = this.table(8, () => this.hex(32));
    this.modules = this.table(1, () => `${this.addresses[this.uleb()]}::${this.names[this.uleb()]}`);
    this.table(2, () => {
      this.structNames.push(`${this.modules[this.uleb()]}::${this.names[this.uleb()]}`);
      this.uleb();
      for (let count = this.uleb(); count > 0; count--) {
        this.uleb();
        this.byte();
      }
    });
    this.signatures = this.table(5, () => this.list(() => this.type()));
    this.table(3, () => {
      this.functionNames.push(`${this.modules[this.uleb()]}::${this.names[this.uleb()]}`);
      this.uleb();
      this.uleb();
      this.list(() => this.uleb());
      if (this.version >= 7 && this.byte() === 2) throw new Error("access specifiers are not read");
      if (this.version >= 8) this.list(() => this.attribute());
    });
    this.constants = this.table(6, () => `${this.type()} ${this.hex(this.uleb())}`);
    this.structs = this.table(0x0a, () => this.structDefinition());
    const struct = (): Struct => this.structs[this.uleb()] as Struct;
    const types = (): string => `<${this.signatures[this.uleb()]?.join(", ")}>`;
    const functionInst = this.table(4, () => `${this.functionNames[this.uleb()]}${types()}`);
    const structInst = this.table(0x0b, () => `${struct().name}${types()}`);
    const field = this.table(0x0d, () => {
      // A field is read by its place: another name is no other instruction.
      const { name } = struct();
      return `${name}.#${this.uleb()}`;
    });
    const fieldInst = this.table(0x0e, () => `${field[this.uleb()]}${types()}`);
    const variantField = this.table(0x11, () => {
      const { name, variants } = struct();
      const index = this.uleb();
      return `${name}.#${index} of ${this.list(() => variants[this.uleb()]).join()}`;
    });
    const variantFieldInst = this.table(0x12, () => `${variantField[this.uleb()]}${types()}`);
    const variant = this.table(0x13, () => {
      const { name, variants } = struct();
      return `${name}::${variants[this.uleb()]}`;
    });
    const variantInst = this.table(0x14, () => `${variant[this.uleb()]}${types()}`);
    this.rows = {
      constant: this.constants,
      field,
      fieldInst,
      function: this.functionNames,
      functionInst,
      struct: this.structs.map(({ name }) => name),
      structInst,
      signature: this.signatures.map((list) => list.join(", ")),
      variantField,
      variantFieldInst,
      variant,
      variantInst,
    };
  }

  /** Locals and instructions of each function that has code, by its name. */
  functions(): Map<string, string> {
    const found = new Map<string, string>();
    this.table(0x0c, () => {
      const name = (this.functionNames[this.uleb()] as string).split("::").at(-1) as string;
      this.byte();
      const flags = this.byte();
      this.list(() => this.uleb());
      if ((flags & 2) !== 0) return;
      const locals = this.signatures[this.uleb()]?.join(", ");
      found.set(name, [`(${locals})`, ...this.list(() => this.instruction())].join("\n"));
    });
    return found;
  }

  private instruction(): string {
    const opcode = this.byte();
    const operand = operands.get(opcode);
    if (operand === undefined) return String(opcode);
    if (operand === "n") return `${opcode} ${this.uleb()}`;
    if (/^\d+$/.test(operand)) return `${opcode} 0x${this.hex(Number(operand))}`;
    const [table = "", extra] = operand.split("+");
    const named = `${opcode} ${this.rows[table]?.[this.uleb()]}`;
    return extra === undefined ? named : `${named} ${extra === "n" ? this.uleb() : this.hex(8)}`;
  }

  private structDefinition(): Struct {
    const name = this.structNames[this.uleb()] as string;
    const flag = this.byte();
    const passFields = () =>
      this.list(() => {
        this.uleb();
        this.type();
      });
    if (flag === 2) passFields();
    const variants = flag < 3 ? [] : this.list(() => [this.names[this.uleb()] as string, passFields()] as const);
    return { name, variants: variants.map(([variant]) => variant) };
  }

  private attribute(): void {
    if ([4, 6, 7, 8, 9].includes(this.byte())) this.at += 2;
  }

  private type(): string {
    const kind = this.byte();
    if (kind === 6) return `&${this.type()}`;
    if (kind === 7) return `&mut ${this.type()}`;
    if (kind === 0x0a) return `vector<${this.type()}>`;
    if (kind === 8) return this.structNames[this.uleb()] as string;
    if (kind === 9) return `T${this.uleb()}`;
    if (kind === 0x0b) return `${this.structNames[this.uleb()]}<${this.list(() => this.type()).join(", ")}>`;
    if (kind !== 0x10) return `p${kind}`;
    const [abilities, params, results] = [this.uleb(), this.uleb(), this.uleb()];
    return `|${Array.from({ length: params + results }, () => this.type()).join(",")}|${params}/${abilities}`;
  }

  private table<T>(kind: number, read: () => T): T[] {
    const [from, to] = this.tables.get(kind) ?? [0, 0];
    const found: T[] = [];
    this.at = from;
    while (this.at < to) found.push(read());
    return found;
  }

  private list<T>(read: () => T): T[] {
    return Array.from({ length: this.uleb() }, read);
  }

  private text(): string {
    return Buffer.from(this.hex(this.uleb()), "hex").toString("utf8");
  }

  private hex(length: number): string {
    this.at += length;
    return Buffer.from(this.bytes.subarray(this.at - length, this.at)).toString("hex");
  }

  private byte(): number {
    return this.bytes[this.at++] as number;
  }

  private uleb(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.byte();
      value += (byte & 0x7f) * factor;
      if (byte < 128) return value;
    }
  }
}
