import { statSync } from "node:fs";
import { printable } from "../../core/base/printable.ts";
import { address, from, maybe, orNull, text, time, truth, version, whole } from "../../core/base/result.ts";
import { type Io, rowsToCome } from "../../core/cli/io.ts";
import type { DatabaseFlags } from "../../core/cli/options/declared-command.ts";
import { type ListOutput, list, printList } from "../../core/cli/output/list.ts";
import { changeBesideRuns, requireDatabase, withStore } from "../../core/cli/store-access.ts";
import { frameworkAccounts, targetQueries } from "../../core/crawl/targets/targets.ts";
import { derivationQueries } from "../../core/db/archive/content/derive.ts";
import type { Engine } from "../../core/db/engine/engine.ts";
import { ConfigError } from "../../core/errors.ts";
import type { Address } from "../../core/move/address.ts";
import { type LabelledAccount, labelOf, listedIn } from "./file/targets-file.ts";
import { findTargets, type ListedTarget, type NewTarget, type TargetReason, targetList } from "./target-list.ts";

/** What `targets list` prints. Only `--all` has `removed_at`. */
export const targetColumns = list({
  columns: {
    address,
    label: orNull(text),
    reason: text,
    via: orNull(text),
    depth: whole,
    added_by: orNull(text),
    added_at: time,
    last_read: from("lastRead.version", orNull(version)),
    last_read_at: from("lastRead.sealedAt", orNull(time)),
    has_modules: from("lastRead.hasModules", orNull(truth)),
    removed_at: maybe(orNull(time)),
  },
  hasHeader: true,
});

/** An address, and how a person wrote it. */
export type GivenAddress = Pick<LabelledAccount, "address" | "given">;

export type NoteFlags = DatabaseFlags & { readonly label?: string };

export type ListFlags = DatabaseFlags & ListOutput & { readonly all?: boolean };

export type DiscoverFlags = DatabaseFlags & { readonly depth: number; readonly dryRun?: boolean };

export async function addGivenTargets(io: Io, given: readonly GivenAddress[], flags: NoteFlags): Promise<void> {
  await addToList(io, flags, "given", new Map(given.map(({ address }) => [address, null])));
  sayDoubts(io, given);
}

/** `targets import`: the file is read to its end before anything is written, so that one bad row leaves no trace. */
export async function importTargets(io: Io, file: string, flags: NoteFlags): Promise<void> {
  if (file !== "-" && mayHaveNoEnd(file)) {
    const text = `could not read the targets file \`${printable(file)}\`: it is not a regular file. Give what a program writes on stdin, as \`-\`.`;
    throw new ConfigError(text, { facts: { path: file } });
  }
  // Of an account that comes more than once the first label counts.
  const labels = new Map<Address, string | null>();
  const doubtful: GivenAddress[] = [];
  for await (const { address, label, given } of listedIn(file, io)) {
    labels.set(address, labels.get(address) ?? label);
    if (doubtful.length <= DOUBTS_SAID && doubtAbout(given) !== undefined) doubtful.push({ address, given });
  }
  if (labels.size === 0)
    throw new ConfigError(`the targets file \`${printable(file)}\` names no account. No address was added.`, { facts: { file } });
  await addToList(io, flags, "imported", labels);
  sayDoubts(io, doubtful);
}

function mayHaveNoEnd(path: string): boolean {
  try {
    return !statSync(path).isFile();
  } catch {
    // Whoever reads it says what is wrong.
    return false;
  }
}

/** Adds accounts with their labels; those without one have that of the command line. */
async function addToList(
  io: Io,
  { db, label: ofAll }: NoteFlags,
  reason: TargetReason,
  labels: ReadonlyMap<Address, string | null>,
): Promise<void> {
  const [own, addedBy] = [labelOf(ofAll), labelOf(io.env["USER"])];
  // Made as they are wanted: a list may have millions.
  const targets = {
    *[Symbol.iterator](): Generator<NewTarget> {
      for (const address of [...labels.keys()].sort())
        yield { address, reason, via: null, depth: 0, addedBy, label: labels.get(address) ?? own };
    },
  };
  const { result, note } = await changeBesideRuns(io, db, async (engine) => ({
    isFirst: !(await targetQueries(engine).hasTargets()),
    added: await targetList(engine).addTargets(targets, io.clock.now()),
  }));
  const { added, isFirst } = result;
  await io.stdout(`${added} added, ${labels.size - added} already on the list${note}\n`);
  if (!isFirst || added === 0) return;
  const kept = `\`movedex targets add ${frameworkAccounts.join(" ")}\` keeps them`;
  io.stderr(`movedex: from now on the list alone is read, and no longer the framework accounts. ${kept}\n`);
}

/**
 * Why an address as somebody gave it may be another one: addresses that people use have up to 6 digits, or 64 of which the first few may
 * be zeros; and only other chains mix letters' cases, as a checksum. Undefined where nothing speaks against it.
 */
function doubtAbout(given: string): string | undefined {
  const digits = given.replace(/^0x/, "");
  if (/[a-f]/.test(digits) && /[A-F]/.test(digits)) return "it mixes upper and lower case, as addresses of other chains do";
  if (digits.length > 6 && digits.length < 58)
    return `it has ${digits.length} digits, and accounts have up to 6 or nearly 64: was it cut, or is it of another chain?`;
  return undefined;
}

const DOUBTS_SAID = 5;

/** Names addresses that may be others than were meant. They are on the list: whoever gave them knows better. */
function sayDoubts(io: Io, given: readonly GivenAddress[]): void {
  const doubts = given.flatMap(({ given }) => {
    const doubt = doubtAbout(given);
    return doubt === undefined ? [] : [`movedex: \`${printable(given)}\` was added, but ${doubt}\n`];
  });
  io.stderr(doubts.slice(0, DOUBTS_SAID).join(""));
  if (doubts.length > DOUBTS_SAID) io.stderr("movedex: there are more such addresses. `movedex targets remove` takes them off the list.\n");
}

export async function removeTargets(io: Io, addresses: readonly Address[], { db }: DatabaseFlags): Promise<void> {
  await requireDatabase(db);
  const { result: removed, note } = await changeBesideRuns(io, db, (engine) => targetList(engine).removeTargets(addresses, io.clock.now()));
  await io.stdout(`${removed} removed, ${new Set(addresses).size - removed} not on the list; what was read of them stays${note}\n`);
}

/** `targets list`: rows are printed as they come out of the database, however many. */
export async function listTargets(io: Io, flags: ListFlags): Promise<void> {
  const hasTargets = await withStore(io, flags.db, "read", async (engine) => {
    let hasTargets = false;
    const rows = async function* (): AsyncGenerator<ListedTarget> {
      for await (const targets of targetList(engine).listTargets({ withRemoved: flags.all === true })) {
        hasTargets = true;
        yield* targets;
      }
    };
    await printList(io, targetColumns, rows(), { ...flags, leaves: flags.all ? [] : ["removed_at"] });
    return hasTargets;
  });
  if (!hasTargets) io.stderr("movedex: no targets are stored; `sync` reads the framework accounts 0x1, 0x3, 0x4, 0x5, 0x7 and 0xa.\n");
}

export async function discoverTargets(io: Io, { db, depth, dryRun: isDryRun = false }: DiscoverFlags): Promise<void> {
  await requireDatabase(db);
  const walk = async (engine: Engine) => {
    const targets = await findTargets(engine, depth);
    return {
      found: targets,
      added: isDryRun ? 0 : await targetList(engine).addTargets(targets, io.clock.now()),
      lacks: rowsToCome(await derivationQueries(engine).underived()) ?? "",
    };
  };
  const { result, note } = isDryRun ? { result: await withStore(io, db, "read", walk), note: "" } : await changeBesideRuns(io, db, walk);
  const { found, added, lacks } = result;
  for (const { address, reason, via } of found) {
    await io.stdout(`${address}  ${reason}${via === null ? "" : ` of ${printable(via)}`}\n`);
  }
  io.stderr(
    `${found.length} found${isDryRun ? ", nothing was written" : `, ${added} added${note}`}. ` +
      `This follows dependencies only; it does not find who uses these modules.\n${lacks}`,
  );
}
