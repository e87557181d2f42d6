import type { ServeLimits } from "../serve-limits.ts";

/** An answer on its way to a client. Times in milliseconds on a clock that never goes back. */
type Delivery = { readonly body: Uint8Array; readonly since: number; readonly until: number; readonly cut: () => void };

/** Whoever has taken this long may be cut off when memory is short. */
const SLOW_MS = 2000;

/** Answers up to this size are never refused for others' large ones: as many as may be under way at once take 16 MiB. */
const SMALL_BYTES = 16 * 1024;

/**
 * The answers that clients have not taken yet. Their bytes are bounded: when a further one does not fit, the slowest
 * clients are cut off, and if that does not help the new one is refused, unless it is small. One body that many take counts once. Whoever
 * takes longer than an answer of its size may take is cut off too.
 */
export class Unsent {
  readonly #limits: ServeLimits;
  readonly #onCut: () => void;
  /** In the order of their beginning. */
  readonly #deliveries = new Set<Delivery>();
  readonly #takers = new Map<Uint8Array, number>();
  #bytes = 0;

  constructor(limits: ServeLimits, onCut: () => void) {
    this.#limits = limits;
    this.#onCut = onCut;
  }

  /** Bytes of the answers on their way. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Notes that a body begins to be sent; the result is to be called once that is over. Undefined when there is no room.
   *
   * @param cut ends the delivery at once
   * @param size how large the answer may become when it is not all in `body`
   */
  begin(body: Uint8Array, nowMs: number, cut: () => void, size = body.length): (() => void) | undefined {
    const takers = this.#takers.get(body) ?? 0;
    const isSmall = body.length <= SMALL_BYTES;
    if (!isSmall && takers === 0 && !this.#hasRoom(body.length) && !this.#makeRoom(body.length, nowMs)) return undefined;
    const { answerMs, answerBytesPerSecond } = this.#limits;
    const delivery = { body, since: nowMs, until: nowMs + answerMs + (size / answerBytesPerSecond) * 1000, cut };
    this.#deliveries.add(delivery);
    if (takers === 0) this.#bytes += body.length;
    this.#takers.set(body, takers + 1);
    return () => this.#end(delivery);
  }

  /** Cuts off all whose time is over. */
  cutLate(nowMs: number): void {
    for (const delivery of this.#deliveries) if (nowMs > delivery.until) this.#cut(delivery);
  }

  #hasRoom(bytes: number): boolean {
    return this.#bytes + bytes <= this.#limits.unsentBytes;
  }

  #makeRoom(bytes: number, nowMs: number): boolean {
    for (const delivery of this.#deliveries) {
      if (this.#hasRoom(bytes) || nowMs - delivery.since < SLOW_MS) break;
      this.#cut(delivery);
    }
    return this.#hasRoom(bytes);
  }

  #cut(delivery: Delivery): void {
    this.#onCut();
    this.#end(delivery);
    delivery.cut();
  }

  #end(delivery: Delivery): void {
    if (!this.#deliveries.delete(delivery)) return;
    const { body } = delivery;
    const takers = (this.#takers.get(body) ?? 1) - 1;
    if (takers > 0) this.#takers.set(body, takers);
    else {
      this.#takers.delete(body);
      this.#bytes -= body.length;
    }
  }
}
