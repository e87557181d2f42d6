import Database from "better-sqlite3";
import { createSampleLedger, faults, startSimNode, writeModule } from "../../sim/index.ts";
import { viewNames } from "../../src/core/db/schema/view-statements.ts";
import { ManualClock, runCli } from "../support/index.ts";

/** An account that appears late, with numbers above 2^63, a function that is renamed and a module that goes. */
export const late = `0x${"1a7e".repeat(16)}`;

/** Its module `odd` before and after: also another declaration, and another name of an error. `plain` only has other code. */
const odd = (name: string, type: string, nine: string) =>
  writeModule({
    address: late,
    name: "odd",
    functions: [
      { name, visibility: "public", params: ["u64", "address"], returns: ["bool"], abortCode: 7 },
      { name: "take", visibility: "public", params: [type] },
    ],
    errors: [9n, 10n, 2n ** 63n - 1n, 2n ** 63n, 10n ** 19n, 2n ** 64n - 1n].map((code) => ({
      code,
      name: code === 9n ? nine : `E${code}`,
      description: "",
    })),
    dependencies: ["0x77::unread"],
  });
const plain = (abortCode: number) => writeModule({ address: late, name: "plain", functions: [{ name: "stop", abortCode }] });

/**
 * Makes an archive that has rows in as many views as the sample ledger gives, by the commands that people run: two nights, one with a gap,
 * one more, one of an older version that is sealed after it, and changes that are traced.  */
export async function makeArchive(db: string): Promise<void> {
  const { ledger, codeAccounts, trader, passDay } = createSampleLedger();
  const isMissed = ({ target }: { readonly target: string }) => target.includes(late) && target.includes("4000000");
  const missed = faults.planFaults([{ fault: faults.unknownError(400, "odd_error"), match: isMissed }]);
  await using node = await startSimNode({ ledger, faults: missed });
  const run = async (...words: readonly string[]): Promise<void> => {
    const { code, stderr } = await runCli([...words, "--db", db], { clock: new ManualClock({ skipSleeps: true }) });
    if (code !== 0 && code !== 2) throw new Error(`movedex ${words.join(" ")}: ${code}\n${stderr}`);
  };
  const read = (version = ledger.head) => run("sync", "--rpc", node.url, "--rate", "0", "--ledger-version", `${version}`);
  await run("targets", "add", ...codeAccounts, trader, late);
  await run("watch", "add", ...codeAccounts);
  await read();
  passDay();
  await read();
  ledger.transact((writer) => {
    writer.account(late, { sequenceNumber: 2n ** 63n + 5n });
    writer.publish(late, "odd", odd("old_name", "u8", "ENINE"));
    writer.publish(late, "plain", plain(1));
    writer.publish(late, "gone", writeModule({ address: late, name: "gone", structs: [{ name: "Left", abilities: ["key"] }] }));
  });
  ledger.advanceTo(4_000_000n);
  await read();
  ledger.transact((writer) => {
    writer.account(late, { sequenceNumber: 10n ** 19n });
    writer.publish(late, "odd", odd("new_name", "u16", "ENEUN"));
    writer.publish(late, "plain", plain(2));
    writer.remove(late, "gone");
  });
  ledger.advanceTo(4_200_000n);
  await read();
  await read(3_900_000n);
  await run("trace", "--rpc", node.url, "--rate", "0");
}

/** How many rows each view has, as movedex's own SQLite counts them. */
export function countsOf(db: string): ReadonlyMap<string, number> {
  const database = new Database(db, { readonly: true });
  try {
    return new Map(
      viewNames("sqlite").map((name) => [name, database.prepare<[], number>(`SELECT count(*) FROM ${name}`).pluck().get() as number]),
    );
  } finally {
    database.close();
  }
}
