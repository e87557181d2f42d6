import type { ServeLimits } from "../serve-limits.ts";

/** An answer that is being sent. Times in milliseconds on a monotonic clock. */
type Delivery = { readonly body: Uint8Array; readonly since: number; readonly until: number; readonly cut: () => void };

/** Deliveries older than this may be cut off when the budget is used up. */
const SLOW_MS = 2000;

/** Bodies up to this size are always accepted: the requests that may run at once take 16 MiB at most. */
const SMALL_BYTES = 16 * 1024;

/**
 * Bounds the bytes of answers that clients have not read. Without room the slowest clients are cut off, then a new body is
 * refused unless it is small. Shared bodies count once; too slow a client is cut off too.
 */
export class DeliveryBudget {
  readonly #limits: ServeLimits;
  readonly #onCut: () => void;
  /** Oldest first. */
  readonly #deliveries = new Set<Delivery>();
  readonly #receivers = new Map<Uint8Array, number>();
  #bytes = 0;

  constructor(limits: ServeLimits, onCut: () => void) {
    this.#limits = limits;
    this.#onCut = onCut;
  }

  /** Bytes of the bodies being sent. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Registers a body about to be sent and returns the function to call once it was; undefined when there is no room. @param cut
   * ends the delivery at once @param size how large the answer may become when `body` is not all of it
   */
  begin(body: Uint8Array, nowMs: number, cut: () => void, size = body.length): (() => void) | undefined {
    const receivers = this.#receivers.get(body) ?? 0;
    const isSmall = body.length <= SMALL_BYTES;
    if (!isSmall && receivers === 0 && !this.#hasRoom(body.length) && !this.#makeRoom(body.length, nowMs)) return undefined;
    const { answerMs, answerBytesPerSecond } = this.#limits;
    const delivery = { body, since: nowMs, until: nowMs + answerMs + (size / answerBytesPerSecond) * 1000, cut };
    this.#deliveries.add(delivery);
    if (receivers === 0) this.#bytes += body.length;
    this.#receivers.set(body, receivers + 1);
    return () => this.#end(delivery);
  }

  /** Cuts off all deliveries whose time is over. */
  cutLate(nowMs: number): void {
    for (const delivery of this.#deliveries) if (nowMs > delivery.until) this.#cut(delivery);
  }

  #hasRoom(bytes: number): boolean {
    return this.#bytes + bytes <= this.#limits.deliveryBytes;
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
    const receivers = (this.#receivers.get(body) ?? 1) - 1;
    if (receivers > 0) this.#receivers.set(body, receivers);
    else {
      this.#receivers.delete(body);
      this.#bytes -= body.length;
    }
  }
}
