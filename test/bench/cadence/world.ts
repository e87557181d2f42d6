import { seededRandom } from "../../../src/base/random.ts";
import type { RecordedRelease } from "../../support/recorded-releases.ts";

/** Changes a night of each account of a world. */
export type World = { readonly name: "measured" | "zipf"; readonly rates: readonly number[] };

/**
 * Rates as the recorded releases have them: each module stands for an account, and its changes are counted over the releases in which it was there; one
 * release stands for a week. `count` accounts are drawn from these.
 */
export function measuredRates(releases: readonly RecordedRelease[], count: number, seed: number): number[] {
  const seen = new Map<string, { changes: number; releases: number; last: string }>();
  for (const { modules } of releases) {
    for (const [id, sha256] of modules) {
      const entry = seen.get(id);
      if (entry === undefined) seen.set(id, { changes: 0, releases: 1, last: sha256 });
      else {
        entry.releases += 1;
        if (entry.last !== sha256) entry.changes += 1;
        entry.last = sha256;
      }
    }
  }
  const rates = [...seen.values()].filter((entry) => entry.releases > 1).map((entry) => entry.changes / ((entry.releases - 1) * 7));
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => rates[Math.floor(random() * rates.length)] as number);
}

/** Rates as Zipf's law with exponent 1 has them, in any order: the n-th account changes 1/n as often as the first, all together `perNight` times a night. */
export function zipfRates(count: number, perNight: number, seed: number): number[] {
  const random = seededRandom(seed);
  const sum = Array.from({ length: count }, (_, n) => 1 / (n + 1)).reduce((a, b) => a + b, 0);
  return Array.from({ length: count }, (_, n) => ({ rate: perNight / sum / (n + 1), key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ rate }) => rate);
}
