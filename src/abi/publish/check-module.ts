import { readCode } from "../../move/code/read-code.ts";
import { type Attribute, readCompilation, readMetadata, unreadableMetadata } from "../../move/module/metadata.ts";
import { type CompiledModule, readModule } from "../../move/module/module.ts";
import { formatItemId, isSameModule } from "../../move/module-id.ts";
import { attributeKinds } from "../model.ts";
import { checkFunctions } from "./functions.ts";
import type { Problem, PublishProblem } from "./problem.ts";
import { checkStructs } from "./structs.ts";

export type PublishPlace = {
  readonly chainId: number | null;
  /** The newest bytecode version that its nodes read; undefined if that is not known. */
  readonly maxBytecodeVersion: number | undefined;
  readonly isNew: boolean;
};

/** Checks one module by the rules of publishing that need no other module. @throws DecodeError */
export function checkModule(bytes: Uint8Array, { chainId, maxBytecodeVersion, isNew }: PublishPlace): PublishProblem[] {
  const module = readModule(bytes);
  const problems = [
    ...checkVersion(module, maxBytecodeVersion),
    ...checkStructs(module),
    ...checkFunctions(module, isNew),
    ...checkEvents(bytes),
    ...checkMetadata(module, chainId),
  ];
  return problems.map((problem) => ({ ...problem, module: module.self }));
}

function checkVersion({ version }: CompiledModule, maxVersion: number | undefined): Problem[] {
  if (maxVersion === undefined || version <= maxVersion) return [];
  return [problem("bytecode-too-new", null, `it is of bytecode version ${version}, and the chain's nodes read up to ${maxVersion}`)];
}

/** The chain id of the mainnet that refuses unstable bytecode. */
const MAINNET = 1;

function checkMetadata(module: CompiledModule, chainId: number | null): Problem[] {
  const wrong = unreadableMetadata(module.metadata).map((reason) => problem("metadata-malformed", null, reason));
  if (chainId === MAINNET && readCompilation(module.metadata)?.unstable === true) {
    wrong.push(problem("unstable-bytecode", null, "its compiler says so"));
  }
  for (const [name, attributes] of readMetadata(module.metadata, module.version).structAttributes) {
    for (const attribute of attributes) wrong.push(...attributeProblems(module, name, attribute));
    const repeated = attributes.find(({ kind }, i) => attributes.findIndex((other) => other.kind === kind) !== i);
    if (repeated !== undefined) wrong.push(problem("attribute-repeated", name, `attribute ${repeated.kind} is there more than once`));
  }
  return wrong;
}

function problem(rule: Problem["rule"], name: string | null, reason: string): Problem {
  return { rule, item: { kind: name === null ? "module" : "struct", name }, reason };
}

function attributeProblems({ structs }: CompiledModule, name: string, { kind, args }: Attribute): Problem[] {
  const struct = structs.find(({ handle }) => handle.plain.name === name);
  switch (kind) {
    case attributeKinds.group: {
      if (!["global", "address", "module_"].includes(args[0] ?? "")) {
        return [problem("resource-group", name, `its scope is \`${args[0] ?? ""}\``)];
      }
      // Compilers give a struct without fields one of type bool.
      const isPlain = struct?.handle.abilities.length === 0 && struct.handle.typeParams.length === 0 && struct.fields.length === 1;
      return isPlain ? [] : [problem("resource-group", name, "it has abilities, type parameters or fields")];
    }
    case attributeKinds.groupMember:
      return struct?.handle.abilities.includes("key") === true ? [] : [problem("resource-group-member", name, "it has no key")];
    case attributeKinds.event:
      return [];
    default:
      return [problem("attribute-unknown", name, `attribute ${kind} is none of structs`)];
  }
}

/** Checks what a module passes to `0x1::event::emit`. @throws DecodeError */
function checkEvents(bytes: Uint8Array): Problem[] {
  const { module, functions } = readCode(bytes);
  const { structAttributes } = readMetadata(module.metadata, module.version);
  const isEvent = (name: string): boolean => structAttributes.get(name)?.some(({ kind }) => kind === attributeKinds.event) === true;
  const problems: Problem[] = [];
  for (const { definition, instructions } of functions()) {
    for (const { name, reference } of instructions) {
      if (name !== "CallGeneric" || reference?.kind !== "function") continue;
      const { handle, typeArguments } = reference;
      if (formatItemId(handle) !== "0x1::event::emit") continue;
      const [type] = typeArguments;
      if (type?.kind === "struct" && isSameModule(type.module, module.self) && isEvent(type.name)) continue;
      problems.push({ rule: "event-emitted", item: { kind: "function", name: definition.handle.name }, reason: `it emits ${type?.text}` });
    }
  }
  return problems;
}
