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
  const functions = new Map(module.functions.map((definition) => [definition.handle.name, definition]));
  for (const [name, attributes] of readMetadata(module.metadata, module.version).functionAttributes) {
    for (const attribute of attributes) {
      for (const [rule, reason] of attributeProblems(functions.get(name), attribute))
        problems.push({ rule, item: { kind: "function", name }, reason });
    }
  }
  return problems;
}

function* initProblems({ visibility, handle: { params, returns, typeParams } }: Definition): Generator<string> {
  const [first, ...more] = params.types;
  if (visibility !== "private") yield `it is ${visibility}`;
  if (returns.types.length > 0) yield "it has results";
  if (first === undefined || !isSigner(first) || more.length > 0)
    yield `it takes ${params.types.map(formatMoveType).join(", ") || "nothing"}`;
  if (typeParams.length > 0) yield "it has type parameters";
}

function* attributeProblems(definition: Definition | undefined, attribute: Attribute): Generator<readonly [PublishRuleId, string]> {
  if (isViewAttribute(attribute)) {
    if (definition === undefined) {
      yield ["view-without-result", "there is no such function"];
      return;
    }
    const { params, returns } = definition.handle;
    if (returns.types.length === 0) yield ["view-without-result", "it returns nothing"];
    if (params.types.some(isSigner)) yield ["view-signer", "it takes a signer"];
    for (const type of params.types) if (!isGivenByTransactions(type)) yield ["entry-parameter", `it takes ${formatMoveType(type)}`];
  } else if (attribute.kind !== attributeKinds.randomness) {
    yield ["attribute-unknown", `attribute ${attribute.kind} is none of functions`];
  } else if (definition?.isEntry !== true) yield ["randomness-on-public", "it is not an entry function"];
  else if (definition.visibility === "public") yield ["randomness-on-public", "it is public"];
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
