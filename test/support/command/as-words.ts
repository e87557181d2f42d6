/** What may stand in `asWords`: one word, or several. */
type Value = string | number | bigint | readonly string[];

/**
 * The words of a command line or a list, parted by white space: asWords`sync --db ${db} ${more}`. A value that stands alone is a word as it
 * is, spaces included, and a list is as many words as it has; a value beside other letters is part of their word. A backslash is a letter
 * like any other: it escapes nothing.
 */
export function asWords({ raw: texts }: TemplateStringsArray, ...values: readonly Value[]): string[] {
  const found: string[] = [];
  let isOpen = false;
  const add = (word: string): void => {
    if (isOpen) found.push(`${found.pop()}${word}`);
    else found.push(word);
    isOpen = true;
  };
  for (const [i, text] of texts.entries()) {
    for (const part of text.split(/(\s+)/)) {
      if (/^\s+$/.test(part)) isOpen = false;
      else if (part !== "") add(part);
    }
    const value = values[i];
    if (Array.isArray(value)) found.push(...(value as readonly string[]));
    else if (value !== undefined) add(`${value as string | number | bigint}`);
  }
  return found;
}
