import { abuseAll } from "./abuse.ts";

/** Misbehaves in a process of its own, so that it does not slow down those who ask well: `node abuse-main.ts PORT SECONDS PATH…` */
const [port = "", seconds = "", ...paths] = process.argv.slice(2);
const until = performance.now() + Number(seconds) * 1000;
await abuseAll(Number(port), paths, () => performance.now() > until);
process.exit(0);
