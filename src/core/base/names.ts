const SUGGESTIONS = 3;

/** What is longer than this is no slip of the keyboard, and costs too much to compare. */
const LENGTH_MAX = 128;

/**
 * The names that a user may have meant by `wanted`: at most three, the nearest first. A name is near when a third of its
 * letters at most has to be changed, left out or added, letter case aside, or when one begins with the other.
 */
export function nearestNames(wanted: string, names: Iterable<string>): string[] {
  const from = wanted.toLowerCase();
  if (from.length === 0 || from.length > LENGTH_MAX) return [];
  const near: { readonly name: string; readonly distance: number }[] = [];
  for (const name of new Set(names)) {
    const to = name.toLowerCase();
    if (to.length === 0 || to.length > LENGTH_MAX) continue;
    const limit = Math.max(1, Math.floor(Math.max(from.length, to.length) / 3));
    const isPrefix = from.length >= 3 && to.length >= 3 && (to.startsWith(from) || from.startsWith(to));
    const distance = isPrefix ? Math.min(limit, Math.abs(from.length - to.length)) : editDistance(from, to);
    if (distance <= limit) near.push({ name, distance });
  }
  return near
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, SUGGESTIONS)
    .map(({ name }) => name);
}

/** ` Did you mean coin or code?`, or nothing. */
export function didYouMean(names: readonly string[]): string {
  if (names.length === 0) return "";
  const last = names.at(-1) as string;
  const quoted = (list: readonly string[]): string => list.map((name) => `\`${name}\``).join(", ");
  return ` Did you mean ${names.length === 1 ? quoted(names) : `${quoted(names.slice(0, -1))} or \`${last}\``}?`;
}

/** `didYouMean` of the names that are near to `wanted`. */
export function suggestNames(wanted: string, names: Iterable<string>): string {
  return didYouMean(nearestNames(wanted, names));
}

/** How many letters have to be changed, left out, added or swapped with their neighbour to make `b` of `a`. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (last[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let cost = Math.min(change, (last[j] as number) + 1, (row[j - 1] as number) + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, (before[j - 2] as number) + 1);
      row.push(cost);
    }
    before = last;
    last = row;
  }
  return last[b.length] as number;
}

const WORD = /[\p{L}\p{N}]+/gu;
const CAMEL = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu;
// The name of an error, whose E is no part of its first word.
const CONSTANT = /^E([A-Z0-9]+)[A-Z0-9_]*$/;

const toLowerCase = (word: string): string => word.toLowerCase();

/**
 * The words in a name or a sentence, in lower case, each once: `MintCapability` has the words mintcapability, mint and
 * capability, `EPOOL_EXISTS` those of a constant (epool, exists, pool), `swap_exact_in` swap, exact and in.
 */
export function wordsOf(text: string): string[] {
  const words = (text.match(WORD) ?? []).flatMap((run) => {
    const parts = run.split(CAMEL);
    return parts.length > 1 ? [run, ...parts] : parts;
  });
  const constant = CONSTANT.exec(text)?.[1];
  return [...new Set([...words, ...(constant === undefined ? [] : [constant])].map(toLowerCase))];
}

/** The runs of letters and digits in a text, in lower case. */
export function runsOf(text: string): string[] {
  return (text.match(WORD) ?? []).map(toLowerCase);
}
