import { parseCookie } from "undici";

/** More than a balancer needs; what goes beyond is not kept. */
const MOST = 8;
const LONGEST = 4096;

/** What may stand in a request's header (RFC 6265, section 4.1.1): nothing that could end it or begin another. */
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const VALUE = /^[!#-+\--:<-[\]-~]*$/;

/**
 * The cookies with which a load balancer keeps a client at one of its nodes (`AWSALB` and the like), so that one night
 * meets one height of the ledger as far as possible (node-contract, section 11.3). They go back to the origin they came
 * from, which is the only one asked, live as long as the run, and are neither stored nor shown.
 */
export class StickyCookies {
  readonly #cookies = new Map<string, string>();
  #header: string | undefined;

  /** The `cookie` header of the next request; undefined while there is nothing to say. */
  get header(): string | undefined {
    return this.#header;
  }

  /** Takes down the `set-cookie` headers of an answer. */
  hear(setCookie: string | readonly string[] | undefined): void {
    if (setCookie === undefined) return;
    for (const text of typeof setCookie === "string" ? [setCookie] : setCookie.slice(0, MOST)) this.#keep(text);
    this.#header = this.#cookies.size === 0 ? undefined : [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  #keep(text: string): void {
    const cookie = text.length > LONGEST ? null : parseCookie(text);
    if (cookie === null || !NAME.test(cookie.name) || !VALUE.test(cookie.value)) return;
    // Whoever takes a cookie back sends it empty, mostly with a date of 1970; a balancer's is never empty.
    const isOver = cookie.value === "" || (cookie.maxAge !== undefined && cookie.maxAge <= 0);
    if (isOver) this.#cookies.delete(cookie.name);
    else if (this.#cookies.has(cookie.name) || this.#cookies.size < MOST) this.#cookies.set(cookie.name, cookie.value);
  }
}
