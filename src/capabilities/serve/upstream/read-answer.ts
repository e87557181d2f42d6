import { parseU64 } from "../../../core/base/numbers.ts";
import { printable } from "../../../core/base/printable.ts";
import { isErrorBody, mediaType } from "../../../core/node/answers/answer-reader.ts";
import { moduleFromJson, modulesFromBcs, modulesFromJson } from "../../../core/node/answers/module-answer.ts";
import {
  accountFromBcs,
  accountFromJson,
  asObject,
  indexFromBcs,
  indexFromJson,
  parseJsonBody,
  readBcsBody,
  readText,
  u64Field,
} from "../../../core/node/answers/shapes.ts";
import { nodeLimits } from "../../../core/node/http/body.ts";
import type { RawAnswer } from "../../../core/node/http/transport.ts";
import { firstOf, type Headers, mediaTypes, readCursor, readLedgerHead } from "../../../core/node/protocol/ledger-head.ts";
import { AnswerFault } from "../../../core/node/protocol/node-error.ts";
import { type Answer, contentTypes, jsonBody } from "../http/answer.ts";
import { sourceHeaders } from "../http/headers.ts";
import type { BodyFormat } from "../http/negotiation.ts";
import { readAddress } from "../operations/parameters.ts";

const TROUBLE = ["internal_error", "health_check_failed", "overloaded", "node_not_bootstrapped", "rate_limited", "api_disabled"];

/**
 * The errors of the read operations by status. An answer of status 200 with an error is one of a node that panicked. Source:
 * node-contract, sections 7.2 and 7.5.
 */
const codes: Readonly<Record<number, readonly string[]>> = {
  200: TROUBLE,
  400: ["web_framework_error", "invalid_input"],
  404: ["version_not_found", "account_not_found", "module_not_found", "web_framework_error"],
  410: ["version_pruned", "block_pruned"],
  429: ["rate_limited"],
  500: TROUBLE,
  503: TROUBLE,
};

const MESSAGE_LENGTH = 2000;

/**
 * The fields of a body that is an error which the API defines for its status; undefined for anything else. Only these fields and
 * codes are ever passed on. A field that gateways add to a pruned version: node-contract, section 11.1.
 */
function errorFields(status: number, json: unknown) {
  if (typeof json !== "object" || json === null) return undefined;
  const { message, error_code, vm_error_code, oldest_ledger_version: oldest } = json as Readonly<Record<string, unknown>>;
  if (typeof message !== "string" || typeof error_code !== "string" || !codes[status]?.includes(error_code)) return undefined;
  const vmErrorCode = Number.isSafeInteger(vm_error_code) ? (vm_error_code as number) : null;
  const isOldest = status === 410 && typeof oldest === "string" && parseU64(oldest) !== undefined;
  const fields = { message: printable(message, MESSAGE_LENGTH), error_code, vm_error_code: vmErrorCode };
  return { ...fields, ...(isOldest ? { oldest_ledger_version: oldest } : {}) };
}

/** Reads an answer to find out whether it is one; throws AnswerFault if it is not. `parts` are the open segments of the path. */
type Shape = {
  readonly json: (json: unknown) => unknown;
  readonly bcs: (body: Uint8Array, parts: readonly string[]) => unknown;
};

/** The node's own bound on a page. */
const PAGE_MODULES = 9999;
const MAGIC = "a11ceb0b";

/** What a node answers, by the route's name. */
const answerShapes: Readonly<Record<string, Shape>> = {
  index: {
    json: (json) => {
      indexFromJson(json);
      for (const name of ["epoch", "ledger_timestamp", "oldest_block_height", "block_height"]) u64Field(asObject(json, "the index"), name);
    },
    bcs: indexFromBcs,
  },
  account: { json: accountFromJson, bcs: accountFromBcs },
  modules: {
    json: modulesFromJson,
    bcs: (body, [address]) => modulesFromBcs(body, readAddress(address as string), PAGE_MODULES),
  },
  module: { json: moduleFromJson, bcs: assertBytecode },
  // The fields differ from node to node, and are of any type.
  info: { json: (json) => asObject(json, "the description"), bcs: () => refuse("the description") },
  healthy: {
    json: (json) => (typeof asObject(json, "the health")["message"] === "string" ? undefined : refuse("the health")),
    bcs: (body) => readBcsBody(body, readText),
  },
};

function assertBytecode(body: Uint8Array): void {
  if (Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, MAGIC.length / 2)).toString("hex") !== MAGIC) refuse("the module");
}

function refuse(what: string): never {
  throw new AnswerFault("bad_answer", `${what} has another form`);
}

/** What an answer's headers say: of the ledger, and of the answer. */
type Facts = Pick<Answer, "head" | "cursor" | "observedAt" | "headers">;

/** A node's answer that says nothing about what was asked, so that an archive may answer instead. */
export type Refusal = Facts & {
  readonly status: number;
  readonly fields: NonNullable<ReturnType<typeof errorFields>>;
  /** What it means, in our words. */
  readonly why: string;
  /** The node's own trouble, such as overload or a refused key; false for pruned and unknown versions. */
  readonly isTrouble: boolean;
};

/** A node's answer once it is known what it is: an error that an archive may stand in for, or what to pass on. */
export type ReadAnswer = { readonly refusal: Refusal } | { readonly answer: Answer };

export type Asked = {
  /** The route's name. */
  readonly name: string;
  readonly parts: readonly string[];
  readonly format: BodyFormat;
};

/**
 * Reads an answer. Only data of the form that was asked for is passed on as it is, under a content type of our own; an error is written
 * anew from its fields; and nothing in which `holdsSecret` finds the operator's credential leaves.
 */
export function readAnswer(asked: Asked, { status, headers, body }: RawAnswer, holdsSecret: (bytes: Uint8Array) => boolean): ReadAnswer {
  // The operator's credential is refused: none of a client's business.
  if (status === 401 || status === 403) return noAnswer(`the node refuses this service (status ${status})`);
  if (!Object.hasOwn(codes, status)) return noAnswer(`the node answered with status ${status}, which its API does not define`);
  const type = mediaType(headers);
  const json = type === mediaTypes.json ? ifFormed(() => parseJsonBody(body, nodeLimits.json)) : undefined;
  const fields = errorFields(status, json);
  const isData = status === 200 && fields === undefined;
  const facts: Facts | undefined = ifFormed(() => factsIn(headers)) ?? (isData ? undefined : { headers: SOURCE });
  if ([body, Buffer.from(`${facts?.cursor} ${facts?.headers?.["retry-after"]}`)].some(holdsSecret))
    return noAnswer("the node repeats this service's credential");
  return isData ? readData(asked, type, json, body, facts) : readError(status, fields, facts ?? {});
}

const SOURCE = { [sourceHeaders.source]: "upstream" };

/** @throws AnswerFault for headers of another form, of which the cursor is passed on as it is, and needs no encoding */
function factsIn(headers: Headers): Facts {
  const head = readLedgerHead(headers);
  // The node may be an archive itself: what it inferred must not pass for observed.
  const observed = firstOf(headers[sourceHeaders.observedAt]) ?? "";
  // Seconds or a date.
  const wait = /^[0-9A-Za-z:, ]{1,40}$/.exec(firstOf(headers["retry-after"]) ?? "")?.[0];
  return {
    head: head && { ...head, newest: head.ledgerVersion, oldest: head.oldestVersion },
    cursor: readCursor(headers),
    observedAt: /^[0-9]{1,20}(?:, [0-9]{1,20})?$/.test(observed) ? observed.split(", ").map(BigInt) : undefined,
    headers: { ...SOURCE, ...(wait === undefined ? {} : { "retry-after": wait }) },
  };
}

function readData({ name, parts, format }: Asked, type: string, json: unknown, body: Uint8Array, facts: Facts | undefined): ReadAnswer {
  const shape = answerShapes[name];
  if (shape === undefined || type !== mediaTypes[format]) return noAnswer("the server is not a ledger node");
  if (isErrorBody(json)) return noAnswer("the node answered with an error that its API does not define");
  const isFormed = ifFormed(() => [format === "bcs" ? shape.bcs(body, parts) : shape.json(json)]) !== undefined;
  if (facts === undefined || !isFormed) return noAnswer("the node's answer is cut off, or not what its API defines");
  return { answer: { status: 200, contentType: contentTypes[format], body, cacheRule: "revalidate", ...facts } };
}

/** What an error means. The node's own words are kept where it gave the error that its API defines. */
function readError(status: number, found: Refusal["fields"] | undefined, facts: Facts): ReadAnswer {
  const refuse = (as: number, code: string, why: string, isTrouble: boolean): ReadAnswer => {
    const fields = found ?? { message: why, error_code: code, vm_error_code: null };
    return { refusal: { ...facts, status: as, fields, why, isTrouble } };
  };
  if (status === 410) return refuse(status, "version_pruned", "the node has pruned that version", false);
  if (status === 429) return refuse(status, "rate_limited", "the node allows no more requests for now", true);
  if (status === 200) return refuse(500, "internal_error", "the node answered with an error", true);
  if (status >= 500) return refuse(status, "internal_error", `the node is in trouble (status ${status})`, true);
  if (found?.error_code === "version_not_found") return refuse(status, found.error_code, "the node does not have that version", false);
  if (found === undefined) return noAnswer(`the node answered with status ${status}, and no error that its API defines`);
  const contentType = found.error_code === "web_framework_error" ? contentTypes.frameworkJson : contentTypes.json;
  return { answer: { status, contentType, body: jsonBody(found), cacheRule: "no_store", ...facts } };
}

/** No answer that counts. `why` names no address and no other request. */
export function noAnswer(why: string, message = why, headers: Answer["headers"] = SOURCE): { readonly refusal: Refusal } {
  const fields = { message, error_code: "internal_error", vm_error_code: null };
  return { refusal: { status: 503, headers, fields, why, isTrouble: true } };
}

function ifFormed<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof AnswerFault) return undefined;
    throw error;
  }
}
