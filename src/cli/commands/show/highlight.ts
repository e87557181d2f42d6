import type { Colour } from "../../output/paint.ts";

const KEYWORDS = "module|use|as|friend|public|package|entry|native|fun|struct|enum|const|has|acquires|phantom|mut|copy|drop|store|key|Self";
const TYPES = "bool|u8|u16|u32|u64|u128|u256|i8|i16|i32|i64|i128|i256|address|signer|vector";

/** What Move source is made of, in the order in which it is looked for. A field called `key` looks like the ability. */
const PARTS = new RegExp(
  `(?<comment>//[^\\n]*)|(?<attribute>#\\[[^\\n]*\\])|(?<keyword>\\b(?:${KEYWORDS})\\b)|(?<type>\\b(?:${TYPES})\\b|\\b[A-Z]\\w*)|(?<number>\\b0x[0-9a-f]+\\b|\\b\\d+\\b)`,
  "g",
);

const COLOURS: Readonly<Record<string, Colour>> = {
  comment: "gray",
  attribute: "magenta",
  keyword: "blue",
  type: "cyan",
  number: "yellow",
};

export function highlightMove(source: string, paint: (colour: Colour, text: string) => string): string {
  return source.replace(PARTS, (text, ...rest) => {
    const groups = rest.at(-1) as Readonly<Record<string, string | undefined>>;
    const kind = Object.keys(groups).find((name) => groups[name] !== undefined) ?? "";
    return paint(COLOURS[kind] ?? "gray", text);
  });
}
