import { type Kind, kinds } from "../kinds.ts";

export type Parameter = { readonly name: string; readonly kind?: Kind };

/** A statement's text in an engine's dialect, cut at its parameters: one text more than there are parameters. */
export type Parsed = { readonly texts: readonly string[]; readonly parameters: readonly Parameter[] };

// Quoted text, quoted names and comments are passed over, and so are casts (`x::text`), which begin with two colons.
const TOKEN =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|::|:(?<name>[a-zA-Z_][a-zA-Z0-9_]*)(?:::(?<kind>[a-zA-Z_][a-zA-Z0-9_]*))?/g;

/** A text of SQL cut at its placeholders `:name`: one text more than there are names. `x::text` is a cast. */
export function parsePlaceholders(text: string): { readonly texts: readonly string[]; readonly names: readonly string[] } {
  const { texts, found } = cut(text, false);
  return { texts, names: found.map(({ name }) => name) };
}

/** Finds the parameters of a statement: `:name`, or `:name::kind`. */
export function parseParameters(text: string): Parsed {
  const { texts, found } = cut(text, true);
  const parameters = found.map(({ name, kind }): Parameter => {
    if (kind === undefined) return { name };
    if (Object.hasOwn(kinds, kind)) return { name, kind: kind as Kind };
    const known = Object.keys(kinds).join(", ");
    throw new TypeError(`\`:${name}::${kind}\` names no kind of column; there are ${known}. To cast, write CAST.`);
  });
  return { texts, parameters };
}

/** `withKinds`: what `::` adds to a name is its kind; else it is a cast, and stays in the text. */
function cut(text: string, withKinds: boolean) {
  const texts: string[] = [];
  const found: { readonly name: string; readonly kind?: string }[] = [];
  let start = 0;
  for (const match of text.matchAll(TOKEN)) {
    const { name, kind } = match.groups as { name?: string; kind?: string };
    if (name === undefined) continue;
    texts.push(text.slice(start, match.index));
    found.push(kind === undefined ? { name } : { name, kind });
    start = match.index + (withKinds ? match[0].length : 1 + name.length);
  }
  return { texts: [...texts, text.slice(start)], found };
}
