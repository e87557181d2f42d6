import { type Attribute, readMetadata } from "../../move/module/metadata.ts";
import type { CompiledModule } from "../../move/module/module.ts";
import { formatMoveType } from "../../move/types/format-type.ts";
import type { MoveType } from "../../move/types/types.ts";
import { attributeKinds, isViewAttribute } from "../model.ts";
import type { Problem } from "./problem.ts";
import type { PublishRuleId } from "./rules.ts";
import { handlesByName, typeProblems } from "./types.ts";

type Definition = CompiledModule["functions"][number];

/** Addresses whose modules may have native functions: 0x0 to 0xf. Source: `AccountAddress::is_special`. */
const SPECIAL = /^0x[0-9a-f]$/;

/**
 * Checks the functions of a module: natives, types, entry functions, views, randomness, and `init_module`, which the chain
 * looks at when the module is new.
 */
export function checkFunctions(module: CompiledModule, isNew: boolean): Problem[] {
  const handles = handlesByName(module.structHandles);
  const problems: Problem[] = [];
  for (const definition of module.functions) {
    const { handle, isNative, isEntry } = definition;
    const add = (rule: PublishRuleId, reason: string): void =>
      void problems.push({ rule, item: { kind: "function", name: handle.name }, reason });
    if (isNative && (isEntry || !SPECIAL.test(module.self.address))) {
      add(
        "native-function",
        isEntry ? "it is native and entry" : `it is native, and ${module.self.address} is not an account of the framework`,
      );
    }
    const params = handle.typeParams.map(({ constraints }) => constraints);
    for (const type of [...handle.params.types, ...handle.returns.types]) {
      for (const [rule, reason] of typeProblems(type, { structs: handles, params }, true)) add(rule, reason);
    }
    if (isEntry) {
      for (const type of handle.params.types) if (!isGivenByTransactions(type)) add("entry-parameter", `it takes ${formatMoveType(type)}`);
      if (handle.returns.types.length > 0) add("entry-result", `it returns ${handle.returns.types.map(formatMoveType).join(", ")}`);
    }
    if (handle.name === "init_module" && isNew) for (const reason of initProblems(definition)) add("init-module", reason);
  }
  return [...problems, ...checkAttributes(module)];
}

function initProblems({ visibility, handle }: Definition): string[] {
  const params = handle.params.types.map(formatMoveType);
  return [
    ...(visibility === "private" ? [] : [`it is ${visibility}`]),
    ...(handle.returns.types.length === 0 ? [] : ["it has results"]),
    ...(params.length === 1 && (params[0] === "signer" || params[0] === "&signer") ? [] : [`it takes ${params.join(", ") || "nothing"}`]),
    ...(handle.typeParams.length === 0 ? [] : ["it has type parameters"]),
  ];
}

function checkAttributes(module: CompiledModule): Problem[] {
  const functions = new Map(module.functions.map((definition) => [definition.handle.name, definition]));
  return [...readMetadata(module.metadata, module.version).functionAttributes].flatMap(([name, attributes]) =>
    attributes.flatMap((attribute) =>
      attributeProblems(functions.get(name), attribute).map(
        ([rule, reason]): Problem => ({ rule, item: { kind: "function", name }, reason }),
      ),
    ),
  );
}

function attributeProblems(definition: Definition | undefined, attribute: Attribute): (readonly [PublishRuleId, string])[] {
  const returns = definition?.handle.returns.types ?? [];
  if (isViewAttribute(attribute)) {
    const params = definition?.handle.params.types ?? [];
    return [
      ...(returns.length === 0
        ? [["view-without-result", definition === undefined ? "there is no such function" : "it returns nothing"] as const]
        : []),
      ...(params.some(isSigner) ? [["view-signer", "it takes a signer"] as const] : []),
      ...params
        .filter((type) => !isGivenByTransactions(type))
        .map((type) => ["entry-parameter", `it takes ${formatMoveType(type)}`] as const),
    ];
  }
  if (attribute.kind !== attributeKinds.randomness) return [["attribute-unknown", `attribute ${attribute.kind} is none of functions`]];
  if (definition?.isEntry === true && definition.visibility !== "public") return [];
  return [["randomness-on-public", definition?.isEntry === true ? "it is public" : "it is not an entry function"]];
}

function isSigner({ text }: MoveType): boolean {
  return text === "signer" || text === "&signer";
}

/** Structs that transactions can give as arguments. Source: `is_allowed_input_struct` in extended_checks.rs. */
const GIVEN = new Set(["string::String", "object::Object", "option::Option", "fixed_point32::FixedPoint32", "fixed_point64::FixedPoint64"]);

function isGivenByTransactions(type: MoveType): boolean {
  if (type.kind === "vector") return isGivenByTransactions(type.element);
  if (type.kind === "struct") return type.module.address === "0x1" && GIVEN.has(`${type.module.name}::${type.name}`);
  return type.kind === "primitive" || type.kind === "parameter" || isSigner(type);
}
