/** One of those who share a rate, in thousandths of a request a second. */
export type RateClaim = { readonly limitMilli: number; readonly wantsMilli: number; readonly grantedMilli: number };

/**
 * What one of several may send of a shared rate: an equal part, and of what others do not want too, but never more than the
 * grants held now leave. The newcomer's part comes as others renew. The smallest limit counts.
 */
export function shareOf(mine: Omit<RateClaim, "grantedMilli">, others: readonly RateClaim[]): number {
  const limit = Math.min(mine.limitMilli, ...others.map(({ limitMilli }) => limitMilli));
  const held = others.reduce((sum, { grantedMilli }) => sum + grantedMilli, 0);
  const part = equalPart(limit, mine.wantsMilli, [mine.wantsMilli, ...others.map(({ wantsMilli }) => wantsMilli)]);
  return Math.max(0, Math.min(Math.floor(part), limit - held));
}

/** The max-min fair part: whoever wants less than an equal part gets what it wants, and the rest is divided among the others. */
function equalPart(limit: number, wants: number, all: readonly number[]): number {
  let [left, count] = [limit, all.length];
  for (const want of [...all].sort((a, b) => a - b)) {
    if (want * count > left) break;
    left -= want;
    count -= 1;
  }
  return count === 0 ? wants : Math.min(wants, left / count);
}
