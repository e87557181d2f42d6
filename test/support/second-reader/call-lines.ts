import { deserialize } from "@mysten/move-bytecode-template";
import { parseCode } from "../../../src/core/move/code/read-code.ts";
import { formatModuleId } from "../../../src/core/move/module-id.ts";
import { otherReadersCode, type TemplateModule } from "./template-code.ts";

/**
 * Caller, callee and type arguments (`<0x1::coin::Coin<T0>>`, or nothing) of every instruction that names a function: by the
 * other reader where it reads the version of the binary format, 5 and 6, else by a walk over all instructions.
 */
export function usesOf(bytes: Uint8Array): [caller: string, callee: string, types: string][] {
  if ((bytes[4] as number) > 6)
    return Array.from(parseCode(bytes).functions(), ({ definition, instructions }) =>
      instructions.flatMap(({ reference }): [string, string, string][] => {
        if (reference?.kind !== "function") return [];
        const types = reference.typeArguments.map(({ text }) => text).join(", ");
        const callee = `${formatModuleId(reference.handle.module)}::${reference.handle.name}`;
        return [[definition.handle.name, callee, types === "" ? "" : `<${types}>`]];
      }),
    ).flat();
  return otherReadersCode(deserialize(bytes) as TemplateModule).flatMap(([head = "", ...lines]) =>
    lines.flatMap((line): [string, string, string][] => {
      const found = /^Call(?:Generic)? ([^<]+)(<.*>)?$/.exec(line);
      return found === null ? [] : [[head.slice(0, head.indexOf("(")), found[1] as string, found[2] ?? ""]];
    }),
  );
}
