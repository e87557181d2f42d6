import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseAddress } from "../../../src/core/move/address.ts";
import { ManualClock, nodeAnswers, rawRequest, temporaryDirectory } from "../../support/index.ts";
import { type RecordedAnswer, readAnswers, replayNode } from "./support/replayed-node.ts";
import { crawl, type ServedTest, serveDatabase } from "./support/served-archive.ts";

const HELD = ["5", "60", "110", "260"];
const answers = nodeAnswers === undefined ? [] : readAnswers(nodeAnswers);
/** The accounts of whose modules enough was recorded to crawl them. */
const accounts = answers
  .filter(({ status, request }) => status === 200 && request.headers["accept"] === "application/x-bcs")
  .flatMap(({ request }) => /^\/v1\/accounts\/(0x[0-9a-f]+)\/modules\?ledger_version=5(?:&limit=3)?$/.exec(request.path)?.[1] ?? [])
  .filter((address, index, all) => all.indexOf(address) === index);

/** Answers that an archive cannot or does not mean to give: see docs/serve.md. */
function isMeant({ request: { path, headers }, status, body }: RecordedAnswer): boolean {
  const [where = "", query = ""] = path.split("?");
  if (/^\/v1\/(?:info|spec)/.test(where) || headers["origin"] !== undefined) return true;
  // No URI: the node's HTTP library answers, without a body.
  if (where.includes("<")) return true;
  const isAnswer = status < 400 || /module_not_found|invalid_input/.test(body.toString("latin1"));
  if (!isAnswer || !where.startsWith("/v1/accounts/")) return status === 410;
  const address = parseAddress(decodeURIComponent(decodeURIComponent(where.split("/")[3] ?? "")));
  const version = new URLSearchParams(query.replaceAll("%5F", "_")).get("ledger_version");
  return !accounts.some((known) => parseAddress(known) === address) || !(version === null || HELD.includes(version));
}

describe.skipIf(nodeAnswers === undefined)("serve beside the recorded answers of a real node (skipped where they are not there)", () => {
  const place = temporaryDirectory();
  let served: ServedTest;
  beforeAll(async () => {
    await using node = await replayNode(answers);
    const db = place.file("real.db");
    for (const version of HELD) {
      const summary = await crawl(db, node.url, accounts, { version: BigInt(version) });
      expect(summary).toMatchObject({ status: "sealed", gaps: 0 });
    }
    // Ten seconds after the head.
    const clock = new ManualClock({ startMs: 1_795_399_347_908 });
    served = await serveDatabase(db, { generation: "B", clock });
  });
  afterAll(() => served?.[Symbol.asyncDispose]());

  test("each answer that it means to give is the node's, byte for byte", async () => {
    const compared = { same: 0, meant: 0 };
    const wrong: unknown[] = [];
    for (const recorded of answers) {
      if (isMeant(recorded)) {
        compared.meant += 1;
        continue;
      }
      const { method, path, headers } = recorded.request;
      const ours = await rawRequest(served.origin, { method, path, headers: { ...headers } });
      const [a, b] = [seen(ours.status, ours.headers, ours.body), seen(recorded.status, recorded.headers, fromFive(recorded))];
      if (b !== "later" && JSON.stringify(a) !== JSON.stringify(b)) wrong.push([method, path, headers, a, b]);
      else compared.same += 1;
    }
    expect(wrong).toEqual([]);
    expect(compared).toEqual({ same: 1228, meant: 45 });
  });
});

/** A body as a node would send it whose oldest version is 5, in block 2. */
function fromFive({ request, body }: RecordedAnswer): Buffer {
  if (!/^\/v1\/?(?:\?|$)/.test(request.path)) return body;
  const text = body.toString("latin1");
  const bcs = text.replace("\u00010", "\u00015").replace("\u00010", "\u00012");
  const json = text
    .replace('"oldest_ledger_version":"0"', '"oldest_ledger_version":"5"')
    .replace('"oldest_block_height":"0"', '"oldest_block_height":"2"')
    .replace(/"git_hash":"\w+"/, '"git_hash":"movedex-0.0.0"');
  return Buffer.from(text.startsWith("{") ? json : bcs, "latin1");
}

function seen(status: number, headers: Readonly<Record<string, unknown>>, body: Uint8Array): unknown {
  const kept = Object.entries(headers).filter(([name]) => name === "content-type" || name.startsWith("x-aptos-"));
  const oldest = { "x-aptos-ledger-oldest-version": "5", "x-aptos-oldest-block-height": "2" };
  const compared = Object.fromEntries(kept.sort());
  // Some were recorded when the node's head had moved on.
  if (compared["x-aptos-ledger-version"] !== undefined && compared["x-aptos-ledger-version"] !== "260") return "later";
  return [status, "x-aptos-oldest-block-height" in compared ? { ...compared, ...oldest } : compared, Buffer.from(body).toString("latin1")];
}
