/** More cookies, and longer ones, than a load balancer needs are not kept. */
const COOKIES_MAX = 8;
const LENGTH_MAX = 4096;

/** What a cookie may consist of (RFC 6265, section 4.1.1): nothing that could end the header or begin another. */
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const VALUE = /^[!#-+\--:<-[\]-~]*$/;

/**
 * Keeps a load balancer's cookies (`AWSALB` …), so that a night sees one node (node-contract, section 11.3). They go to the
 * origin that set them, last for the run, and are neither stored nor logged.
 */
export class StickyCookies {
  readonly #cookies = new Map<string, string>();
  /** The `cookie` header of the next request; undefined while there are no cookies. */
  header: string | undefined;

  /** Keeps the cookies of an answer's `set-cookie` headers. */
  keep(setCookie: string | readonly string[] | undefined): void {
    if (setCookie === undefined) return;
    for (const text of typeof setCookie === "string" ? [setCookie] : setCookie.slice(0, COOKIES_MAX)) this.#set(text);
    this.header = this.#cookies.size === 0 ? undefined : [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  #set(text: string): void {
    const [, name = "", value = "", attributes = ""] = /^([^=;]*)=([^;]*)(.*)$/s.exec(text) ?? [];
    const cookie = { name: name.trim(), value: value.trim() };
    if (text.length > LENGTH_MAX || !NAME.test(cookie.name) || !VALUE.test(cookie.value)) return;
    // A server deletes a cookie by sending it empty, mostly with a date of 1970; a balancer's is never empty.
    const isDeleted = cookie.value === "" || /;\s*max-age\s*=\s*(-|0+\s*(;|$))/i.test(attributes);
    if (isDeleted) this.#cookies.delete(cookie.name);
    else if (this.#cookies.has(cookie.name) || this.#cookies.size < COOKIES_MAX) this.#cookies.set(cookie.name, cookie.value);
  }
}
