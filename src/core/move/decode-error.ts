import { MovedexError } from "../errors.ts";

/**
 * Why a decoder stopped. `malformed`: no version of the format allows these bytes. `unsupported`: a version newer than
 * this decoder knows; the module itself may be fine. `limit`: well formed, but larger than movedex accepts.
 */
export type DecodeFailure = "malformed" | "unsupported" | "limit";

const codes = {
  malformed: "MOVEDEX_DECODE_MALFORMED",
  unsupported: "MOVEDEX_DECODE_UNSUPPORTED_VERSION",
  limit: "MOVEDEX_DECODE_LIMIT",
} as const satisfies Record<DecodeFailure, string>;

/**
 * Bytes or text from outside that cannot be decoded; decoders throw nothing else. A module's message is stored and verified, so
 * it must not be reworded. Codes: `MOVEDEX_DECODE_MALFORMED`, `MOVEDEX_DECODE_UNSUPPORTED_VERSION`, `MOVEDEX_DECODE_LIMIT`.
 */
export class DecodeError extends MovedexError {
  /** Offset in bytes from the start of the input; 0 when the error concerns the input as a whole. */
  readonly offset: number;

  constructor(failure: DecodeFailure, problem: string, offset: number | undefined, options: { what?: string; cause?: unknown } = {}) {
    const what = options.what ?? "module";
    super(codes[failure], `${what}: ${problem}${offset === undefined ? "" : `, at byte ${offset}`}`, {
      facts: { what, problem, offset: offset ?? 0 },
      exit: "gaps",
      ...(options.cause === undefined ? {} : { cause: options.cause }),
    });
    this.offset = offset ?? 0;
  }
}

/** What `read` returns; undefined where a decoder stops. */
export function ifDecodable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}
