/** One value at every ledger version. It is written in rising order of versions, and read at any. */
export class Timeline<Value> {
  readonly #versions: bigint[] = [];
  readonly #values: Value[] = [];

  constructor(version?: bigint, value?: Value) {
    if (version !== undefined) this.write(version, value as Value);
  }

  /** Sets the value from `version` on. A second write at one version replaces the first; an earlier version is refused. */
  write(version: bigint, value: Value): void {
    const last = this.#versions.at(-1);
    if (last !== undefined && version < last) throw new RangeError(`history is written forwards: ${version} after ${last}`);
    if (version === last) {
      this.#values[this.#values.length - 1] = value;
      return;
    }
    this.#versions.push(version);
    this.#values.push(value);
  }

  /** The value that stands at `version`: the newest one written at or before it; undefined before the first. */
  at(version: bigint): Value | undefined {
    return this.#values[countBefore(this.#versions, (written) => written <= version) - 1];
  }

  /** A copy with the same past and a future of its own. */
  copy(): Timeline<Value> {
    const copy = new Timeline<Value>();
    copy.#versions.push(...this.#versions);
    copy.#values.push(...this.#values);
    return copy;
  }
}

/** How many items a sorted list begins with of which `isBefore` holds, by halving: the place of the first other one. */
export function countBefore<T>(sorted: readonly T[], isBefore: (item: T) => boolean): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(sorted[middle] as T)) low = middle + 1;
    else high = middle;
  }
  return low;
}
