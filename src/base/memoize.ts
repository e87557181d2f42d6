/** Keeps the answers of a question, at most `most` of them, and asks again only what it has no answer for, or what failed. */
export function memoize<Asked extends readonly unknown[], Answer>(
  most: number,
  keyOf: (...asked: Asked) => string,
  ask: (...asked: Asked) => Promise<Answer>,
): (...asked: Asked) => Promise<Answer> {
  const known = new Map<string, Promise<Answer>>();
  return (...asked) => {
    const key = keyOf(...asked);
    const before = known.get(key);
    if (before !== undefined) return before;
    const answer = ask(...asked);
    if (known.size >= most) known.clear();
    known.set(key, answer);
    answer.catch(() => known.delete(key));
    return answer;
  };
}
