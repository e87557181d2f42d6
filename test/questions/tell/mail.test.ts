import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { describe, expect, test } from "vitest";
import { alertMail } from "../../../src/pages/mail/alert-mail.ts";
import type { Notice } from "../../../src/questions/tell/channel.ts";
import { type MailOptions, mailChannel } from "../../../src/questions/tell/mail.ts";
import { type AlertMessage, testMessage } from "../../../src/questions/tell/message.ts";
import { listen } from "../../support/loopback.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { makeCertificate } from "../../support/tls/certificate.ts";

const hostile = '<img src=x onerror="alert(1)"> \u{202e} & "quoted"\r\nBcc: all@example.org';
const message: AlertMessage = {
  ...testMessage(4),
  type: "alert",
  severity: "breaking",
  module: "coin",
  summary: "0x1::coin changed at ledger version 7: breaking for callers",
  findings: [
    {
      rule: "function-removed",
      item_kind: "function",
      item: hostile,
      worst: "breaking",
      severity: { callers: "breaking" },
      upgrade: "refused",
      before: `public fun ${hostile}`,
      after: null,
    },
  ],
  findings_total: 3,
  link: "https://archive.example/diff/0x1/coin?from=1&to=2",
};
const notice = (...messages: AlertMessage[]): Notice => ({
  id: "d1",
  messages: messages as unknown as Notice["messages"],
  isUncertain: false,
});

/** A mail server on this machine that keeps what it takes. */
async function startServer(options: SMTPServerOptions = {}) {
  const mails: { readonly to: readonly string[]; readonly raw: string }[] = [];
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    authOptional: true,
    onData: (stream, { envelope }, done) =>
      void text(stream).then((raw) => {
        mails.push({ to: envelope.rcptTo.map(({ address }) => address), raw });
        done();
      }),
    ...options,
  });
  return { mails, port: await listen(server.server), [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(resolve)) };
}

const channel = (port: number, more: Partial<MailOptions> = {}) =>
  mailChannel({
    server: `smtp://127.0.0.1:${port}`,
    to: ["me@example.org"],
    from: undefined,
    ca: undefined,
    allowPlain: false,
    render: alertMail,
    limitMs: 2_000,
    ...more,
  });

/** The parts of a mail as its reader shows them. */
function decoded(raw: string): string {
  return raw
    .replaceAll(/=\r\n/g, "")
    .replaceAll(/((?:=[0-9A-F]{2})+)/g, (bytes) => Buffer.from(bytes.replaceAll("=", ""), "hex").toString());
}

describe("mail", () => {
  test("arrives as text and as HTML, with an identifier that a repetition shares, and nothing of the ledger is markup or a header", async () => {
    await using server = await startServer();
    expect(await channel(server.port).tell(notice(message, { ...message, module: "account", severity: "dangerous" }))).toEqual({
      isTold: true,
    });
    const [{ to, raw } = expect.fail("nothing came")] = server.mails;
    expect(to).toEqual(["me@example.org"]);
    const [head = "", ...body] = raw.split("\r\n\r\n");
    expect(head).toContain("Subject: 2 changes of what you watch: 1 breaking, 1 dangerous");
    expect(head).toContain("Message-ID: <d1@movedex>");
    expect(head).toContain("Auto-Submitted: auto-generated");
    expect(head).toContain("multipart/alternative");
    const parts = decoded(body.join("\r\n\r\n"));
    expect(parts).toContain("text/plain");
    expect(parts).toContain('<a href="https://archive.example/diff/0x1/coin?from=1&amp;to=2"');
    expect(parts).toContain("0x1::account");
    expect(parts).toContain("and 2 more");
    expect(parts.slice(parts.indexOf("<html"))).not.toContain("<img");
    expect(parts).not.toMatch(/^Bcc:/m);
    expect(raw).not.toContain("\u{202e}");
  });

  test("the password is sent to the server and said nowhere", async () => {
    const seen: unknown[] = [];
    await using server = await startServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _, done) => {
        seen.push(username, password);
        if (password === "p@ss") done(null, { user: username });
        else done(new Error(`no such user ${password}`));
      },
    });
    const at = (password: string) => channel(server.port, { server: `smtp://team:${password}@127.0.0.1:${server.port}` });
    expect(await at("p%40ss").tell(notice(message))).toEqual({ isTold: true });
    const refused = await at("S3CRET").tell(notice(message));
    expect(refused).toEqual({ isTold: false, fault: "EAUTH (SMTP 535)", isOfPlace: true });
    expect(seen).toEqual(["team", "p@ss", "team", "S3CRET"]);
    expect(at("S3CRET").channel).toBe("mail me@example.org");
  });

  test("a recipient that is refused beside another is a note, and alone a fault of the place", async () => {
    await using server = await startServer({
      onRcptTo: ({ address }, _, done) => done(address.startsWith("gone") ? Object.assign(new Error("no"), { responseCode: 550 }) : null),
    });
    expect(await channel(server.port, { to: ["me@example.org", "gone@example.org"] }).tell(notice(message))).toEqual({
      isTold: true,
      note: "the mail server refused 1 of 2 recipients",
    });
    expect(await channel(server.port, { to: ["gone@example.org"] }).tell(notice(message))).toEqual({
      isTold: false,
      fault: "EENVELOPE (SMTP 550)",
      isOfPlace: true,
    });
  });

  test("a mail that the server does not want is a fault of the mail, and no server one of the place", async () => {
    const gone = await startServer();
    await gone[Symbol.asyncDispose]();
    expect(await channel(gone.port).tell(notice(message))).toMatchObject({ isTold: false, isOfPlace: true });
    await using server = await startServer({
      onData: (stream, _, done) => void text(stream).then(() => done(Object.assign(new Error("spam"), { responseCode: 554 }))),
    });
    expect(await channel(server.port).tell(notice(message))).toEqual({ isTold: false, fault: "EMESSAGE (SMTP 554)", isOfPlace: false });
  });

  test.each(["https://mail.example", "mail.example", "smtp://", "smtp://team:50%off@mail.example"])("%s is no mail server", (server) => {
    expect(() => channel(25, { server })).toThrow(/MOVEDEX_SMTP_URL/);
  });

  test.each(["me", "me@example.org, you@example.org", "a@b\r\nBcc: c@d"])("%j is no address", (address) => {
    expect(() => channel(25, { to: [address] })).toThrow(/is not a mail address/);
  });

  test("STARTTLS: with the authority that is named it goes over TLS, and else not at all", async ({ skip }) => {
    using place = temporaryDirectory();
    const [key, certificate] = [place.file("key.pem"), place.file("certificate.pem")];
    if (!makeCertificate(key, certificate)) return skip("openssl is not installed");
    const [ca, keyText] = [readFileSync(certificate, "utf8"), readFileSync(key, "utf8")];
    const isSecure: boolean[] = [];
    await using server = await startServer({
      disabledCommands: [],
      key: keyText,
      cert: ca,
      onMailFrom: (_, session, done) => {
        isSecure.push(session.secure);
        done();
      },
    });
    expect(await channel(server.port).tell(notice(message))).toMatchObject({ isTold: false, isOfPlace: true });
    expect([isSecure, server.mails]).toEqual([[], []]);
    expect(await channel(server.port, { ca }).tell(notice(message))).toEqual({ isTold: true });
    expect([isSecure, server.mails.length]).toEqual([[true], 1]);
  });

  test("to another machine nothing goes to a server without STARTTLS, unless that is allowed", async () => {
    await using server = await startServer();
    // This machine by a name of which movedex cannot know it.
    const options = { server: `smtp://[::ffff:127.0.0.1]:${server.port}` };
    expect(await channel(server.port, options).tell(notice(message))).toMatchObject({ isTold: false, isOfPlace: true });
    expect(server.mails).toEqual([]);
    expect(await channel(server.port, { ...options, allowPlain: true }).tell(notice(message))).toEqual({ isTold: true });
  });
});
