import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll } from "vitest";
import { exchangeAddress } from "../../sim/sample/exchange.ts";
import { type Receiver, startReceiver } from "../capabilities/watch/tell/support/receiver.ts";
import { ended } from "../support/command/command-lines.ts";
import { holds, passDay, type Stage, useStages } from "./support/stage.ts";

// What `tell` and `watch test` print, and the messages as their receivers have them.

useStages();

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver?.[Symbol.asyncDispose]());

/** Two watches have alerts of the day: one for callers, and one of everything that the exchange does. */
const watched = async (stage: Stage): Promise<void> => {
  receiver.received.length = 0;
  receiver.behave = () => ({ status: 200 });
  await ended(stage.run(`watch add ${exchangeAddress}::pool --for callers`));
  await ended(stage.run(`watch add ${exchangeAddress} --level any`));
  await passDay(stage);
  await ended(stage.run("sync --concurrency 1"));
};
const hook =
  (env: Readonly<Record<string, string>> = {}) =>
  () => ({ env: { MOVEDEX_WEBHOOK_URL: receiver.url, ...env } });

/** Requests as they came: the headers that say something of the message, and its JSON in lines, as are its texts. */
function received(): string {
  const own = ["content-type", "idempotency-key", "webhook-id", "webhook-timestamp", "webhook-signature"];
  return receiver.received
    .map(({ path, headers, body }, place) => {
      const lines = own.filter((name) => headers[name] !== undefined).map((name) => `${name}: ${headers[name]}\n`);
      const request = `[received]\nPOST ${path}\n${lines.join("")}\n${JSON.stringify(JSON.parse(body), undefined, 2).replaceAll("\\n", "\n")}\n`;
      // The identifier follows from the receiver's address, and the signature from it.
      return request
        .replaceAll(String(headers["webhook-id"]), `<identifier ${place + 1}>`)
        .replaceAll(/(webhook-signature: v1,)\S+/g, "$1<signature>");
    })
    .join("");
}

/** A file that was written; identifiers follow from its place, or are drawn. */
const written = (name: string) => (): string => {
  const lines = readFileSync(name, "utf8")
    .replaceAll(/^\{"id":"[\w-]+"/gm, '{"id":"<identifier>"')
    .replaceAll(/^test-[\w-]+/gm, "<identifier>");
  return `[${name}]\n${lines}`;
};

/** A program that keeps its input, and what variables tell it. */
const program = `--exec /bin/sh --exec -c --exec 'cat >> told; echo "$MOVEDEX_DELIVERY_ID $MOVEDEX_MAYBE_REPEATED" >> told'`;
const text = ["txt"];

holds("tell", {
  nowhere: { held: "first", before: watched, line: "tell" },
  webhook: { held: "first", before: watched, line: "tell", options: hook({ MOVEDEX_WEBHOOK_SECRET: "a key" }), after: received },
  slack: {
    held: "first",
    before: watched,
    line: "tell --webhook-format slack --pages-url https://archive.example/",
    options: hook(),
    after: received,
  },
  exec: { held: "first", before: watched, line: `tell ${program}`, after: written("told") },
  file: { held: "first", before: watched, line: "tell --alerts-file alerts.jsonl", after: written("alerts.jsonl") },
  "told-before": {
    held: "first",
    before: async (stage) => {
      await watched(stage);
      await ended(stage.run("tell --alerts-file alerts.jsonl"));
    },
    line: "tell --alerts-file alerts.jsonl",
    forms: text,
  },
  refused: {
    held: "first",
    before: async (stage) => {
      await watched(stage);
      receiver.behave = () => ({ status: 503 });
    },
    line: "tell",
    options: hook(),
  },
  replay: {
    held: "first",
    before: async (stage) => {
      await watched(stage);
      await ended(stage.run("tell --alerts-file alerts.jsonl"));
      writeFileSync("alerts.jsonl", "");
    },
    line: "tell --alerts-file alerts.jsonl --replay oldest",
    after: written("alerts.jsonl"),
    forms: text,
  },
  // The import has judged what it brought.
  imported: {
    held: "first",
    before: async (stage) => {
      copyFileSync("night.db", "other.db");
      await passDay(stage);
      await ended(stage.run("sync --db other.db --concurrency 1"));
      await ended(stage.run(`watch add ${exchangeAddress} --level breaking`));
      await ended(stage.run("import other.db"));
    },
    line: "tell",
  },
  "nothing-watched": { held: "second", line: "tell" },
});

holds("watch-test", {
  webhook: { held: "first", before: watched, line: "watch test", options: hook(), after: received, forms: text },
  exec: { held: "first", line: `watch test ${program}`, after: written("told"), forms: text },
  file: { held: "first", line: "watch test --alerts-file alerts.jsonl", after: written("alerts.jsonl"), forms: text },
  refused: {
    held: "first",
    before: () => {
      receiver.behave = () => ({ status: 404 });
    },
    line: "watch test",
    options: hook(),
    forms: text,
  },
  "no-receiver": { held: "first", line: "watch test", forms: text },
});
