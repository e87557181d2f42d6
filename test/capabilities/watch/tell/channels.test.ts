import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { describe, expect } from "vitest";
import type { Notice } from "../../../../src/capabilities/watch/tell/channel.ts";
import { linesChannel } from "../../../../src/capabilities/watch/tell/lines.ts";
import { type AlertMessage, findingText, moreText, testMessage } from "../../../../src/capabilities/watch/tell/message.ts";
import { programChannel } from "../../../../src/capabilities/watch/tell/program.ts";
import { webhookChannel } from "../../../../src/capabilities/watch/tell/webhook.ts";
import { SECRET_VARIABLES } from "../../../../src/core/cli/config.ts";
import { listen, temporaryDirectory, test } from "../../../support/index.ts";
import { makeCertificate } from "../../../support/tls/certificate.ts";
import { type Behaviour, startReceiver } from "./support/receiver.ts";

const hostile = 'a`b*<!channel> @everyone <https://evil|x> [y](z) \u{202e}\n# head & "quoted"; $(touch owned)';
const finding = {
  rule: "function-removed",
  item_kind: "function",
  item: hostile,
  worst: "breaking",
  severity: { callers: "breaking" },
} as const;
const message: AlertMessage = {
  ...testMessage(4),
  type: "alert",
  summary: "0x1::coin changed at ledger version 7: breaking for callers",
  findings: [{ ...finding, upgrade: "refused", before: "public fun withdraw()", after: null }],
  findings_total: 9,
  link: "https://archive.example/diff/0x1/coin?from=1&to=2",
};
const notice = (more: Partial<Notice> = {}): Notice => ({
  id: "d1",
  messages: [message],
  summary: message.summary,
  more: 0,
  link: null,
  isUncertain: false,
  ...more,
});
const hook = (url: string, more: Partial<Parameters<typeof webhookChannel>[1]> = {}) =>
  webhookChannel(url, { format: "json", secret: undefined, proxies: undefined, now: Date.now, limitMs: 60_000, ...more });

describe("a finding", () => {
  test("says who reaches it: modules of one's own, or else what is watched", () => {
    const said = (isMine: boolean, use: "directly" | "through others" | "not", subject = "0x1::coin::withdraw") =>
      findingText([{ ...finding, item: "burn", upgrade: "refused", before: null, after: null, use }], { subject, isMine });
    expect(said(true, "directly")).toBe("burn was removed, which your modules use; breaks callers");
    expect(said(true, "through others")).toBe("burn was removed, which your modules reach through others; breaks callers");
    expect(said(false, "through others")).toBe("burn was removed, which 0x1::coin::withdraw reaches through others; breaks callers");
    for (const nothing of [said(false, "directly"), said(true, "not")]) expect(nothing).toBe("burn was removed; breaks callers");
  });
});

test("findings that a message does not show are counted, and of these the safe ones, as far as they were kept", () => {
  const levels = ["breaking", "dangerous", "behaviour", "safe", "silent"] as const;
  const one = fc.constantFrom(...levels).map((worst) => ({ ...finding, worst, upgrade: "allowed" as const, before: null, after: null }));
  fc.assert(
    fc.property(fc.array(one, { minLength: 1, maxLength: 12 }), fc.nat(12), fc.nat(12), (findings, kept, shown) => {
      const all = findings.toSorted((a, b) => levels.indexOf(a.worst) - levels.indexOf(b.worst));
      const stored = all.slice(0, Math.max(kept, 1));
      const named = stored.slice(0, shown);
      const safe = (of: typeof all): number => of.filter(({ worst }) => worst === "safe" || worst === "silent").length;
      const rest = all.length - named.length;
      const known = safe(stored.slice(-1)) > 0 ? safe(all.slice(named.length)) : safe(stored.slice(named.length));
      const said = known === 0 ? "" : known === rest ? ", safe" : `, ${known} of them safe`;
      expect(moreText({ findings: stored, total: all.length }, named)).toBe(rest === 0 ? "" : `and ${rest} more${said}`);
    }),
  );
});

test("what one cause does to many items of a change is one finding of its message, and each stays in its JSON", async () => {
  const kinds = { rule: "persistent-removed", item_kind: "function", upgrade: "refused", severity: { callers: "dangerous" } } as const;
  const findings = Array.from({ length: 12 }, (_, i) => {
    return {
      ...kinds,
      item: `f${i}`,
      worst: "dangerous" as const,
      before: `#[persistent] public fun f${i}()`,
      after: `public fun f${i}()`,
    };
  });
  await using receiver = await startReceiver();
  const told = notice({ messages: [{ ...message, findings: [...message.findings, ...findings], findings_total: 14 }] });
  expect(await hook(receiver.url, { format: "slack" }).tell(told)).toEqual({ isTold: true });
  expect(await hook(receiver.url).tell(told)).toEqual({ isTold: true });
  const [slack, json] = receiver.received.map(({ body }) => JSON.parse(body) as { text: string; findings: unknown[] });
  const said =
    "12 functions: a function can no longer be stored as a value (gone: #[persistent]): f0, f1, f2, f3, f4 and 7 more; may break callers";
  expect(slack?.text).toContain(`* ${said}\n* and 1 more`);
  expect(json?.findings).toHaveLength(13);
});

describe("a webhook", () => {
  test.each(["a plain secret, as it is", `whsec_${Buffer.from("twenty-four random bytes").toString("base64")}`])(
    "signs as Standard Webhooks' own library verifies (%s)",
    async (secret) => {
      await using receiver = await startReceiver();
      expect(await hook(receiver.url, { secret }).tell(notice())).toEqual({ isTold: true });
      const [{ headers, body } = expect.fail("nothing came")] = receiver.received;
      const verifier = secret.startsWith("whsec_") ? new Webhook(secret) : new Webhook(secret, { format: "raw" });
      expect(verifier.verify(body, headers as Record<string, string>)).toEqual(JSON.parse(JSON.stringify(message)));
      expect(() => verifier.verify(`${body} `, headers as Record<string, string>)).toThrow();
      expect(() => new Webhook("another", { format: "raw" }).verify(body, headers as Record<string, string>)).toThrow();
      expect(headers).toMatchObject({ "webhook-id": "d1", "idempotency-key": "d1", "content-type": "application/json; charset=utf-8" });
      expect(headers["user-agent"]).toMatch(/^movedex\//);
    },
  );

  test("has a name without what is secret in its address, and another for another path", async () => {
    const [a, b] = ["https://hooks.example/T0P/S3CRET", "https://hooks.example/T0P/OTHER"].map((url) => hook(url).channel);
    expect(a).toMatch(/^webhook https:\/\/hooks\.example \([0-9a-f]{8}\)$/);
    expect(b).not.toBe(a);
  });

  test.each(["http://hooks.example/x", "ftp://127.0.0.1/", "https://user:pass@hooks.example/", "hooks.example", "file:///etc/passwd"])(
    "is refused at %s",
    (url) => {
      expect(() => hook(url)).toThrow(/the webhook's address must begin with https/);
      try {
        hook(url);
      } catch (error) {
        expect(String(error)).not.toContain("hooks.example");
      }
    },
  );

  const faults: [string, Behaviour, object][] = [
    ["500", { status: 500 }, { fault: "it answered with HTTP status 500", isOfPlace: true }],
    ["400", { status: 400 }, { fault: "it answered with HTTP status 400", isOfPlace: false }],
    ["a redirect, which is not followed", { status: 307, headers: { location: "/elsewhere" } }, { isOfPlace: true }],
    ["429 with a wait", { status: 429, headers: { "retry-after": "90" } }, { isOfPlace: true, retryAfterMs: 90_000 }],
    ["silence", "hang", { fault: "it did not answer within 2 s", isOfPlace: true }],
    ["death", "die", { isOfPlace: true }],
  ];
  test.concurrent.each(faults)("says why it was not told: %s", async (_, behaviour, expected) => {
    await using receiver = await startReceiver();
    receiver.behave = () => behaviour;
    const told = await hook(receiver.url, behaviour === "hang" ? { limitMs: 2_000 } : {}).tell(notice());
    expect(told).toMatchObject({ isTold: false, ...expected });
    expect(JSON.stringify(told)).not.toMatch(/S3CRET|hidden/);
    expect(receiver.received).toHaveLength(1);
  });

  test.concurrent("has told what was answered with 200, though the body never ends", async () => {
    await using receiver = await startReceiver();
    receiver.behave = () => "hang-body";
    expect(await hook(receiver.url, { limitMs: 5_000 }).tell(notice())).toEqual({ isTold: true });
  });

  test("a receiver that is not there is a fault of the place", async () => {
    const gone = await startReceiver();
    await gone[Symbol.asyncDispose]();
    expect(await hook(gone.url).tell(notice())).toEqual({ isTold: false, fault: "ECONNREFUSED", isOfPlace: true });
  });

  test("speaks to Slack so that no text of the ledger calls anybody or becomes markup", async () => {
    await using receiver = await startReceiver();
    const said = async (more: Partial<Notice> = {}): Promise<string> => {
      await hook(receiver.url, { format: "slack" }).tell(notice(more));
      return (JSON.parse(receiver.received.at(-1)?.body ?? "") as { text: string }).text;
    };
    const text = await said();
    expect(text).toContain("0x1::coin changed at ledger version 7");
    expect(text).toContain("&lt;!channel&gt;");
    expect(text.match(/<[^>]*>/g)).toEqual(["<https://archive.example/diff/0x1/coin?from=1&amp;to=2|compare>"]);
    expect(text).toContain("and 8 more");
    expect(text).not.toMatch(/[\u{202e}]/u);
    const long = { ...message, findings: Array.from({ length: 5 }, () => ({ ...message.findings[0], before: "x".repeat(3000) })) };
    const cut = await said({ messages: [long as AlertMessage] });
    // Discord takes no more in this form.
    expect(cut.length).toBeLessThanOrEqual(2000);
    expect(cut.endsWith("|compare>")).toBe(true);
  });

  test("several changes are one message: a list in JSON, a line for each to Slack, and the count of those beyond", async () => {
    await using receiver = await startReceiver();
    const three = Array.from({ length: 3 }, (_, i) => ({ ...message, module: `m${i}`, summary: `0x1::m${i} changed` }));
    const several = notice({
      messages: three as unknown as Notice["messages"],
      summary: "5 changes of what you watch: 5 breaking",
      more: 2,
      link: "https://archive.example/changes?watched=1",
    });
    for (const format of ["json", "slack"] as const) expect(await hook(receiver.url, { format }).tell(several)).toEqual({ isTold: true });
    const [json, slack] = receiver.received.map(({ body }) => JSON.parse(body) as { text: string });
    const { summary, more, link } = several;
    expect(json).toEqual({ type: "digest", summary, alerts: JSON.parse(JSON.stringify(three)), more, link });
    const [first, ...lines] = (slack?.text ?? "").split("\n");
    expect(first).toBe(summary);
    expect(lines.slice(0, 3).map((line) => /^• (0x1::m\d) changed </.exec(line)?.[1])).toEqual(["0x1::m0", "0x1::m1", "0x1::m2"]);
    expect(lines.slice(3)).toEqual([`and 2 more: <${link}|all alerts>`]);
    expect(slack?.text.match(/<[^>]*>/g)).toHaveLength(4);
  });

  test("plain HTTP to another machine only when that is asked for", () => {
    expect(() => hook("http://receiver.internal:8080/hook")).toThrow(/--allow-http/);
    expect(hook("http://receiver.internal:8080/hook", { allowHttp: true }).channel).toMatch(/^webhook http:\/\/receiver\.internal:8080 \(/);
  });

  test("a private certificate authority only when it is named", async ({ skip }) => {
    using place = temporaryDirectory();
    const [key, certificate] = [place.file("key.pem"), place.file("certificate.pem")];
    if (!makeCertificate(key, certificate)) return skip("openssl is not installed");
    const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (_, response) => response.end("taken"));
    const url = `https://127.0.0.1:${await listen(server)}/hook`;
    try {
      const limitMs = 10_000;
      expect(await hook(url, { limitMs }).tell(notice())).toMatchObject({
        isTold: false,
        fault: "DEPTH_ZERO_SELF_SIGNED_CERT",
        isOfPlace: true,
      });
      expect(await hook(url, { limitMs, ca: readFileSync(certificate, "utf8") }).tell(notice())).toEqual({ isTold: true });
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });
});

/** Whether a process is there and not merely waiting for somebody to take its end. */
function isAtWork(pid: string): boolean {
  const status = `/proc/${pid}/stat`;
  return existsSync(status) && !/\) [ZX] /.test(readFileSync(status, "utf8"));
}

describe("a program", () => {
  /** A script that writes what it got beside itself. */
  const script = (place: { file: (name: string) => string }, body: string): string => {
    const path = place.file("tell.sh");
    writeFileSync(path, `#!/bin/sh\n${body}\n`);
    chmodSync(path, 0o755);
    return path;
  };

  test("gets its arguments as they are and the message on its input, and none of our secrets", async ({ place }) => {
    const env = {
      PATH: process.env["PATH"],
      MOVEDEX_API_KEY: "S3CRET",
      MOVEDEX_WEBHOOK_SECRET: "S3CRET",
      DATABASE_URL: "S3CRET",
      TEAM: "core",
      TEAM_HOOK: "S3CRET",
      TEAM_KEY: "S3CRET",
      [SECRET_VARIABLES]: "TEAM_HOOK,TEAM_KEY",
    };
    const path = script(place, `cat > ${place.file("in")}; printf '%s\\n' "$@" > ${place.file("args")}; env > ${place.file("env")}`);
    const channel = programChannel([path, "$(touch owned)", "; touch owned"], env);
    expect(channel.channel).toMatch(/^program tell\.sh \([0-9a-f]{8}\)$/);
    expect(await channel.tell(notice({ isUncertain: true }))).toEqual({ isTold: true });
    expect(JSON.parse(readFileSync(place.file("in"), "utf8"))).toEqual(JSON.parse(JSON.stringify(message)));
    expect(readFileSync(place.file("args"), "utf8")).toBe("$(touch owned)\n; touch owned\n");
    const seen = readFileSync(place.file("env"), "utf8");
    expect(seen).not.toContain("S3CRET");
    for (const line of ["TEAM=core", "MOVEDEX_DELIVERY_ID=d1", "MOVEDEX_MAYBE_REPEATED=1"]) expect(seen.split("\n")).toContain(line);
    expect(existsSync("owned")).toBe(false);
  });

  test("has not taken what it ends otherwise than with 0, or late, or what it was never started for", async ({ place }) => {
    const told = (body: string, limitMs = 60_000) => programChannel([script(place, body)], process.env, limitMs).tell(notice());
    expect(await told("exit 3")).toEqual({ isTold: false, fault: "it ended with exit code 3", isOfPlace: false });
    expect(await told("kill -TERM $$")).toMatchObject({ fault: "it was ended by SIGTERM" });
    const late = await told(`(sleep 30 & echo $! > ${place.file("child")}; wait)`, 2_000);
    expect(late).toMatchObject({ fault: "it did not end within 2 s" });
    await expect.poll(() => isAtWork(readFileSync(place.file("child"), "utf8").trim())).toBe(false);
    expect(await programChannel([place.file("nothing")], {}).tell(notice())).toEqual({
      isTold: false,
      fault: "it could not be started: no such file or directory (ENOENT)",
      isOfPlace: true,
    });
  });
});

describe("a file", () => {
  const lines = (path: string): { id: string }[] =>
    readFileSync(path, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { id: string });

  test("gets a line for each alert, once, wherever a try before was cut off", async ({ place }) => {
    const path = place.file("alerts.jsonl");
    const channel = linesChannel(path);
    const short = (id: string, more: Partial<Notice> = {}) => channel.tell(notice({ id, messages: [testMessage(4)], ...more }));
    await short("first");
    await short("second");
    const whole = readFileSync(path, "utf8");
    const begin = whole.indexOf("\n") + 1;
    for (let end = begin; end <= whole.length; end++) {
      writeFileSync(path, whole.slice(0, end));
      expect(await short("second", { isUncertain: true })).toEqual({ isTold: true });
      expect(await short("third")).toEqual({ isTold: true });
      expect(
        lines(path).map(({ id }) => id),
        `cut at ${end}`,
      ).toEqual(["first", "second", "third"]);
    }
  });

  test("a line of another that was cut off spoils itself alone", async ({ place }) => {
    const path = place.file("alerts.jsonl");
    writeFileSync(path, '{"cut');
    await linesChannel(path).tell(notice({ id: "next" }));
    expect(readFileSync(path, "utf8")).toMatch(/^\{"cut\n\{"id":"next",.*\}\n$/);
  });

  test("a device or a pipe is refused, since what was told cannot be read there", () => {
    expect(() => linesChannel("/dev/full")).toThrow("`/dev/full` is a device or a pipe. Name a regular file");
  });

  test("a path that cannot be written is a fault of the place", async ({ place }) => {
    expect(await linesChannel(place.path).tell(notice())).toEqual({
      isTold: false,
      fault: "illegal operation on a directory (EISDIR)",
      isOfPlace: true,
    });
  });
});
