import type { Address } from "../../move/address.ts";
import type { Store } from "../../work/store.ts";

/** The accounts of a scope to read at a version. Between two snapshots they are the same, so they are remembered until one is sealed. */
export class OpenAccounts {
  readonly #store: Store;
  readonly #scope: readonly Address[];
  #maxApart: bigint | undefined;
  readonly #byGap = new Map<bigint | undefined, readonly Address[]>();
  #sealed: readonly bigint[] | undefined;

  constructor(store: Store, scope: readonly Address[], maxApart: bigint | undefined) {
    this.#store = store;
    this.#scope = scope;
    this.#maxApart = maxApart;
  }

  /** How many versions the two snapshots may be apart between which an account is inferred. */
  get maxApart(): bigint | undefined {
    return this.#maxApart;
  }

  async at(version: bigint): Promise<readonly Address[]> {
    if ((await this.#store.findPin(version)) !== undefined) return this.#store.openAccounts(version, this.#scope, this.#maxApart);
    this.#sealed ??= await this.#store.sealedVersions();
    const before = this.#sealed.findLast((sealed) => sealed < version);
    const known = this.#byGap.get(before);
    if (known !== undefined) return known;
    const open = await this.#store.openAccounts(version, this.#scope, this.#maxApart);
    this.#byGap.set(before, open);
    return open;
  }

  /** From now on accounts are inferred between snapshots this far apart. */
  inferWithin(maxApart: bigint | undefined): void {
    this.#maxApart = maxApart;
    this.forget();
  }

  /** After a snapshot was sealed or extended. */
  forget(): void {
    this.#sealed = undefined;
    this.#byGap.clear();
  }
}
