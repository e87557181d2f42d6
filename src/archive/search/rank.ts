import { runsOf, wordsOf } from "../../base/search-tokens.ts";
import { compare } from "../../base/sorted.ts";
import { searchKinds } from "../content/search-words.ts";
import type { SearchHit } from "./hits.ts";
import { SPECIAL } from "./lists.ts";

const ASCII = /^[\p{ASCII}]*$/u;

export type Ranked = Pick<SearchHit, "kind" | "module" | "name" | "text">;

/** `rankOf`, once for all accounts that have the same. */
export function ranker(words: readonly string[]): (hit: Ranked) => number | undefined {
  const known = new Map<string, number | undefined>();
  return (hit) => {
    const { kind, module, name, text } = hit;
    const all = `${module} ${name} ${text}`;
    // Most of what an account has is none, and cutting it into words takes longest. Other letters may change as they become small ones.
    const small = all.toLowerCase();
    if (ASCII.test(all) && !words.every((word) => small.includes(word))) return undefined;
    const key = `${kind} ${all}`;
    if (!known.has(key)) known.set(key, rankOf(hit, words));
    return known.get(key);
  };
}

/**
 * From 0, the name is what was typed, over 1, the module's name is before it, 2, the name begins with it, and 3, the name has the words,
 * to 5, the module's name has to help; undefined for no match.
 */
function rankOf({ kind, module, name, text }: Ranked, words: readonly string[]): number | undefined {
  const ofName = wordsOf(name);
  // A declaration is shown, not searched: its types belong to other modules.
  const own = kind === "function" ? ofName : [...ofName, ...wordsOf(text)];
  const has = (list: readonly string[]) => words.every((word) => list.some((other) => other.startsWith(word)));
  const typed = words.join(" ");
  const runs = runsOf(name).join(" ");
  if (runs === typed) return 0;
  if (`${runsOf(module).join(" ")} ${runs}` === typed) return 1;
  if (runs.startsWith(typed)) return 2;
  if (has(ofName)) return 3;
  if (has(own)) return 4;
  // The index knows what shares a name or a list with what was typed; the thing itself has to have a word of it as well.
  const isNamed = words.some((word) => own.some((other) => other.startsWith(word)));
  return isNamed && has([...own, ...wordsOf(module)]) ? 5 : undefined;
}

/** The best rank that something of a name may have, whatever its module and text are. */
export function bestRankOf(name: string, words: readonly string[]): number {
  const [typed, runs] = [words.join(" "), runsOf(name).join(" ")];
  return runs === typed ? 0 : typed.endsWith(` ${runs}`) ? 1 : runs.startsWith(typed) ? 2 : 3;
}

export function compareHits(a: SearchHit, b: SearchHit): number {
  return (
    Number(!SPECIAL.includes(a.address)) - Number(!SPECIAL.includes(b.address)) ||
    searchKinds.indexOf(a.kind) - searchKinds.indexOf(b.kind) ||
    a.address.length - b.address.length ||
    compare(`${a.address} ${a.module} ${a.name}`, `${b.address} ${b.module} ${b.name}`)
  );
}
