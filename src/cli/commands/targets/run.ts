import { printable } from "../../../base/printable.ts";
import { discoverTargets as discover } from "../../../crawl/targets/targets.ts";
import { parseTargetsFile } from "../../../crawl/targets/targets-file.ts";
import type { Address } from "../../../move/address.ts";
import { StoreError } from "../../../store/errors.ts";
import { openStore, type Store } from "../../../store/store.ts";
import type { NewTarget, Target } from "../../../store/work/targets.ts";
import type { Io } from "../../io.ts";
import { readTextInput } from "../../options/text-file.ts";
import { rowPrinter } from "../../output/rows.ts";
import { packageVersion } from "../../package-version.ts";

/** `targets add`, and the end of `targets import`. */
export async function addTargets(io: Io, path: string, addresses: readonly Address[], reason: "given" | "imported"): Promise<void> {
  const { result: added, note } = await changeList(io, path, (store) =>
    store.addTargets(
      addresses.map((address): NewTarget => ({ address, reason, via: null, depth: 0 })),
      io.clock.now(),
    ),
  );
  await io.stdout(`${added} added, ${new Set(addresses).size - added} already on the list${note}\n`);
}

/** `targets import`. */
export async function importTargets(io: Io, path: string, file: string): Promise<void> {
  await addTargets(io, path, parseTargetsFile(await readTextInput(io, file, "targets file"), file === "-" ? "stdin" : file), "imported");
}

/** `targets remove`. */
export async function removeTargets(io: Io, path: string, addresses: readonly Address[]): Promise<void> {
  const { result: removed, note } = await changeList(io, path, (store) => store.removeTargets(addresses, io.clock.now()));
  await io.stdout(`${removed} removed, ${new Set(addresses).size - removed} not on the list; what was read of them stays${note}\n`);
}

/** `targets list`. */
export async function listTargets(
  io: Io,
  path: string,
  options: { readonly withRemoved: boolean; readonly asJson: boolean },
): Promise<void> {
  const targets = await withStore(io, path, "read", (store) => store.listTargets({ withRemoved: options.withRemoved }));
  const columns = ["address", "reason", "via", "depth", "added_at", ...(options.withRemoved ? ["removed_at"] : [])];
  const writer = rowPrinter(options.asJson ? "jsonl" : "table", columns);
  const rows = targets.map((target) => writer.row([...targetCells(target), ...(options.withRemoved ? [isoTime(target.removedAt)] : [])]));
  await io.stdout(writer.begin() + rows.join("") + writer.end());
  if (targets.length === 0)
    io.stderr("movedex: no targets are stored; `sync` reads the framework accounts 0x1, 0x3, 0x4, 0x5, 0x7 and 0xa.\n");
}

/** `targets discover`. */
export async function discoverTargets(io: Io, path: string, depth: number, isDryRun: boolean): Promise<void> {
  const { found, added } = await withStore(io, path, isDryRun ? "read" : "write", async (store) => {
    const targets = await discover(store, depth);
    return { found: targets, added: isDryRun ? 0 : await store.addTargets(targets, io.clock.now()) };
  });
  for (const { address, reason, via } of found) {
    await io.stdout(`${address}  ${reason}${via === null ? "" : ` of ${printable(via)}`}\n`);
  }
  io.stderr(
    `${found.length} found${isDryRun ? ", nothing was written" : `, ${added} added`}. ` +
      "This walks towards dependencies only: who uses these modules is not found this way.\n",
  );
}

function targetCells({ address, reason, via, depth, addedAt }: Target): (string | bigint | null)[] {
  return [address, reason, via, BigInt(depth), isoTime(addedAt)];
}

function isoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

/** Changes the list even while a run has the lock: its plan is made, so the change counts from the next run on. */
async function changeList<T>(
  io: Io,
  path: string,
  work: (store: Store) => Promise<T>,
): Promise<{ readonly result: T; readonly note: string }> {
  try {
    return { result: await withStore(io, path, "write", work), note: "" };
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "MOVEDEX_STORE_LOCKED") throw error;
    return { result: await withStore(io, path, "join", work), note: "; another run is at work, so this counts from the next run on" };
  }
}

async function withStore<T>(io: Io, path: string, mode: "read" | "write" | "join", work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(path, mode !== "write" ? { mode } : { mode, now: io.clock.now, appVersion: packageVersion() });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
