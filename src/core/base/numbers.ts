export const U64_MAX = 0xffff_ffff_ffff_ffffn;

/** The largest ledger version that movedex accepts: what a signed 64-bit column can hold. */
export const LEDGER_VERSION_MAX = 0x7fff_ffff_ffff_ffffn;

const DECIMAL = /^(?:0|[1-9][0-9]{0,19})$/;

/**
 * Decimal text to a u64, or undefined when it is not one: sign, leading zero, blank, fraction or a value above 2^64 - 1.
 * Ledger versions, sequence numbers and headers go through here, since Number() is wrong above 2^53.
 */
export function parseU64(text: string): bigint | undefined {
  if (!DECIMAL.test(text)) return undefined;
  const value = BigInt(text);
  return value <= U64_MAX ? value : undefined;
}

/** Numbers from 0 up to 1 that look random and are the same for the same seed (mulberry32): for drawing samples, not for secrets. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}
