import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { deserialize } from "@mysten/move-bytecode-template";
import { describe, expect, test } from "vitest";
import { writeModule } from "../../../sim/module-writer/module-writer.ts";
import { readBodies } from "../../../src/core/abi/print/interface-text.ts";
import { DecodeError } from "../../../src/core/move/decode-error.ts";
import { parseModule } from "../../../src/core/move/module/module.ts";
import { sampled, sized } from "../../run-size.ts";
import { otherReadersCode, type TemplateModule } from "../../support/second-reader/template-code.ts";
import { frameworkHistory } from "../../support/shared-data.ts";

/** A body as it should be printed, from the other reader's lines, in which local variables and branches are numbers. */
function expectedBody([, ...lines]: readonly string[], locals: readonly string[], params: number): string[] {
  const targets = new Set(lines.flatMap((line) => /^Br\w+ (\d+)$/.exec(line)?.[1] ?? []).map(Number));
  const named = lines.map((line) =>
    line
      .replace(/^(Br\w+) (\d+)$/, "$1 L$2")
      .replace(/^(\w+Loc) (\d+)$/, (_, name: string, index: string) => `${name} ${Number(index) < params ? "arg" : "loc"}${index}`),
  );
  return [
    ...locals.map((type, i) => `    loc${params + i}: ${type}`),
    ...named.flatMap((line, i) => [...(targets.has(i) ? [`L${i}:`] : []), `${String(i).padStart(4)}: ${line}`]),
  ];
}

/** The texts of a list of types, of which some have commas inside. */
function splitTypes(text: string): string[] {
  const types: string[] = [];
  let depth = 0;
  for (const part of text === "" ? [] : text.split(/(, |[<>])/)) {
    depth += part === "<" ? 1 : part === ">" ? -1 : 0;
    if (part === ", " && depth === 0) types.push("");
    else types.push((types.pop() ?? "") + part);
  }
  return types;
}

describe.skipIf(frameworkHistory === undefined)("printed bodies of real modules (skipped where they are not there)", () => {
  const directory = join(frameworkHistory ?? "", "modules");
  const files = frameworkHistory === undefined ? [] : sampled(readdirSync(directory).sort(), 80);

  test("are those that another reader finds, in all modules that it reads", () => {
    let compared = 0;
    let labels = 0;
    for (const file of files) {
      const bytes = readFileSync(join(directory, file));
      if (bytes.readUInt32LE(4) > 6) continue;
      const bodyOf = readBodies(bytes);
      const { functions } = parseModule(bytes);
      for (const [i, lines] of otherReadersCode(deserialize(bytes) as TemplateModule).entries()) {
        const { handle, isNative } = functions[i] ?? expect.fail("the other reader found more functions");
        const body = bodyOf(handle.name);
        if (isNative) expect(body).toBeUndefined();
        else {
          const [, locals = ""] = /^\w+\((.*)\)$/.exec(lines[0] ?? "") ?? [];
          expect(body, `${file} ${handle.name}`).toEqual(expectedBody(lines, splitTypes(locals), handle.params.types.length));
          labels += body?.filter((line) => line.startsWith("L")).length ?? 0;
        }
      }
      compared += 1;
    }
    expect(compared).toBeGreaterThanOrEqual(sized(20, 760));
    expect(labels).toBeGreaterThan(sized(400, 20_000));
  });
});

test("readBodies reads one function where the whole module would be too large", () => {
  const name = "n".repeat(250);
  const wide = `0x1::m::S<${new Array(200).fill(`0x1::m::${name}`).join(", ")}>`;
  const push = Uint8Array.of(0x44, 1);
  const bytes = writeModule({
    address: "0x1",
    name: "m",
    structs: [
      { name: "S", typeParams: new Array<string>(200).fill(""), fields: [["a", "u8"]] },
      { name, fields: [["a", "u8"]] },
    ],
    functions: [
      { name: "small", code: [Uint8Array.of(0x02)] },
      { name: "large", params: [wide], code: [...new Array<Uint8Array>(2_000).fill(push), Uint8Array.of(0x02)] },
    ],
  });
  const types = parseModule(bytes).signatures.map(({ textLength }) => textLength);
  expect(types[1], "the signature that the instructions name").toBeGreaterThan(50_000);
  expect(() => readBodies(bytes)).toThrow(DecodeError);
  expect(() => readBodies(bytes)).toThrow("its instructions in words have more than 16777216 characters");
  expect(readBodies(bytes, "small")("small")).toEqual(["   0: Ret"]);
});
