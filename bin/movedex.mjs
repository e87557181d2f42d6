#!/usr/bin/env node
// An old Node.js is told here what to do. Nothing but what 12.20 can parse, and no import but of built-ins: on Node.js 20 better-sqlite3
// kills the process with SIGSEGV, and 22 and 23 have no SuppressedError, which a night needs.
import { existsSync, readFileSync } from "node:fs";

const { engines, homepage } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const oldest = /\d[\d.]*/.exec(engines.node)[0];

function isOlder(version, than) {
  const [parts, least] = [version, than].map((text) => text.split(".").map(Number));
  const at = least.findIndex((part, i) => part !== parts[i]);
  return at >= 0 && parts[at] < least[at];
}

if (isOlder(process.versions.node, oldest)) {
  const isClone = existsSync(new URL("../src/main.ts", import.meta.url));
  const advice = isClone
    ? "In a clone run `npm ci` once, and then `npx movedex`: it uses the Node.js that npm has installed there.\n"
    : "Install a newer Node.js from https://nodejs.org/, and then movedex again with the npm that comes with it.\n" +
      "If you have a newer one, put its folder first in PATH. Cron and services have a PATH of their own.\n" +
      `Releases of movedex also have archives with Node.js inside: ${homepage.replace(/#.*/, "")}/releases\n`;
  process.stderr.write(`movedex needs Node.js ${oldest} or newer, and this is ${process.version} (${process.execPath}).\n${advice}`);
  process.exitCode = 1;
} else {
  // Stands where the program stops without an end, as Node.js says it of a module that waits for ever.
  process.exitCode = 13;
  void import("./start.mjs");
}
