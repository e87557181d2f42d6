import type { ArchiveHead } from "../archive-head.ts";
import { type Answer, type BodyFormat, contentTypes, jsonBody, ParameterError } from "../http/answer.ts";
import { headerPrefixes, sourceHeaders } from "../http/headers.ts";
import { negotiateFormat } from "../http/negotiation.ts";
import { pack } from "../http/send.ts";
import type { Service } from "../operations/service.ts";
import { type IndexFields, indexBcs } from "../operations/service-operations.ts";
import type { ApiRequest, Responder } from "../responder.ts";
import type { Refusal } from "./read-answer.ts";
import type { Upstream } from "./upstream.ts";

type Headers = Readonly<Record<string, string>>;

/** Routes that a node is asked for in JSON whatever the client takes: the index is made anew from it, and the description has no BCS. */
const JSON_ONLY = ["index", "info"];

/**
 * Answers in front of a node. What the archive observed comes from it; all else from the node, and from the archive what the node
 * refuses or does not answer. Else the error is the node's, with the versions held. `head` is the archive's, undefined while nothing is
 * sealed.
 */
export function withUpstream(
  archive: Responder,
  upstream: Upstream,
  head: () => Promise<ArchiveHead | undefined>,
  { heavyWork }: Pick<Service, "heavyWork">,
): Responder {
  const passOn = async (request: ApiRequest, answer: Answer): Promise<Answer> => {
    const own = await head();
    const isIndex = request.name === "index" && answer.status === 200;
    const index = isIndex ? joinIndex(answer.body, negotiateFormat(request.headers.accept), own) : {};
    const joined = { ...answer, headers: joinHeaders(answer.headers ?? {}, own), ...index, operation: "upstream" };
    return await pack(joined, request, heavyWork);
  };

  return async (request) => {
    const path = nodePathOf(request);
    if (path === undefined) return archive(request);
    const pinned = request.query("ledger_version") === undefined ? undefined : await archive(request);
    if (pinned !== undefined && hasAnswer(pinned) && (pinned.observedAt?.length ?? 1) === 1) return pinned;
    const { name, parts, headers, signal } = request;
    const format = JSON_ONLY.includes(name) ? "json" : negotiateFormat(headers.accept);
    const result = await upstream.ask({ name, parts, format, path, headers, signal }, (answer) => passOn(request, answer));
    if ("answer" in result) return result.answer;
    const own = pinned ?? (await archive(request));
    return hasAnswer(own) ? own : neither(result.refusal, own, await head());
  };
}

/**
 * The node's path for the same operation. Undefined for our own operations, and for invalid parameters, which the archive refuses in the
 * node's words.
 */
function nodePathOf({ nodePath, parts, query }: ApiRequest): string | undefined {
  try {
    return nodePath?.({ parts, query });
  } catch (error) {
    if (error instanceof ParameterError) return undefined;
    throw error;
  }
}

/** Whether the archive knows, rather than lacks, what was asked. */
function hasAnswer({ status, observedAt }: Answer): boolean {
  return ![403, 404, 410, 503].includes(status) || observedAt !== undefined;
}

/** The error when neither can answer: the node's, or one that says why there is none, with what the archive holds instead. */
function neither({ status, headers, fields }: Refusal, own: Answer, archive: ArchiveHead | undefined): Answer {
  if (own.status === 403) return own;
  const nearest = own.headers?.[sourceHeaders.nearestHeld];
  const hint = nearest === undefined ? "" : `; the archive in front of the node holds it at ${nearest.replace(", ", " and ")}`;
  return {
    status,
    contentType: contentTypes.json,
    cacheRule: "no_store",
    headers: { ...joinHeaders(headers, archive), ...(nearest === undefined ? {} : { [sourceHeaders.nearestHeld]: nearest }) },
    body: jsonBody({ ...fields, message: `${fields.message}${hint}` }),
    operation: "upstream",
  };
}

/** A node's ledger headers with the archive's oldest version where that is older, since both can be asked. Missing ones stay missing. */
function joinHeaders(headers: Headers, archive: ArchiveHead | undefined): Headers {
  if (archive === undefined) return headers;
  const joined: Record<string, string> = { ...headers };
  for (const prefix of headerPrefixes) {
    const [version, block] = [`${prefix}ledger-oldest-version`, `${prefix}oldest-block-height`];
    if (!isAbove(headers[version], archive.oldest)) continue;
    joined[version] = String(archive.oldest);
    joined[block] = String(archive.oldestBlockHeight);
  }
  return joined;
}

/** A node's index, read as JSON, with the archive's oldest version where that is older, in the format asked for. */
function joinIndex(body: Uint8Array, format: BodyFormat, archive: ArchiveHead | undefined): Pick<Answer, "body" | "contentType"> {
  const fields = JSON.parse(Buffer.from(body).toString("utf8")) as IndexFields;
  const isOlder = archive !== undefined && isAbove(fields.oldest_ledger_version, archive.oldest);
  const oldest = isOlder
    ? { oldest_ledger_version: String(archive.oldest), oldest_block_height: String(archive.oldestBlockHeight) }
    : undefined;
  const joined = { ...fields, ...oldest };
  return { body: format === "bcs" ? indexBcs(joined) : jsonBody(joined), contentType: contentTypes[format] };
}

function isAbove(text: string | undefined, version: bigint): boolean {
  return text !== undefined && /^[0-9]{1,20}$/.test(text) && BigInt(text) > version;
}
