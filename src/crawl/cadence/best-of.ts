/** How to tell what is best: `compare` as for sorting, best first; `costOf` a positive number; `limit` what the best may cost together. */
export type BestOfOptions<T> = {
  readonly limit: number;
  readonly costOf: (item: T) => number;
  readonly compare: (a: T, b: T) => number;
};

/** So many are gathered beyond those kept before they are sorted again: a sort then costs little for each. */
const GATHERED_MIN = 1000;

/**
 * The best of any number of things: the first ones of their order whose costs together reach a limit, as sorting all of them would give. Memory grows
 * with the limit, not with what is offered. Of equal ones the earlier comes first.
 */
export class BestOf<T> {
  readonly #options: BestOfOptions<T>;
  #items: T[] = [];
  /** How many at the beginning are in order. */
  #sorted = 0;
  /** Whether those in order reach the limit, so that what is no better than the last of them is none of the best. */
  #isFull = false;

  constructor(options: BestOfOptions<T>) {
    this.#options = options;
  }

  offer(item: T): void {
    const worst = this.#items[this.#sorted - 1];
    // Full without any: the limit allows for none.
    if (this.#isFull && (worst === undefined || this.#options.compare(item, worst) >= 0)) return;
    this.#items.push(item);
    if (this.#items.length >= 2 * this.#sorted + GATHERED_MIN) this.#sort();
  }

  /** The best so far, best first. */
  ranked(): readonly T[] {
    this.#sort();
    return this.#items;
  }

  #sort(): void {
    const { limit, costOf, compare } = this.#options;
    this.#items.sort(compare);
    let cost = 0;
    let kept = 0;
    while (kept < this.#items.length && cost < limit) cost += costOf(this.#items[kept++] as T);
    this.#items.length = kept;
    this.#sorted = kept;
    this.#isFull = cost >= limit;
  }
}
