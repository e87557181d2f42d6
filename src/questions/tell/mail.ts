import { rootCertificates } from "node:tls";
import { printable } from "../../base/printable.ts";
import { sha256Hex } from "../../base/sha256.ts";
import { ConfigError } from "../../errors.ts";
import { isLoopback } from "../../node/http/base-url.ts";
import { type Channel, eachForItself, type Notice, type TellOutcome, TOLD } from "./channel.ts";

export type MailText = { readonly subject: string; readonly text: string; readonly html: string };

export type MailOptions = {
  /** `smtps://user:password@host:465`, or `smtp://host:587`, which asks for STARTTLS. */
  readonly server: string;
  readonly to: readonly string[];
  readonly from: string | undefined;
  readonly ca: string | undefined;
  /** Whether it may go to another machine without encryption. */
  readonly allowPlain: boolean;
  readonly render: (messages: Notice["messages"]) => MailText;
  /** How long each step may take; twenty seconds. */
  readonly limitMs?: number;
};

const LIMIT_MS = 20_000;
/** Changes in one mail. */
const MOST = 200;
const ADDRESS = /^[^\s@<>,;"]{1,64}@[^\s@<>,;"]{1,255}$/;

/** Mail through a server: one for all changes of a night. @throws ConfigError for an address that is none */
export function mailChannel(options: MailOptions): Channel {
  const { to, from = to[0] ?? "" } = options;
  const url = parseServer(options.server);
  for (const address of [...to, from])
    if (!ADDRESS.test(address))
      throw new ConfigError(`\`${printable(address, 100)}\` is not a mail address. Give one such as me@example.org.`);
  const address = sha256Hex(JSON.stringify([url.href, to])).slice(0, 8);
  const channel = `mail ${printable(to.join(", "), 200)}`;
  return { ...eachForItself(channel, address), digest: "night", most: MOST, tell: (notice) => send({ ...options, from }, url, notice) };
}

function parseServer(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === "" || !isEncoded(url.username) || !isEncoded(url.password))
    throw new ConfigError(
      "MOVEDEX_SMTP_URL is not valid. Set it to smtps://user:password@host or smtp://host; write a % in the password as %25.",
    );
  return url;
}

/** Whether each % of a name or password begins a character that can be decoded. */
function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

async function send(
  { to, from, ca, allowPlain, render, limitMs = LIMIT_MS }: MailOptions,
  url: URL,
  { id, messages }: Notice,
): Promise<TellOutcome> {
  const { createTransport } = await import("nodemailer");
  const isSecure = url.protocol === "smtps:";
  const transport = createTransport({
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? (isSecure ? 465 : 587) : Number(url.port),
    secure: isSecure,
    requireTLS: !isSecure && !allowPlain && !isLoopback(url),
    ...(url.username === "" ? {} : { auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } }),
    ...(ca === undefined ? {} : { tls: { ca: [...rootCertificates, ca] } }),
    connectionTimeout: limitMs,
    greetingTimeout: limitMs,
    socketTimeout: limitMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    // The identifier of the message is the same at each try, so that a mailbox can tell a repetition.
    const headers = { "Auto-Submitted": "auto-generated", "X-Movedex-Delivery": id };
    const { rejected } = await transport.sendMail({ from, to: [...to], messageId: `<${id}@movedex>`, headers, ...render(messages) });
    return rejected.length === 0 ? TOLD : { ...TOLD, note: `the mail server refused ${rejected.length} of ${to.length} recipients` };
  } catch (error) {
    const { code, responseCode } = error as { readonly code?: string; readonly responseCode?: number };
    const status = responseCode === undefined ? "" : ` (SMTP ${responseCode})`;
    // A refusal of the mail itself, where its sender and recipients were taken.
    const isOfPlace = !(code === "EMESSAGE" && (responseCode ?? 0) >= 500);
    return { isTold: false, fault: `${printable(code ?? "unknown error", 40)}${status}`, isOfPlace };
  } finally {
    transport.close();
  }
}
