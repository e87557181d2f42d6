import { DecodeError } from "../move/decode-error.ts";
import type { FunctionDefinition, StructDefinition } from "../move/module/definitions.ts";
import type { Attribute } from "../move/module/metadata.ts";
import type { ModuleId } from "../move/types/types.ts";

/**
 * How large an interface may be, in characters of its names and types plus `PART` for each part. Bytecode repeats names by
 * reference: without a limit 64 KiB could become gigabytes. The largest real module has 17,998.
 */
export const INTERFACE_SIZE_MAX = 4 * 1024 * 1024;

/** Added for each name, type, type parameter or attribute, besides its characters. */
const PART = 8;

/** Adds up the size of an interface and throws `DecodeError` (`MOVEDEX_DECODE_LIMIT`) above `INTERFACE_SIZE_MAX`. */
export class InterfaceSize {
  private size = 0;

  /** Counts modules that are named as friends or dependencies. */
  addModules(ids: readonly ModuleId[]): void {
    for (const { address, name } of ids) this.add(PART + address.length + name.length);
  }

  addFunction({ handle, acquires }: FunctionDefinition, attributes: readonly Attribute[]): void {
    const parts = 1 + handle.params.types.length + handle.returns.types.length + handle.typeParams.length + acquires.length;
    this.add(parts * PART + handle.name.length + handle.params.textLength + handle.returns.textLength);
    for (const struct of acquires) this.add(struct.handle.plain.name.length);
    this.addAttributes(attributes);
  }

  /** Counts a struct or enum with the attributes that the metadata gives it. */
  addStruct({ handle, fields, variants }: StructDefinition, attributes: readonly Attribute[]): void {
    this.add(PART * (1 + handle.typeParams.length) + handle.plain.name.length);
    for (const { name, type } of fields) this.add(PART + name.length + type.text.length);
    for (const variant of variants) {
      this.add(PART + variant.name.length);
      for (const { name, type } of variant.fields) this.add(PART + name.length + type.text.length);
    }
    this.addAttributes(attributes);
  }

  private addAttributes(attributes: readonly Attribute[]): void {
    for (const { args } of attributes) {
      this.add(PART);
      for (const arg of args) this.add(PART + arg.length);
    }
  }

  private add(size: number): void {
    this.size += size;
    if (this.size > INTERFACE_SIZE_MAX) {
      throw new DecodeError("limit", `its interface has more than ${INTERFACE_SIZE_MAX} characters`, undefined);
    }
  }
}
