import { type Kind, kinds } from "../kinds.ts";

export type Parameter = { readonly name: string; readonly kind?: Kind };

/** A statement's text in an engine's dialect, cut at its parameters: one text more than there are parameters. */
export type Parsed = { readonly texts: readonly string[]; readonly parameters: readonly Parameter[] };

// Quoted text, quoted names and comments are passed over, and so are casts (`x::text`), which begin with two colons.
const TOKEN =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|::|:(?<name>[a-zA-Z_][a-zA-Z0-9_]*)(?:::(?<kind>[a-zA-Z_][a-zA-Z0-9_]*))?/g;

/** A text of SQL cut at its placeholders `:name`: one text more than there are names. `x::text` is a cast. */
export function parsePlaceholders(text: string): { readonly texts: readonly string[]; readonly names: readonly string[] } {
  const [texts, names]: [string[], string[]] = [[], []];
  let start = 0;
  for (const match of text.matchAll(TOKEN)) {
    const { name } = match.groups as { name?: string };
    if (name === undefined) continue;
    texts.push(text.slice(start, match.index));
    names.push(name);
    start = match.index + 1 + name.length;
  }
  return { texts: [...texts, text.slice(start)], names };
}

/** Finds the parameters of a statement: `:name`, or `:name::kind`. */
export function parseParameters(text: string): Parsed {
  const texts: string[] = [];
  const parameters: Parameter[] = [];
  let start = 0;
  for (const match of text.matchAll(TOKEN)) {
    const { name, kind } = match.groups as { name?: string; kind?: string };
    if (name === undefined) continue;
    if (kind !== undefined && !Object.hasOwn(kinds, kind)) {
      throw new TypeError(
        `\`:${name}::${kind}\` names no kind of column; there are ${Object.keys(kinds).join(", ")}. To cast, write CAST.`,
      );
    }
    texts.push(text.slice(start, match.index));
    parameters.push(kind === undefined ? { name } : { name, kind: kind as Kind });
    start = match.index + match[0].length;
  }
  return { texts: [...texts, text.slice(start)], parameters };
}
