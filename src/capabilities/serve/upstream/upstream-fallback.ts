import type { ArchiveHead } from "../archive-head.ts";
import { type Answer, contentTypes, jsonBody } from "../http/answer.ts";
import { sourceHeaders } from "../http/headers.ts";
import { type BodyFormat, negotiateFormat } from "../http/negotiation.ts";
import { pack } from "../http/send.ts";
import type { Service } from "../operations/service.ts";
import { type IndexFields, indexBcs } from "../operations/service-operations.ts";
import type { ApiRequest, Responder } from "../responder.ts";
import { nodePathOf } from "../routes.ts";
import type { Refusal } from "./read-answer.ts";
import type { Upstream } from "./upstream.ts";

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
    const joined = { ...answer, head: joinHeads(answer.head, await head()), operation: "upstream" };
    if (request.name !== "index" || answer.status !== 200) return await pack(joined, request, heavyWork);
    return { ...joined, ...joinIndex(answer.body, negotiateFormat(request.headers.accept), joined.head) };
  };

  return async (request) => {
    const path = nodePathOf(request, request);
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

/** Whether the archive knows, rather than lacks, what was asked. */
function hasAnswer({ status, observedAt }: Answer): boolean {
  return ![403, 404, 410, 503].includes(status) || observedAt !== undefined;
}

/** The error when neither can answer: the node's, or one that says why there is none, with what the archive holds instead. */
function neither({ status, fields, head, headers, observedAt }: Refusal, own: Answer, archive: ArchiveHead | undefined): Answer {
  if (own.status === 403) return own;
  const nearest = own.headers?.[sourceHeaders.nearestHeld];
  const held = nearest === undefined ? {} : { [sourceHeaders.nearestHeld]: nearest };
  const hint = nearest === undefined ? "" : `; the archive in front of the node holds it at ${nearest.replace(", ", " and ")}`;
  return {
    status,
    contentType: contentTypes.json,
    cacheRule: "no_store",
    head: joinHeads(head, archive),
    observedAt,
    headers: { ...headers, ...held },
    body: jsonBody({ ...fields, message: `${fields.message}${hint}` }),
    operation: "upstream",
  };
}

/** A node's head with the archive's oldest version where that is older, since both can be asked. */
function joinHeads(node: Answer["head"], archive: ArchiveHead | undefined): Answer["head"] {
  if (node === undefined || archive === undefined || node.oldest <= archive.oldest) return node;
  return { ...node, oldest: archive.oldest, oldestBlockHeight: archive.oldestBlockHeight };
}

/** A node's index, read as JSON, with the oldest version that its headers have now, in the format asked for. */
function joinIndex(body: Uint8Array, format: BodyFormat, head: Answer["head"]): Pick<Answer, "body" | "contentType"> {
  const fields = JSON.parse(Buffer.from(body).toString("utf8")) as IndexFields;
  const oldest = head && { oldest_ledger_version: String(head.oldest), oldest_block_height: String(head.oldestBlockHeight) };
  const joined = { ...fields, ...oldest };
  return { body: format === "bcs" ? indexBcs(joined) : jsonBody(joined), contentType: contentTypes[format] };
}
