import { addressBytes, parseAddress } from "../../src/core/move/address.ts";
import type { FunctionMark } from "../../src/core/move/module/handles.ts";
import { formatItemId, type ModuleId } from "../../src/core/move/module-id.ts";
import type { Ability } from "../../src/core/move/types/make-type.ts";
import { parseType } from "../../src/core/move/types/parse-type.ts";
import { ByteSink, encodeModule } from "./module-encoder.ts";
import { metadataEntries } from "./module-metadata.ts";
import type { FieldsSpec, FunctionSpec, ModuleSpec, StructSpec, TypeParameterSpec, TypeSpec } from "./module-spec.ts";

export type { FunctionSpec, ModuleSpec, StructSpec, TypeSpec } from "./module-spec.ts";

/** The bytecode of a module, as a compiler could have made it. Throws when a type's text is not in the node's spelling. */
export function writeModule(spec: ModuleSpec): Uint8Array {
  return new ModuleWriter(spec).write();
}

// biome-ignore format: one line for each group of versions
const PRIMITIVE_BYTES: Readonly<Record<string, number>> = {
  bool: 0x01, u8: 0x02, u64: 0x03, u128: 0x04, address: 0x05, signer: 0x0c, u16: 0x0d, u32: 0x0e, u256: 0x0f,
  i8: 0x11, i16: 0x12, i32: 0x13, i64: 0x14, i128: 0x15, i256: 0x16,
};

const ABILITY_BITS: Readonly<Record<string, number>> = { copy: 1, drop: 2, store: 4, key: 8 };
const MARKS = ["", "persistent", "module_lock", "pack", "pack_variant", "unpack", "unpack_variant", "test_variant", "borrow", "borrow_mut"];
const VISIBILITIES = { private: 0, public: 1, friend: 3 } as const;

class ModuleWriter {
  private readonly spec: ModuleSpec;
  private readonly version: number;
  private readonly self: ModuleId;
  private readonly identifiers = new Pool();
  private readonly addresses = new Pool();
  private readonly modules = new Pool();
  private readonly structHandles = new Pool();
  private readonly signatures = new Pool();
  private readonly instantiations = new Pool();
  /** Full names of the functions that have handles, in the order of these. */
  private readonly functionNames: readonly string[];

  constructor(spec: ModuleSpec) {
    this.spec = spec;
    this.version = spec.version ?? 7;
    this.self = moduleId(`${spec.address}::${spec.name}`);
    this.functionNames = [
      ...(spec.functions ?? []).map(({ name }) => formatItemId({ module: this.self, name })),
      ...(spec.imports ?? []).map(({ module, name }) => formatItemId({ module: moduleId(module), name })),
    ];
  }

  write(): Uint8Array {
    const { spec } = this;
    this.module(this.self);
    for (const id of spec.dependencies ?? []) this.module(moduleId(id));
    // Own handles come first: a reference to one of them must find its declared abilities and parameters.
    for (const struct of spec.structs ?? []) this.structHandle(this.self, struct.name, struct.abilities ?? [], struct.typeParams ?? []);
    const structDefinitions = (spec.structs ?? []).map((struct) => this.structDefinition(struct));
    const functionHandles = [
      ...(spec.functions ?? []).map((fn) => this.functionHandle(fn, this.self)),
      ...(spec.imports ?? []).map(({ module, ...fn }) => this.functionHandle(fn, moduleId(module))),
    ];
    for (const { handle, typeArguments } of spec.instantiations ?? []) this.instantiation(handle, typeArguments);
    const functionDefinitions = (spec.functions ?? []).map((fn, index) => this.functionDefinition(fn, index));
    const friends = (spec.friends ?? []).map((id) => this.moduleRow(moduleId(id)));
    return encodeModule(this.version, {
      moduleHandles: this.modules.rows,
      structHandles: this.structHandles.rows,
      functionHandles,
      functionInstantiations: this.instantiations.rows,
      signatures: this.signatures.rows,
      identifiers: this.identifiers.rows,
      addresses: this.addresses.rows,
      structDefinitions,
      functionDefinitions,
      friends,
      metadata: metadataEntries(spec, this.version).map(({ key, value }) =>
        new ByteSink().text(key).uleb(value.length).bytes(value).done(),
      ),
    });
  }

  private structDefinition(struct: StructSpec): Uint8Array {
    const sink = new ByteSink().uleb(this.ownStruct(struct.name));
    if (struct.native) return sink.u8(1).done();
    if (!struct.variants) return this.fields(sink.u8(2), struct.fields ?? []).done();
    sink.u8(3).uleb(struct.variants.length);
    for (const { name, fields } of struct.variants) this.fields(sink.uleb(this.name(name)), fields ?? []);
    return sink.done();
  }

  private fields(sink: ByteSink, fields: FieldsSpec): ByteSink {
    sink.uleb(fields.length);
    for (const [name, type] of fields) this.type(sink.uleb(this.name(name)), type);
    return sink;
  }

  private functionHandle(fn: FunctionSpec, module: ModuleId): Uint8Array {
    const sink = new ByteSink().uleb(this.module(module)).uleb(this.name(fn.name));
    sink.uleb(this.signature(fn.params ?? [])).uleb(this.signature(fn.returns ?? []));
    const typeParams = fn.typeParams ?? [];
    sink.uleb(typeParams.length);
    for (const param of typeParams) sink.uleb(constraintBits(param));
    if (this.version >= 7) sink.u8(1);
    if (this.version >= 8) this.marks(sink, fn.marks ?? []);
    return sink.done();
  }

  private marks(sink: ByteSink, marks: readonly FunctionMark[]): void {
    sink.uleb(marks.length);
    for (const { name, operand } of marks) {
      sink.u8(MARKS.indexOf(name));
      if (operand !== undefined) sink.u16(operand);
    }
  }

  private functionDefinition(fn: FunctionSpec, handle: number): Uint8Array {
    const sink = new ByteSink().uleb(handle).u8(VISIBILITIES[fn.visibility ?? "private"]);
    sink.u8((fn.native ? 2 : 0) | (fn.entry ? 4 : 0));
    const acquires = fn.acquires ?? [];
    sink.uleb(acquires.length);
    for (const name of acquires) sink.uleb((this.spec.structs ?? []).findIndex((struct) => struct.name === name));
    if (fn.native) return sink.done();
    const code = fn.code ?? [
      ...(fn.calls ?? []).map((called) => this.call(called)),
      new ByteSink()
        .u8(0x06)
        .bytes(u64Bytes(fn.abortCode ?? 0))
        .done(),
      Uint8Array.of(0x27),
    ];
    sink.uleb(this.signature(fn.locals ?? [])).uleb(code.length);
    for (const instruction of code) sink.bytes(instruction);
    return sink.done();
  }

  private call(called: string): Uint8Array {
    const type = parseType(called);
    const handle = type.kind === "struct" ? this.functionNames.indexOf(formatItemId(type)) : -1;
    if (type.kind !== "struct" || handle < 0) return fail(called);
    return type.typeArguments.length === 0
      ? new ByteSink().u8(0x11).uleb(handle).done()
      : new ByteSink().u8(0x38).uleb(this.instantiation(handle, type.typeArguments)).done();
  }

  private instantiation(handle: number, typeArguments: readonly TypeSpec[]): number {
    const row = new ByteSink().uleb(handle).uleb(this.signature(typeArguments)).done();
    return this.instantiations.index(Buffer.from(row).toString("hex"), () => row);
  }

  private signature(types: readonly TypeSpec[]): number {
    const sink = new ByteSink().uleb(types.length);
    for (const type of types) this.type(sink, type);
    const row = sink.done();
    return this.signatures.index(Buffer.from(row).toString("hex"), () => row);
  }

  private type(sink: ByteSink, spec: TypeSpec): void {
    const type = typeof spec === "string" ? parseType(spec) : spec;
    switch (type.kind) {
      case "primitive":
        sink.u8(PRIMITIVE_BYTES[type.text] ?? fail(type.text));
        break;
      case "vector":
        this.type(sink.u8(0x0a), type.element);
        break;
      case "reference":
        this.type(sink.u8(type.mutable ? 0x07 : 0x06), type.target);
        break;
      case "parameter":
        sink.u8(0x09).uleb(type.index);
        break;
      case "struct": {
        const count = type.typeArguments.length;
        const handle = this.structHandle(type.module, type.name, [], new Array<string>(count).fill(""));
        sink.u8(count === 0 ? 0x08 : 0x0b).uleb(handle);
        if (count > 0) sink.uleb(count);
        for (const argument of type.typeArguments) this.type(sink, argument);
        break;
      }
      case "function":
        sink.u8(0x10).uleb(abilityBits(type.abilities)).uleb(type.params.length).uleb(type.results.length);
        for (const part of [...type.params, ...type.results]) this.type(sink, part);
        break;
      case "unknown":
        fail(type.text);
    }
  }

  private ownStruct(name: string): number {
    return this.structHandle(this.self, name, [], []);
  }

  /** The index of a struct's handle; abilities and parameters count when it is first asked for. */
  private structHandle(module: ModuleId, name: string, abilities: readonly Ability[], typeParams: readonly TypeParameterSpec[]): number {
    return this.structHandles.index(`${module.address}::${module.name}::${name}`, () => {
      const sink = new ByteSink().uleb(this.module(module)).uleb(this.name(name)).uleb(abilityBits(abilities)).uleb(typeParams.length);
      for (const param of typeParams) {
        sink.uleb(constraintBits(param));
        if (this.version >= 3) sink.u8(param.includes("phantom") ? 1 : 0);
      }
      return sink.done();
    });
  }

  private module(id: ModuleId): number {
    return this.modules.index(`${id.address}::${id.name}`, () => this.moduleRow(id));
  }

  private moduleRow(id: ModuleId): Uint8Array {
    const address = this.addresses.index(id.address, () => addressBytes(id.address));
    return new ByteSink().uleb(address).uleb(this.name(id.name)).done();
  }

  private name(name: string): number {
    return this.identifiers.index(name, () => new ByteSink().text(name).done());
  }
}

/** Rows without repetition, numbered in the order of their first use. */
class Pool {
  readonly rows: Uint8Array[] = [];
  private readonly indexes = new Map<string, number>();

  index(key: string, row: () => Uint8Array): number {
    const known = this.indexes.get(key);
    if (known !== undefined) return known;
    const bytes = row();
    this.indexes.set(key, this.rows.length);
    return this.rows.push(bytes) - 1;
  }
}

function moduleId(text: string): ModuleId {
  const [digits = "", name = ""] = text.split("::");
  const address = parseAddress(digits);
  return address ? { address, name } : fail(text);
}

function abilityBits(abilities: readonly Ability[]): number {
  return abilities.reduce((bits, ability) => bits | (ABILITY_BITS[ability] ?? 0), 0);
}

function constraintBits(param: TypeParameterSpec): number {
  return param.split(/[\s+]+/).reduce((bits, word) => bits | (ABILITY_BITS[word] ?? 0), 0);
}

function u64Bytes(value: number): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function fail(text: string): never {
  throw new Error(`cannot write \`${text}\``);
}
