import { connect } from "node:net";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect } from "vitest";
import { type Fault, type FaultPlan, faults } from "../../../../sim/index.ts";
import { ManualClock, type RawResponse, rawRequest, test } from "../../../support/index.ts";
import { type FrontOptions, frontScene, jsonOfRaw } from "../support/front.ts";

const { inFront } = await frontScene();

const KEY = "operators-Key-9+/=<&\"'\\%41";
const SCRIPT = "<script>alert(document.domain)</script>";
const harmless = { "content-security-policy": "default-src 'none'; sandbox", "x-content-type-options": "nosniff" };

/** What a node answers to each GET, whatever was asked. */
type Said = { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly body: string | Uint8Array };

function saying({ status = 200, headers = {}, body }: Said, more: Partial<Fault> = {}): FaultPlan {
  const answer = { status, headers: { "content-type": "application/json", ...headers }, body: Buffer.from(body), compressible: false };
  const fault: Fault = { name: "said", answer: () => answer, ...more };
  return { pick: ({ method }) => (method === "GET" ? [fault] : []), unmet: () => [] };
}

const inFrontOf = (said: Said, more?: Partial<Fault>, settings: FrontOptions["settings"] = {}) =>
  inFront({ plan: saying(said, more), apiKey: KEY, settings });

/** An account that nobody holds, a version that nobody observed: the node alone could answer. */
const LACKING = "/accounts/0x77?ledger_version=1399";

describe("a status that the API does not define", () => {
  test.each([201, 202, 206, 226, 400, 401, 402, 404, 405, 406, 409, 413, 415, 418, 422, 451, 501, 502, 504, 511, 520, 599])(
    "%i with a page becomes the API's error in our words",
    async (status) => {
      await using front = await inFrontOf({ status, headers: { "content-type": "text/html" }, body: `<html>${SCRIPT}` });
      for (const path of [LACKING, "/accounts/0x77/modules?ledger_version=1399", "/accounts/0x77/module/x?ledger_version=1399"]) {
        const answer = await front.get(path);
        expect([answer.status, answer.headers["content-type"]]).toEqual([503, "application/json; charset=utf-8"]);
        expect(jsonOfRaw(answer)).toEqual({
          message: expect.stringContaining(`(status ${status})`.slice(1, -1)),
          error_code: "internal_error",
          vm_error_code: null,
        });
        expect(answer.headers).toMatchObject(harmless);
        expect(answer.body.toString()).not.toContain("<");
      }
    },
  );

  test("an error that the API defines is written anew: its three fields, and no header that browsers act on", async () => {
    const body = JSON.stringify({ message: SCRIPT, error_code: "module_not_found", vm_error_code: 7, more: SCRIPT });
    const acting = { "set-cookie": "a=b", refresh: "0;url=//x", link: "<//x>;rel=preload", "content-disposition": "attachment" };
    await using front = await inFrontOf({ status: 404, headers: { ...acting, "content-type": "text/html, application/json" }, body });
    expect((await front.get(LACKING)).status).toBe(503);
    await using second = await inFrontOf({ status: 404, headers: acting, body });
    const answer = await second.get(LACKING);
    expect(answer.status).toBe(404);
    expect(jsonOfRaw(answer)).toEqual({ message: SCRIPT, error_code: "module_not_found", vm_error_code: 7 });
    expect(answer.headers).toMatchObject(harmless);
    for (const name of Object.keys(acting)) expect(answer.headers).not.toHaveProperty(name);
  });

  test("data of another form or type is no answer", async () => {
    const record = JSON.stringify({ sequence_number: "1", authentication_key: `0x${"ab".repeat(32)}` });
    for (const [said, path] of [
      [{ body: record, headers: { "content-type": "text/html" } }, LACKING],
      [{ body: record, headers: { "content-type": "image/svg+xml" } }, LACKING],
      [{ body: JSON.stringify({ sequence_number: SCRIPT, authentication_key: "0x" }) }, LACKING],
      [{ body: SCRIPT }, LACKING],
      [{ body: record }, "/accounts/0x77/modules?ledger_version=1399"],
      [{ body: `{"error_code":"no_such_code","message":"x"}` }, "/info"],
    ] as const) {
      await using front = await inFrontOf(said);
      const answer = await front.get(path);
      if (path === "/info") expect(answer.headers["x-movedex-source"]).toBe("archive");
      else expect([answer.status, jsonOfRaw(answer)["error_code"]], said.body).toEqual([503, "internal_error"]);
    }
    await using good = await inFrontOf({ body: record, headers: { "content-type": "application/json; charset=utf-7" } });
    expect((await good.get(LACKING)).headers["content-type"]).toBe("application/json; charset=utf-8");
  });
});

describe("the operator's key", () => {
  const bearer = `Bearer ${KEY}`;
  const bytes = [...Buffer.from(bearer)].map((byte) => byte.toString(16).padStart(2, "0"));
  const written: Readonly<Record<string, string>> = {
    plain: bearer,
    "upper case": bearer.toUpperCase(),
    "percent-encoded": encodeURIComponent(bearer),
    "percent-encoded twice": encodeURIComponent(encodeURIComponent(bearer)),
    "JSON in JSON": JSON.stringify(JSON.stringify(JSON.stringify(bearer))),
    "escaped letter by letter": [...bearer].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""),
    HTML: [...bearer].map((c) => `&#${c.charCodeAt(0)};`).join(""),
    "HTML entities": bearer.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/"/g, "&quot;").replace(/'/g, "&apos;"),
    base64: Buffer.from(KEY).toString("base64"),
    "base64 of the header": Buffer.from(bearer).toString("base64"),
    "base64 as a password": Buffer.from(`u:${KEY}`).toString("base64"),
    "base64url in lines": (
      Buffer.from(`xx${bearer}`)
        .toString("base64url")
        .match(/.{1,11}/g) ?? []
    ).join("\r\n"),
    hex: Buffer.from(bearer).toString("hex"),
    "hex with colons": bytes.map((byte) => byte.toUpperCase()).join(":"),
    "hex with hyphens": bytes.join("-"),
    "hex of a program": bytes.map((byte) => `0x${byte}`).join(", "),
    "hex in a list": JSON.stringify(bytes),
    "decimal bytes": JSON.stringify([...Buffer.from(bearer)], null, 1),
    "quoted-printable": [...bearer].map((c) => `=${c.charCodeAt(0).toString(16).toUpperCase()}`).join(""),
  };
  const module = (abi: unknown) => ({ bytecode: "0xa11ceb0b", abi });

  test.each(Object.entries(written))("written as %s stays here, in a body of any size", async (_, secret) => {
    for (const padding of [0, 5000, 100_000]) {
      const body = JSON.stringify([module({ name: "a", note: secret }), module({ name: "b", note: "x".repeat(padding) })]);
      await using front = await inFrontOf({ body });
      const answer = await front.get("/accounts/0x77/modules?ledger_version=1399");
      expect([answer.status, jsonOfRaw(answer)["message"]]).toEqual([503, "the node repeats this service's credential"]);
    }
  });

  test("the same bodies without it pass", async () => {
    const body = JSON.stringify([
      module({ name: "a", note: "Bearer of news \\ %41 &lt; \u0041" }),
      module({ name: "b", note: "x".repeat(2e6) }),
    ]);
    await using front = await inFrontOf({ body });
    const answer = await front.get("/accounts/0x77/modules?ledger_version=1399");
    expect([answer.status, answer.body.toString() === body]).toEqual([200, true]);
  });

  test.each([
    ["gzip", gzipSync],
    ["zstd", zstdCompressSync],
    ["gzip, zstd", (body: Buffer) => zstdCompressSync(gzipSync(body))],
  ])("stays here packed by %s", async (encoding, pack) => {
    const body = pack(Buffer.from(JSON.stringify({ sequence_number: "1", authentication_key: "0x00", note: bearer })));
    await using front = await inFrontOf({ body, headers: { "content-encoding": encoding } });
    expect(jsonOfRaw(await front.get(LACKING))["message"]).toBe("the node repeats this service's credential");
  });

  test("stays here in pieces, in BCS and in UTF-16", async () => {
    const record = JSON.stringify({ sequence_number: "1", authentication_key: `0x${"ab".repeat(32)}`, note: bearer });
    await using pieces = await inFrontOf({ body: record }, faults.drip({ pieces: record.length, pauseMs: 0 }));
    expect(jsonOfRaw(await pieces.get(LACKING))["message"]).toBe("the node repeats this service's credential");
    const headers = { "content-type": "application/x-bcs" };
    for (const text of [Buffer.from(bearer), Buffer.from(bearer, "utf16le")]) {
      await using front = await inFrontOf({ body: Buffer.concat([Buffer.from("a11ceb0b", "hex"), text]), headers });
      const answer = await front.get("/accounts/0x77/module/x?ledger_version=1399", { accept: "application/x-bcs" });
      expect(jsonOfRaw(answer)["message"]).toBe("the node repeats this service's credential");
    }
  });

  test.each([200, 201, 400, 401, 404, 410, 418, 429, 451, 500, 503, 520])("stays here with status %i, cut at any place", async (status) => {
    // A message is cut after 2,000 characters: the key must not end there.
    for (const before of [0, 1990, 70_000]) {
      const code =
        { 404: "module_not_found", 410: "version_pruned", 400: "invalid_input", 429: "rate_limited" }[status] ?? "internal_error";
      const body = JSON.stringify({ message: `${"m".repeat(before)}${bearer}`, error_code: code });
      await using front = await inFrontOf({ status, body });
      const answer = await front.get(LACKING);
      expect(answer.status).not.toBe(200);
      expect(everythingOf(answer)).not.toContain("operators");
    }
  });

  test("stays here in a header", async () => {
    const record = JSON.stringify({ sequence_number: "1", authentication_key: `0x${"ab".repeat(32)}` });
    const hex = Buffer.from(bearer).toString("hex");
    for (const headers of [
      { "x-aptos-cursor": hex },
      { etag: bearer.replaceAll('"', "") },
      { "retry-after": Buffer.from(KEY).toString("base64") },
      { "x-aptos-epoch": hex },
    ]) {
      await using front = await inFrontOf({ body: record, headers: headers as unknown as Record<string, string> });
      const seen = everythingOf(await front.get(LACKING));
      for (const form of [hex, KEY.slice(0, 10), Buffer.from(KEY).toString("base64").slice(0, 10)]) expect(seen).not.toContain(form);
    }
  });
});

describe("below /v1", () => {
  test("every answer forbids a browser to run, load or send anything", async () => {
    await using front = await inFront({ settings: { clock: new ManualClock() } });
    const { etag } = (await front.get("/accounts/0x1?ledger_version=1400")).headers;
    const asked: [path: string, method?: string, headers?: Record<string, string>][] = [
      ...["", "/", "/info", "/-/healthy", "/spec", "/spec.json", "/spec.yaml", "/snapshots", "/snapshots/900"].map((path): [string] => [
        path,
      ]),
      ...["/accounts/0x1", "/accounts/zz", "/accounts/0x1/modules", "/accounts/0x1/module/no", "/no", "/%2e%2e/x", "/accounts//"].map(
        (path): [string] => [path],
      ),
      ["/accounts/0x1?ledger_version=1400", "HEAD"],
      ["/accounts/0x1", "HEAD"],
      ["/accounts/0x1?ledger_version=1400", "GET", { "if-none-match": etag as string }],
      ["/accounts/0x1", "POST"],
      ["/no", "DELETE"],
      ["/accounts/0x1", "OPTIONS", { origin: "https://a.example", "access-control-request-method": "GET" }],
      ["/accounts/0x1", "OPTIONS", { origin: "https://a.example", "access-control-request-method": "PUT" }],
    ];
    for (const [path, method = "GET", headers = {}] of asked) {
      const answer = await rawRequest(front.served.origin, { path: `/v1${path}`, method, headers });
      expect([path, method, answer.status, answer.headers]).toEqual([path, method, answer.status, expect.objectContaining(harmless)]);
    }
  });

  test("also where too much is asked, or what is asked is not HTTP", async () => {
    await using busy = await inFront({ settings: { limits: { requestsAtOnce: 0 }, clientRate: 0.1 } });
    const refused = await busy.get("/accounts/0x1");
    expect([refused.status, refused.headers]).toEqual([503, expect.objectContaining(harmless)]);
    await using slow = await inFront({ settings: { clientRate: 0.1 } });
    await slow.get("/accounts/0x1");
    const limited = await slow.get("/accounts/0x1");
    expect([limited.status, limited.headers]).toEqual([429, expect.objectContaining(harmless)]);
    const said = await answerTo(slow.served.origin, "GET /v1/accounts/0x1 HTTP/1.1\r\nno header\r\n\r\n");
    for (const [name, value] of Object.entries(harmless)) expect(said).toContain(`${name}: ${value}\r\n`);
  });
});

/** Status, headers and body as text. */
function everythingOf({ status, headers, body }: RawResponse): string {
  return `${status} ${JSON.stringify(headers)} ${body.toString("latin1")}`;
}

/** What a server answers to bytes. */
function answerTo(origin: string, text: string): Promise<string> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.on("data", (piece: Buffer) => pieces.push(piece));
    socket.on("end", () => resolve(Buffer.concat(pieces).toString()));
    socket.on("error", reject);
  });
}
