import { sha256Hex } from "../../base/sha256.ts";

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** A parameter would hide a struct of its name, in silence where that has none of its own. */
const PARAMETER = /^_?T[0-9]+$/;
// Words that cannot be the name of a TypeScript type.
const RESERVED = new Set(
  (
    "any as async await bigint boolean break case catch class const continue debugger declare default delete do else enum export extends false finally for " +
    "function if implements import in infer instanceof interface intrinsic is keyof let module namespace never new null number object of package private " +
    "protected public readonly require return static string super switch symbol this throw true try type typeof undefined unique unknown var void while with yield"
  ).split(" "),
);

/** The name of a struct's type: the struct's name, unless that is not a valid name in TypeScript, or one of a type parameter here. */
export function structTypeName(name: string): string {
  if (IDENTIFIER.test(name) && !RESERVED.has(name) && !PARAMETER.test(name)) return name;
  return `$${name.replaceAll(/[^A-Za-z0-9_]/g, "_").slice(0, 60)}_${sha256Hex(name).slice(0, 8)}`;
}
