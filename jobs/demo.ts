import { existsSync, rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { main } from "../src/main.ts";
import { createSampleLedger, replayHistory, startSimNode } from "../src/sim/index.ts";

/**
 * The main job on an embedded default, no network needed: a small ledger node on 127.0.0.1, two nights with a day of
 * upgrades between them, the first queries, and a database to play with.
 *
 *     npm run demo                       the sample ledger
 *     npm run demo -- --history DIR      a recorded history of releases, its last --nights releases
 */
const { values } = parseArgs({
  options: {
    history: { type: "string" },
    nights: { type: "string", default: "3" },
    db: { type: "string", default: "movedex-demo.db" },
  },
});
const { db } = values;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** Shows a command line as a person would type it, and runs it. */
async function run(...args: string[]): Promise<void> {
  say(`\n$ movedex ${args.map((arg) => (/[^\w./:=-]/.test(arg) ? `"${arg}"` : arg)).join(" ")}`);
  const code = await main(args);
  if (code !== 0) throw new Error(`\`movedex ${args[0]}\` ended with exit code ${code}`);
}

const query = (sql: string): Promise<void> => run("query", sql, "--db", db);

/** Yesterday's demonstration goes; a database that somebody keeps is not called so. */
function beginAnew(): void {
  for (const suffix of ["", "-wal", "-shm", ".lock"]) if (existsSync(db + suffix)) rmSync(db + suffix);
}

async function sampleNights(): Promise<void> {
  const sample = createSampleLedger();
  await using node = await startSimNode({ ledger: sample.ledger });
  const sync = ["sync", "--rpc", node.url, "--db", db, "--rate", "0"];
  say(`A small ledger node listens on ${node.url}. Which accounts to read:`);
  await run("targets", "add", ...sample.codeAccounts, sample.trader, "--db", db);
  say("\nThe first night.");
  await run(...sync);
  sample.passDay();
  say("\nA day passes: modules are upgraded, one is published, a key is rotated. The second night.");
  await run(...sync);
  const exchange = sample.codeAccounts[2] as string;
  say("\nWhich modules changed?");
  await query("SELECT address, module, after_version, at_or_before_version, abi_changed FROM module_changes");
  say("\nWhich functions came or went between the two nights?");
  await query(
    "SELECT min(ledger_version) AS first_seen, max(ledger_version) AS last_seen, module, name FROM functions_at " +
      "GROUP BY address, module, name HAVING count(*) < (SELECT count(*) FROM snapshots)",
  );
  say("\nWhat can a transaction call on the exchange today?");
  await query(`SELECT module, signature FROM functions_latest WHERE address = '${exchange}' AND is_entry`);
  say("\nWho rotated a key?");
  await query(
    "SELECT address, min(ledger_version) AS seen_since, authentication_key FROM accounts_at " +
      "GROUP BY address, authentication_key HAVING address IN (SELECT address FROM accounts_at GROUP BY address HAVING count(DISTINCT authentication_key) > 1)",
  );
}

async function historyNights(directory: string): Promise<void> {
  const { ledger, releases } = replayHistory({ directory });
  await using node = await startSimNode({ ledger });
  say(`A node that replays ${releases.length} recorded releases listens on ${node.url}.`);
  for (const { version, date } of releases.slice(-Number(values.nights))) {
    say(`\nThe release of ${date}.`);
    await run("sync", "--rpc", node.url, "--db", db, "--rate", "0", "--ledger-version", `${version}`);
  }
  say("\nHow much changed from release to release?");
  await query(
    "SELECT at_or_before_version, count(*) AS modules, sum(abi_changed) AS with_a_new_abi FROM module_changes GROUP BY at_or_before_version",
  );
  say("\nThe modules with most entry functions today.");
  await query(
    "SELECT address, module, count(*) AS entries FROM functions_latest WHERE is_entry GROUP BY 1, 2 ORDER BY entries DESC LIMIT 5",
  );
}

beginAnew();
await (values.history === undefined ? sampleNights() : historyNights(values.history));
say("");
await run("status", "--db", db);
say(`\nThe database is ${db}. Ask it more: npm run -s movedex -- query "SELECT * FROM structs_latest WHERE is_event" --db ${db}`);
