import { mkdirSync, writeFileSync } from "node:fs";
import { writeModule } from "../../sim/module-writer/module-writer.ts";
import { exchangeAddress } from "../../sim/sample/exchange.ts";
import { ended } from "../support/command/command-lines.ts";
import { holds, type Stage, useStages } from "./support/stage.ts";

// What commands print that keep lists of accounts and of watches.

useStages();

const file = (name: string, text: string) => () => writeFileSync(name, text);
const accounts = `address,label\n0x1,framework\n${exchangeAddress},exchange\n0xcafe,\n`;
const text = ["txt"];

holds("targets-add", {
  new: { line: "targets add 0x1 0x3 --label framework", forms: text },
  known: { held: "targets", line: "targets add 0x1 0xcafe", forms: text },
  "no-address": { line: "targets add 0xfog", forms: text },
});

holds("targets-remove", { some: { held: "targets", line: "targets remove 0xdead 0xcafe", forms: text } });

holds("targets-list", {
  all: { held: "second", before: ({ run }) => ended(run("targets remove 0xdead")), line: "targets list --all" },
  listed: {
    held: "second",
    before: ({ run }) => ended(run("targets add 0xcafe --label mine")),
    line: "targets list",
    forms: ["txt", "json", "jsonl"],
  },
  none: { before: ({ run }) => ended(run("watch add 0x1")), line: "targets list", forms: text },
});

holds("targets-import", {
  csv: { held: "targets", before: file("accounts.csv", accounts), line: "targets import accounts.csv", forms: text },
  stdin: { line: "targets import - --label mine", options: { stdin: "0x1\n0x2\n0x1\n" }, forms: text },
  "bad-line": { before: file("accounts.csv", "address\n0x1\nfog\n"), line: "targets import accounts.csv", forms: text },
});

/** Only the exchange has been read: it mentions accounts that no list has. */
const exchangeAlone = async ({ run }: Stage): Promise<void> => {
  await ended(run(`targets add ${exchangeAddress}`));
  await ended(run("sync --concurrency 1"));
};

holds("targets-discover", {
  found: { before: exchangeAlone, line: "targets discover", forms: text },
  "dry-run": { before: exchangeAlone, line: "targets discover --depth 2 --dry-run", forms: text },
});

/** A compiled package that uses the exchange. */
function writePackage(): void {
  mkdirSync("mine/build/mine/bytecode_modules", { recursive: true });
  writeFileSync("mine/Move.toml", '[package]\nname = "mine"\n');
  const module = writeModule({ address: "0xcafe", name: "market", dependencies: [`${exchangeAddress}::pool`, "0x1::coin"] });
  writeFileSync("mine/build/mine/bytecode_modules/market.mv", module);
}

const lockPackage = async ({ run }: Stage): Promise<void> => {
  writePackage();
  await ended(run("lock mine mine/movedex.lock"));
};

const watches = async ({ run }: Stage): Promise<void> => {
  await ended(run(`watch add ${exchangeAddress}::pool 0x1::coin --level dangerous`));
  await ended(run(`watch add ${exchangeAddress} --for clients --level any --since oldest`));
  await ended(run("watch add 0xcafe::gone"));
};

holds("watch-add", {
  some: { held: "first", line: `watch add ${exchangeAddress}::pool 0x1::coin --level dangerous --for callers`, forms: text },
  known: { held: "first", before: watches, line: `watch add ${exchangeAddress}::pool --level dangerous`, forms: text },
  lock: { held: "first", before: lockPackage, line: "watch add mine/movedex.lock", forms: text },
  "lock-unread": {
    before: async (stage) => {
      writePackage();
      await ended(stage.run("sync --account 0xdead"));
      await ended(stage.run(`sync --account 0x1 --account ${exchangeAddress} --db other.db`));
      await ended(stage.run("lock mine mine/movedex.lock --against other.db"));
    },
    line: "watch add mine/movedex.lock",
    forms: text,
  },
  since: { held: "second", line: `watch add ${exchangeAddress} --since oldest`, forms: text },
  "not-there": { held: "first", line: "watch add 0x1::coinn 0xcafe", forms: text },
  "by-name": { held: "first", line: "watch add pool::create", forms: text },
  "no-subject": { held: "first", line: "watch add", forms: text },
});

holds("watch-list", {
  some: { held: "second", before: watches, line: "watch list", forms: ["txt", "json", "jsonl"] },
  removed: {
    held: "second",
    before: async (stage) => {
      await watches(stage);
      await ended(stage.run("watch remove 1"));
    },
    line: "watch list --all",
    forms: text,
  },
  none: { held: "first", line: "watch list" },
});

holds("watch-remove", {
  one: { held: "first", before: watches, line: "watch remove 2", forms: text },
  unknown: { held: "first", before: watches, line: "watch remove 7", forms: text },
});
