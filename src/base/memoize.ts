/** A question that is asked once for each of the last answers, which are kept until there are `most` of them. */
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
    return answer;
  };
}
