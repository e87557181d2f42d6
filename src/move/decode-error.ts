import { MovedexError } from "../errors.ts";

/**
 * What stopped a decoder. `malformed`: bytes that no version of the format allows. `unsupported`: a version newer than
 * movedex knows, which is no fault of the module. `limit`: well formed, but larger than movedex lets one module grow.
 */
export type DecodeFailure = "malformed" | "unsupported" | "limit";

const codes = {
  malformed: "MOVEDEX_DECODE_MALFORMED",
  unsupported: "MOVEDEX_DECODE_UNSUPPORTED_VERSION",
  limit: "MOVEDEX_DECODE_LIMIT",
} as const satisfies Record<DecodeFailure, string>;

/**
 * Bytes or text from outside that do not say what they should. It is the only error that a decoder lets out.
 * Codes: `MOVEDEX_DECODE_MALFORMED`, `MOVEDEX_DECODE_UNSUPPORTED_VERSION`, `MOVEDEX_DECODE_LIMIT`.
 */
export class DecodeError extends MovedexError {
  /** Where in the input, in bytes from its first; 0 when it is about the input as a whole. */
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
