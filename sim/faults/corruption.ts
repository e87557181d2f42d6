import { parseAddress } from "../../src/core/move/address.ts";
import { type Answer, contentTypes, ledgerHeaders, type SimRequest } from "../http/answer.ts";
import { respond } from "../http/routes.ts";
import type { LedgerInfo } from "../ledger/ledger.ts";
import { moduleStateKey } from "../ledger/state-key.ts";
import type { Fault } from "./fault.ts";

const listingPath = /^\/v1\/accounts\/([^/?]+)\/modules(?:\?|$)/;

/** The answer of a node of another chain: that chain's id is in the headers and the index. */
export function wrongChain(chainId: number): Fault {
  return { name: "corrupt: chain", view: (view) => ({ ...view, info: { ...view.info, chainId } }) };
}

/** Correct data under ledger headers with some wrong values. Answers without ledger headers stay unchanged. */
export function falseHead(change: (info: LedgerInfo) => Partial<LedgerInfo>): Fault {
  return {
    name: "false head",
    answer: (honest, _, { info, settings }) => {
      const answer = honest();
      if (!Object.keys(answer.headers).some((name) => name.endsWith("-chain-id"))) return answer;
      return { ...answer, headers: { ...answer.headers, ...ledgerHeaders({ info: { ...info, ...change(info) }, settings }) } };
    },
  };
}

/** The right answer without the ledger headers (the cursor stays), as behind a gateway that drops headers it does not know. */
export function withoutLedgerHeaders(): Fault {
  return changed("corrupt: no ledger headers", (answer) => ({
    ...answer,
    headers: Object.fromEntries(Object.entries(answer.headers).filter(([name]) => !name.startsWith("x-") || name.endsWith("-cursor"))),
  }));
}

/** The right answer with one ledger header (`ledger-version`, `chain-id`, …) set to another text. */
export function malformedHeader(name: string, value: string): Fault {
  return changed(`corrupt: header ${name}`, (answer) => ({
    ...answer,
    headers: Object.fromEntries(Object.entries(answer.headers).map(([key, old]) => [key, key.endsWith(`-${name}`) ? value : old])),
  }));
}

/** Half of the body, with a length to match. */
export function cutText(): Fault {
  return changed("corrupt: cut text", (answer) => withBody(answer, answer.body.subarray(0, answer.body.length >>> 1)));
}

/** Bytes after the end of a BCS answer. */
export function trailingBytes(): Fault {
  return changedBcs("corrupt: trailing bytes", (body) => Buffer.concat([body, Buffer.of(0, 1, 2)]));
}

/** A BCS answer whose first length is 4,294,967,295. */
export function lyingLength(): Fault {
  return changedBcs("corrupt: lying length", (body) => Buffer.concat([Buffer.from("ffffffff0f", "hex"), body.subarray(1)]));
}

/** A listing whose later pages have the cursor they were asked with, so that it never ends. First pages are right. */
export function stuckCursor(): Fault {
  return onListing("corrupt: stuck cursor", (answer, request) => withCursor(answer, startOf(request)));
}

/** A listing whose last page has the cursor of its second page, so that it never ends. */
export function circularCursor(): Fault {
  const seconds = new Map<string, string>();
  return onListing("corrupt: circular cursor", (answer, request, address) => {
    const cursor = Object.entries(answer.headers).find(([name]) => name.endsWith("-cursor"))?.[1];
    if (startOf(request) === undefined && cursor !== undefined) seconds.set(address, cursor);
    if (startOf(request) === undefined || cursor !== undefined) return answer;
    return withCursor(answer, seconds.get(address));
  });
}

/** A page whose first module comes again at its end: in JSON twice in the list, in BCS twice in the map. Pages of up to 126 modules. */
export function repeatedModule(): Fault {
  return onListing("corrupt: repeated module", (answer, request, _address, askAgain) => {
    const first = askAgain(`${request.target.replace(/([?&])limit=[^&]*/, "$1")}${request.target.includes("?") ? "&" : "?"}limit=1`).body;
    const count = answer.body[0] ?? 0;
    if (answer.headers["content-type"] === contentTypes.bcs) {
      return count === 0 || count > 126
        ? answer
        : withBody(answer, Buffer.concat([Buffer.of(count + 1), answer.body.subarray(1), first.subarray(1)]));
    }
    return answer.body.length <= 2
      ? answer
      : withBody(answer, Buffer.concat([answer.body.subarray(0, -1), Buffer.from(","), first.subarray(1)]));
  });
}

/** A first page without modules, whose cursor is the beginning of the listing: a client that follows it gets everything. */
export function emptyPage(): Fault {
  return onListing("empty page with a cursor", (answer, request, address) => {
    const account = parseAddress(address);
    if (startOf(request) !== undefined || account === undefined || answer.status !== 200) return answer;
    const empty = answer.headers["content-type"] === contentTypes.bcs ? Buffer.of(0) : Buffer.from("[]");
    return withCursor(withBody(answer, empty), moduleStateKey(account, "").toString("hex"));
  });
}

/** A listing of nothing, as a node gives it whose index was lost or is not built. */
export function emptyListing(): Fault {
  return onListing("corrupt: empty listing", (answer) =>
    answer.status === 200
      ? withBody(answer, answer.headers["content-type"] === contentTypes.bcs ? Buffer.of(0) : Buffer.from("[]"))
      : answer,
  );
}

function changed(name: string, change: (answer: Answer) => Answer): Fault {
  return { name, answer: (honest) => change(honest()) };
}

function changedBcs(name: string, change: (body: Uint8Array) => Uint8Array): Fault {
  return changed(name, (answer) => (answer.headers["content-type"] === contentTypes.bcs ? withBody(answer, change(answer.body)) : answer));
}

function onListing(
  name: string,
  change: (answer: Answer, request: SimRequest, address: string, askAgain: (target: string) => Answer) => Answer,
): Fault {
  return {
    name,
    answer: (honest, request, view) => {
      const address = listingPath.exec(request.target)?.[1];
      if (address === undefined) return honest();
      return change(honest(), request, address, (target) => respond(view, { ...request, target }, 0n));
    },
  };
}

function withBody({ cacheKey: _, ...answer }: Answer, body: Uint8Array): Answer {
  return { ...answer, body };
}

function withCursor(answer: Answer, cursor: string | undefined): Answer {
  if (cursor === undefined) return answer;
  const spelled = Object.keys(answer.headers).filter((name) => name.endsWith("-chain-id"));
  return {
    ...answer,
    headers: { ...answer.headers, ...Object.fromEntries(spelled.map((name) => [name.replace("chain-id", "cursor"), cursor])) },
  };
}

function startOf({ target }: SimRequest): string | undefined {
  return /[?&]start=([^&]*)/.exec(target)?.[1];
}
