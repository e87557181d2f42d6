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
