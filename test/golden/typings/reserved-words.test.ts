import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { ModuleSpec, StructSpec } from "../../../sim/module-writer/module-spec.ts";
import { writeModule } from "../../../sim/module-writer/module-writer.ts";
import { decodeModule } from "../../../src/abi/decode.ts";
import { makeTypings } from "../../../src/exchange/typings/typings.ts";
import { asWords } from "../../support/command/as-words.ts";
import { test } from "../../support/test.ts";

/** Words of the language (ECMA-262, 12.7.2, strict mode included), and those that TypeScript adds. */
const words = asWords`
  break case catch class const continue debugger default delete do else enum export extends false finally for function if import in
  instanceof new null return super switch this throw true try typeof var void while with
  await implements interface let package private protected public static yield arguments eval
  abstract accessor any as assert asserts async bigint boolean constructor declare defer from get global infer intrinsic is keyof module
  namespace never number object of out override readonly require satisfies set string symbol type undefined unique unknown using
`;
/** Names that the typings use themselves, or that are known everywhere. */
const taken = asWords`abi move index Address Hex U64 Option MoveObject Array Record Object String Uint8Array Promise globalThis NaN T0 T1 _T0 _T1`;

const compiler = fileURLToPath(new URL("../../../node_modules/typescript/bin/tsc", import.meta.url));
const at = (name: string) => `0xcafe::${name}`;

/** A module whose structs, fields, variants, functions and errors have such names, each struct used by the next in a generic one. */
function moduleOf(name: string, names: readonly string[]): ModuleSpec {
  const structs: StructSpec[] = names.flatMap((word): StructSpec[] => [
    { name: word, typeParams: [""], fields: [[word, "T0"]] },
    {
      name: `${word}_holder`,
      typeParams: ["", "phantom"],
      fields: [
        ["own", "T0"],
        ["held", `${at(name)}::${word}<u8>`],
      ],
    },
    { name: `${word}_enum`, variants: [{ name: word, fields: [[word, "u64"]] }, { name: "other" }] },
  ]);
  const functions = names.map((word) => ({
    name: word,
    visibility: "public" as const,
    typeParams: [""],
    params: [`${at(name)}::${word}<T0>`],
  }));
  return { address: "0xcafe", name, version: 8, structs, functions };
}

/** The typings of a module of all words, and of a module for each word that has the first one's struct of the same name. */
function typings(): ReadonlyMap<string, string> {
  const specs = [
    moduleOf("words", [...words, ...taken]),
    ...[...words, ...taken].map(
      (word): ModuleSpec => ({
        address: "0xcafe",
        name: word,
        version: 8,
        structs: [{ name: word, fields: [["there", `${at("words")}::${word}<bool>`]] }],
      }),
    ),
  ];
  const modules = new Map(specs.map((spec) => [at(spec.name), { sha256: "0".repeat(64), abi: decodeModule(writeModule(spec)).abi }]));
  const find = (id: string) => modules.get(id);
  return makeTypings({ chainId: 4, ledgerVersion: 1n, selection: "all", roots: [...modules.keys()], find, u64: "string" }).files;
}

const files = typings();

test("typings with every word of the language as a name compile under strict rules", async ({ place }) => {
  for (const [path, text] of files) {
    mkdirSync(dirname(place.file(path)), { recursive: true });
    writeFileSync(place.file(path), text);
  }
  const compilerOptions = {
    target: "es2022",
    module: "nodenext",
    strict: true,
    noEmit: true,
    noUnusedLocals: true,
    noUnusedParameters: true,
    types: [],
  };
  writeFileSync(place.file("tsconfig.json"), JSON.stringify({ compilerOptions }));
  writeFileSync(place.file("package.json"), '{"type":"module"}');
  let said = "";
  try {
    said = execFileSync(process.execPath, [compiler, "-p", place.path], { encoding: "utf8" });
  } catch (error) {
    said = (error as { stdout: string }).stdout;
  }
  expect(said).toBe("");
});

test("each word is called what it was called before", async () => {
  const names = [...(files.get("0xcafe/words.ts") ?? "").matchAll(/^export type (\S+?)<T0> = \{ "(.*?)": T0 \};$/gm)].map(
    ([, type, struct]) => `${struct} ${type}`,
  );
  expect(names).toHaveLength(words.length + taken.length);
  await expect(`${names.join("\n")}\n`).toMatchFileSnapshot("struct-types.txt");
  await expect(files.get("index.ts")).toMatchFileSnapshot("index.txt");
});

test("a struct named as a type parameter is not taken for it", () => {
  const text = files.get("0xcafe/words.ts") ?? "";
  expect(text).toMatch(/^export type T0_holder<T0, _T1> = \{ "own": T0; "held": \$T0_[0-9a-f]{8}<number> \};$/m);
});
