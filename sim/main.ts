import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { mixedFaults } from "./faults/index.ts";
import type { Generation } from "./ledger/generation.ts";
import { replayHistory } from "./ledger/history.ts";
import type { SimLedger } from "./ledger/ledger.ts";
import { manyAccounts } from "./ledger/many-accounts.ts";
import { createSampleLedger } from "./sample/index.ts";
import { startSimNode } from "./server.ts";

const HELP = `npx node sim/main.ts --sample | --history DIR | --accounts N [options]

  --sample             a small ledger
  --history DIR        what a folder has recorded of a network
  --accounts N         a ledger of so many accounts
  --network NAME       of --history (default: aptos-devnet)
  --port N             (default: 0, any)
  --page-size N        modules of a page at most (default: 9999)
  --generation LETTER  of the node's answers (default: D)
  --faults SHARE       the share of requests that fail
  --seed N             of --accounts and --faults (default: 1)
`;

/**
 * A simulated node as its own process; HELP has its options. It prints one JSON line with `url`, `head` and `oldest` when it listens,
 * and one such line, with `requests` and `peakConcurrency` besides, after every command on stdin: `advance N`, `prune N`, `day` (what
 * the chosen ledger calls a day of changes), `status`. It ends on SIGTERM and when stdin closes.
 */
const { values } = parseArgs({
  options: {
    help: { type: "boolean", default: false },
    sample: { type: "boolean", default: false },
    history: { type: "string" },
    network: { type: "string", default: "aptos-devnet" },
    accounts: { type: "string" },
    port: { type: "string", default: "0" },
    "page-size": { type: "string", default: "9999" },
    generation: { type: "string", default: "D" },
    faults: { type: "string" },
    seed: { type: "string", default: "1" },
  },
});

if (values.help) {
  process.stdout.write(HELP);
  process.exit();
}

type Scene = { readonly ledger: SimLedger; readonly passDay: () => void };

function chooseScene(): Scene {
  if (values.history !== undefined) {
    const { ledger } = replayHistory({ directory: values.history, network: values.network });
    return { ledger, passDay: () => ledger.advance(1000n) };
  }
  if (values.accounts !== undefined) {
    const many = manyAccounts(Number(values.accounts), { seed: Number(values.seed) });
    return { ledger: many.ledger, passDay: () => void many.upgradeEvery(100) };
  }
  if (!values.sample) throw new Error("which ledger? --sample, --history DIR or --accounts N");
  const sample = createSampleLedger();
  return { ledger: sample.ledger, passDay: () => void sample.passDay() };
}

const { ledger, passDay } = chooseScene();
const node = await startSimNode({
  ledger,
  port: Number(values.port),
  maxPageSize: Number(values["page-size"]),
  generation: values.generation as Generation,
  log: false,
  ...(values.faults === undefined ? {} : { faults: mixedFaults({ seed: Number(values.seed), share: Number(values.faults) }) }),
});

const commands: Readonly<Record<string, (count: bigint) => void>> = {
  advance: (count) => ledger.advance(count),
  prune: (version) => ledger.pruneTo(version),
  day: passDay,
  status: () => {},
};

function say(facts: Readonly<Record<string, string | number>> = {}): void {
  const { head, oldest } = ledger;
  process.stdout.write(`${JSON.stringify({ url: node.url, head: head.toString(), oldest: oldest.toString(), ...facts })}\n`);
}

const input = createInterface({ input: process.stdin });
input.on("line", (line) => {
  const [word = "", count = "0"] = line.trim().split(" ");
  commands[word]?.(BigInt(count));
  say({ requests: node.requestCount, peakConcurrency: node.peakConcurrency, ...(commands[word] ? {} : { unknown: word }) });
});
input.on("close", () => void node.close());
process.on("SIGTERM", () => input.close());
// Last, so that who reads the line finds every handler in place.
say();
