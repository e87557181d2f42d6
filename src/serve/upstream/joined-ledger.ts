import type { ArchiveHead } from "../../archive/read/archive-head.ts";
import type { Response } from "../http/answer.ts";
import { type BodyFormat, contentTypes } from "../http/content-types.ts";
import { headerPrefixes } from "../http/ledger-headers.ts";
import { type IndexFields, indexBcs } from "../operations/service-info.ts";

/**
 * The ledger headers of a node's answer with the archive's oldest version where that is older: together they can be asked
 * for both. Headers that are missing stay so.
 */
export function joinHeaders(headers: Response["headers"], archive: ArchiveHead | undefined): Response["headers"] {
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
export function joinIndex(body: Buffer, format: BodyFormat, archive: ArchiveHead | undefined): Pick<Response, "body"> & { type: string } {
  const fields = JSON.parse(body.toString("utf8")) as IndexFields;
  const isOlder = archive !== undefined && isAbove(fields.oldest_ledger_version, archive.oldest);
  const oldest = isOlder
    ? { oldest_ledger_version: String(archive.oldest), oldest_block_height: String(archive.oldestBlockHeight) }
    : undefined;
  const joined = { ...fields, ...oldest };
  return { body: format === "bcs" ? indexBcs(joined) : Buffer.from(JSON.stringify(joined)), type: contentTypes[format] };
}

function isAbove(text: string | undefined, version: bigint): boolean {
  return text !== undefined && /^[0-9]{1,20}$/.test(text) && BigInt(text) > version;
}
