import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { gunzipSync } from "node:zlib";
import { uleb } from "../../../../sim/ledger/state-key.ts";
import { writeModule } from "../../../../sim/module-writer/module-writer.ts";
import { listening } from "../../../support/scene/listening.ts";

/** One request and what a real node answered to it. */
export type RecordedAnswer = {
  readonly request: { readonly method: string; readonly path: string; readonly headers: Readonly<Record<string, string>> };
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

type Line = Omit<RecordedAnswer, "body"> & { readonly body?: string; readonly body_hex?: string; readonly ledger: string };

/** The answers of the node while nothing was pruned: its head is 260, its oldest version 0. */
export function readAnswers(file: string): RecordedAnswer[] {
  const lines = gunzipSync(readFileSync(file)).toString("utf8").trimEnd().split("\n");
  return lines
    .map((line) => JSON.parse(line) as Line)
    .filter(({ ledger }) => ledger === "whole")
    .map(({ request, status, headers, body, body_hex }) => ({
      request,
      status,
      headers,
      body: body_hex === undefined ? Buffer.from(body ?? "") : Buffer.from(body_hex, "hex"),
    }));
}

/** A node that answers what was recorded, until the end of its scope, and 404 to all else. */
export type ReplayedNode = AsyncDisposable & { readonly url: string };

/**
 * Replays a node for a crawl. Of the listing of 0x1 no more was recorded than its first three modules, the name of the
 * fourth, and `coin`; so a module made up stands for the fourth, and the rest is left out.
 */
export async function replayNode(answers: readonly RecordedAnswer[]): Promise<ReplayedNode> {
  const known = new Map(answers.map((answer) => [keyOf(answer.request.path, answer.request.headers["accept"]), answer]));
  const find = (path: string, accept: string | undefined): RecordedAnswer | undefined => {
    const plain = path.replace(/[?&]limit=[0-9]+$/, "");
    const whole = known.get(keyOf(plain, accept)) ?? known.get(keyOf(`${plain}&limit=10000`, accept));
    if (whole !== undefined || !plain.startsWith("/v1/accounts/0x1/modules?")) return whole;
    const first = known.get(keyOf(`${plain}&limit=3`, accept));
    const coin = known.get(keyOf(plain.replace("modules", "module/coin"), accept));
    if (first === undefined || coin === undefined) return undefined;
    const { "x-aptos-cursor": _, ...headers } = first.headers;
    const more = [entry("cmp", writeModule({ address: "0x1", name: "cmp" })), entry("coin", coin.body)];
    return { ...first, headers, body: Buffer.concat([Buffer.of(5), first.body.subarray(1), ...more]) };
  };
  const server = createServer(({ url = "", headers }, response) => {
    const found = find(url, headers.accept);
    response.writeHead(found?.status ?? 404, found === undefined ? {} : headersToSend(found));
    response.end(found?.body ?? "not recorded");
  });
  const { origin, ...listener } = await listening(server);
  return { ...listener, url: `${origin}/v1` };
}

function keyOf(path: string, accept: string | undefined): string {
  return `${accept?.trim().toLowerCase() === "application/x-bcs" ? "bcs" : "json"} ${path}`;
}

/** An entry of a page in BCS. */
function entry(name: string, code: Uint8Array): Buffer {
  const key = Buffer.from(`0x1::${name}`);
  return Buffer.concat([uleb(key.length), key, uleb(code.length), code]);
}

function headersToSend({ headers, body }: RecordedAnswer): Record<string, string> {
  return { ...headers, "content-length": `${body.length}` };
}
