import fc from "fast-check";
import { expect } from "vitest";
import { seededRandom } from "../../src/core/base/numbers.ts";

/** Random numbers that depend on the seed alone: each call gives the next one, from 0 up to but not including `below`. */
export type Random = (below: number) => number;

/** Such numbers for a seed. */
export function randomBelow(seed: number): Random {
  const random = seededRandom(seed);
  return (below) => Math.floor(random() * below);
}

/**
 * A copy of `bytes` with one to four small faults: a byte replaced, a bit flipped, a byte one higher or lower, a stretch
 * taken out or doubled, the end cut off. Nearly half of the faults hit the first 200 bytes, where tables are laid out.
 */
export function mutate(bytes: Uint8Array, random: Random): Uint8Array {
  let mutant: Uint8Array = Uint8Array.from(bytes);
  for (let faults = 1 + random(4); faults > 0 && mutant.length > 0; faults--) mutant = applyFault(mutant, random);
  return mutant;
}

function applyFault(bytes: Uint8Array, random: Random): Uint8Array {
  const at = random(10) < 4 ? random(Math.min(bytes.length, 200)) : random(bytes.length);
  const byte = bytes[at] as number;
  switch (random(12)) {
    case 0:
      return bytes.slice(0, at);
    case 1:
      return concat(bytes.subarray(0, at), bytes.subarray(at + 1 + random(8)));
    case 2:
      return concat(bytes.subarray(0, at), bytes.subarray(at, at + 1 + random(8)), bytes.subarray(at));
    case 3:
    case 4:
      bytes[at] = byte ^ (1 << random(8));
      return bytes;
    case 5:
    case 6:
    case 7:
      bytes[at] = byte + (random(2) === 0 ? 1 : -1);
      return bytes;
    default:
      bytes[at] = random(256);
      return bytes;
  }
}

function concat(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

/** Makes sure that reading any of these values ends well or in an error of this class. */
export function expectOnlyErrors<T>(
  wanted: abstract new (...args: never[]) => Error,
  values: fc.Arbitrary<T>,
  read: (value: T) => unknown,
  parameters: fc.Parameters<[T]> = {},
): void {
  fc.assert(
    fc.property(values, (value) => {
      try {
        read(value);
      } catch (error) {
        expect(error).toBeInstanceOf(wanted);
      }
    }),
    parameters,
  );
}
