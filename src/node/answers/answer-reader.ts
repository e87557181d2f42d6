import type { JsonBounds } from "../../base/json.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { RawAnswer } from "../http/transport.ts";
import { mediaTypes } from "../protocol/encodings.ts";
import { type Answer, isInferred, type LedgerHead, readCursor, readLedgerHead } from "../protocol/ledger-head.ts";
import { AnswerFault } from "../protocol/node-error.ts";
import { errorAnswer, isErrorBody, isHtml, mediaType } from "./error-answer.ts";
import { canFollow, isPossible, type ObservedHead } from "./index-answer.ts";
import { parseJsonBody } from "./json-shape.ts";

/** How the data of one operation is read from either encoding. */
export type Shape<T> = { readonly json: (json: unknown) => T; readonly bcs: (body: Uint8Array) => T };

export type Data<T> = { readonly answer: Answer<T>; readonly cursor: string | undefined };

type ReaderOptions = { readonly clock: Clock; readonly chainId: number | undefined; readonly jsonBounds: JsonBounds };

/** Turns answers into data or faults, and checks what all answers must agree on: the chain, and a head that does not leap. */
export function openAnswerReader({ clock, chainId, jsonBounds }: ReaderOptions) {
  let believed: ObservedHead | undefined;
  let wantedChainId = chainId;
  let lastHead: LedgerHead | undefined;
  let onHead: (head: LedgerHead) => void = () => {};

  function readHead(raw: RawAnswer): LedgerHead | undefined {
    let head: LedgerHead | undefined;
    try {
      head = readLedgerHead(raw.headers);
    } catch (fault) {
      // Bad headers spoil data; on an error the error itself says more.
      if (raw.status === 200) throw fault;
    }
    if (!head) return undefined;
    wantedChainId ??= head.chainId;
    if (head.chainId !== wantedChainId) {
      throw new AnswerFault("wrong_chain", `chain ${wantedChainId} was wanted, and chain ${head.chainId} answered`, { status: raw.status });
    }
    const observed = { head, nowMs: clock.now(), atMs: clock.monotonic() };
    if (!isPossible(observed) || (believed !== undefined && !canFollow(believed, observed))) {
      if (raw.status !== 200) return undefined;
      const found = `the answer says that the newest ledger version is ${head.ledgerVersion}, at ${head.timestampUsec} µs since 1970`;
      throw new AnswerFault("bad_answer", `${found}: a leap that no ledger makes`, { status: raw.status });
    }
    believed = observed;
    lastHead = head;
    onHead(head);
    return head;
  }

  return {
    /** Data about ledger state: with all ledger headers, in the encoding that its own content type names. */
    readData: <T>(raw: RawAnswer, shape: Shape<T>): Data<T> => {
      const head = readHead(raw);
      if (isInferred(raw.headers)) throw new AnswerFault("inferred", "its headers say so", { status: raw.status });
      if (raw.status !== 200) throw errorAnswer(raw, head, clock.now());
      const type = mediaType(raw.headers);
      if (type !== mediaTypes.bcs && type !== mediaTypes.json) {
        if (isHtml(raw)) throw errorAnswer(raw, undefined, clock.now());
        throw new AnswerFault("bad_answer", `the content type is \`${type}\``, { status: raw.status });
      }
      const json = type === mediaTypes.json ? parseJsonBody(raw.body, jsonBounds) : undefined;
      if (isErrorBody(json)) throw errorAnswer(raw, head, clock.now());
      if (!head) throw new AnswerFault("bad_answer", "the answer carries no ledger headers (is this a ledger node?)", { status: 200 });
      const cursor = readCursor(raw.headers);
      const encoding = type === mediaTypes.bcs ? "bcs" : "json";
      const value = encoding === "bcs" ? shape.bcs(raw.body) : shape.json(json);
      return { answer: { value, head, encoding }, cursor };
    },
    /** The head of the latest answer that carried one. */
    lastHead: (): LedgerHead | undefined => lastHead,
    /** Calls back with the head of every answer from now on, errors included. One listener at a time. */
    onHead: (listener: (head: LedgerHead) => void): void => {
      onHead = listener;
    },
  };
}
