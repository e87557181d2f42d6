import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { NodeAbiJson, NodeFunctionJson } from "../../../src/abi/node-json/format.ts";

/** One line of abi.jsonl, whose answers come from a reader that is not ours. */
export type ExpectedAbi = {
  readonly sha256: string;
  readonly bytecode_version: number;
  readonly abi: NodeAbiJson;
  readonly dependencies: readonly string[];
  readonly private_functions: readonly NodeFunctionJson[];
  readonly native_functions: readonly string[];
  readonly phantom_type_params: Readonly<Record<string, readonly boolean[]>>;
  readonly resource_groups: Readonly<Record<string, unknown>>;
  readonly errors: Readonly<Record<string, readonly [name: string, description: string]>>;
};

/** The recorded modules with what the reader said of each, its ABI in the node's own order of keys. */
export function readExpectedAbis(directory: string): { expected: ExpectedAbi; bytes: Uint8Array }[] {
  const lines = readFileSync(join(directory, "abi.jsonl"), "utf8").trimEnd().split("\n");
  return lines.map((line) => {
    const found = JSON.parse(line) as ExpectedAbi;
    const bytes = readFileSync(join(directory, "modules", `${found.sha256}.mv`));
    return { expected: { ...found, abi: inNodeOrder(found.abi) }, bytes };
  });
}

/** The recorded JSON has `is_enum` in another place than the node, whose order `node-contract.md`, 3.4, gives. */
function inNodeOrder(abi: NodeAbiJson): NodeAbiJson {
  return {
    ...abi,
    structs: abi.structs.map(
      ({ name, is_native, is_event = false, is_enum = false, abilities, generic_type_params, fields, variants = [] }) => ({
        name,
        is_native,
        is_event,
        is_enum,
        abilities,
        generic_type_params,
        fields,
        variants,
      }),
    ),
  };
}
