import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { RecordedModule } from "../../support/expected-views.ts";

/** The recorded modules with what the reader said of each, its ABI in the node's own order of keys. */
export function readExpectedAbis(directory: string): { expected: RecordedModule; bytes: Uint8Array }[] {
  const lines = readFileSync(join(directory, "abi.jsonl"), "utf8").trimEnd().split("\n");
  return lines.map((line) => {
    const found = JSON.parse(line) as RecordedModule;
    const bytes = readFileSync(join(directory, "modules", `${found.sha256}.mv`));
    return { expected: { ...found, abi: inNodeOrder(found.abi) }, bytes };
  });
}

/** The recorded JSON has `is_enum` in another place than the node, whose order `node-contract.md`, 3.4, gives. */
function inNodeOrder(abi: RecordedModule["abi"]): RecordedModule["abi"] {
  return {
    ...abi,
    structs: abi.structs.map(({ name, is_native, is_event = false, is_enum = false, variants = [], ...rest }) => ({
      name,
      is_native,
      is_event,
      is_enum,
      ...rest,
      variants,
    })),
  };
}
