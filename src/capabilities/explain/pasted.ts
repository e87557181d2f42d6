import type { ErrorCodeAbi } from "../../core/abi/model.ts";
import { LEDGER_VERSION_MAX } from "../../core/base/numbers.ts";
import { DAY_MS } from "../../core/base/time.ts";
import type { ModuleArchive } from "../../core/db/archive/read/module-archive.ts";
import { sealedAmong, statusQueries } from "../../core/db/archive/read/status-queries.ts";
import type { MadeAt } from "../../core/db/archive/times/ledger-times.ts";
import type { Engine } from "../../core/db/engine/engine.ts";
import { type Address, parseAddress } from "../../core/move/address.ts";
import type { ModuleId } from "../../core/move/module-id.ts";
import { type AbortCodeParts, abortCodeParts, findError } from "../effects/abort-codes.ts";
import { type ErrorOfModule, identifierQueries, type ModuleWithSha } from "../search/identifiers.ts";
import { parseAbortCode, parseAbortMessage } from "./abort-message.ts";

/** What a text that was pasted into a search names by itself, beside words. */
export type Pasted =
  | { readonly kind: "account"; readonly address: Address; readonly label: string | undefined }
  | { readonly kind: "module"; readonly module: ModuleWithSha }
  /** An abort: of a module where one is named and held, with what it says of the code; else with what modules say of the reason. */
  | {
      readonly kind: "abort";
      readonly code: bigint;
      readonly parts: AbortCodeParts;
      readonly module: ModuleId | undefined;
      readonly error: ErrorCodeAbi | undefined;
      readonly candidates: readonly ErrorOfModule[];
    }
  /** The snapshot at or before a ledger version or the end of a day; `isExact`: of that version, or made on that day. */
  | ({ readonly kind: "snapshot"; readonly version: bigint; readonly isExact: boolean } & MadeAt);

/** Things of a kind that are given. */
const LIMIT = 10;

/**
 * What a text names: an abort code or a whole message, a ledger version or a day, the SHA-256 of a module's bytes or its first digits, an
 * address or its beginning, the label of an account. A number may be several of these.
 */
export async function readPasted(modules: ModuleArchive, text: string): Promise<Pasted[]> {
  const { engine } = modules;
  const q = text.trim();
  if (q === "" || q.length > 10_000) return [];
  const found: Pasted[] = [];
  const message = parseAbortMessage(q);
  if (message !== undefined) found.push(await abortOf(modules, message.code, message.module));
  const code = parseAbortCode(q);
  // A small number is no code with a category, and far more often a version or a word.
  if (message === undefined && code !== undefined && code > 0xffffn && abortCodeParts(code).category !== undefined)
    found.push(await abortOf(modules, code, undefined));
  found.push(...(await snapshotsOf(engine, q)));
  found.push(...(await accountsOf(modules, q)));
  const digits = /^(?:0x)?([0-9a-f]{8,64})$/i.exec(q)?.[1]?.toLowerCase();
  if (digits !== undefined)
    for (const module of await identifierQueries(engine).modulesBySha(digits.slice(0, digits.length & ~1), LIMIT))
      if (module.sha256.startsWith(digits)) found.push({ kind: "module", module });
  if (q.length >= 3 && q.length <= 100 && !q.includes("::"))
    for (const { address, label } of await identifierQueries(engine).accountsLabelled(q, LIMIT))
      found.push({ kind: "account", address, label });
  return found;
}

async function abortOf(modules: ModuleArchive, code: bigint, module: ModuleId | undefined): Promise<Pasted> {
  const version = module === undefined ? undefined : await modules.newestCovering(module.address);
  const held = module === undefined || version === undefined ? undefined : await modules.findModule(module, version);
  const content = held === undefined ? undefined : await modules.content(held);
  const errors = content?.kind === "decoded" ? content.module.abi.errors : [];
  const parts = abortCodeParts(code);
  const candidates =
    held === undefined
      ? await identifierQueries(modules.engine).errorsOfCode(parts.category === undefined ? code : parts.reason, LIMIT)
      : [];
  return { kind: "abort", code, parts, module: held === undefined ? undefined : module, error: findError(errors, code)?.error, candidates };
}

async function snapshotsOf(engine: Engine, q: string): Promise<Pasted[]> {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(q) ? Date.parse(`${q}T00:00:00Z`) : Number.NaN;
  const plain = /^[\d,_]{1,25}$/.test(q) ? BigInt(q.replaceAll(/[,_]/g, "") || "0") : undefined;
  if (Number.isNaN(day) && (plain === undefined || plain > LEDGER_VERSION_MAX)) return [];
  const sealed = sealedAmong(await statusQueries(engine).listSnapshots());
  const newest = sealed[0]?.ledgerVersion ?? -1n;
  const snapshot = Number.isNaN(day)
    ? sealed.find(({ ledgerVersion }) => ledgerVersion <= (plain as bigint))
    : sealed.find(({ ledgerTime }) => ledgerTime !== null && ledgerTime < day + DAY_MS);
  // What was not there yet when the archive was last sealed is no version that it can say anything of.
  if (snapshot === undefined || (plain !== undefined && plain > newest)) return [];
  const { ledgerVersion: version, ledgerTime, ledgerTimeErrorMs } = snapshot;
  const isExact = plain === undefined ? ledgerTime !== null && ledgerTime >= day : plain === version;
  return [{ kind: "snapshot", version, isExact, ledgerTime, ledgerTimeErrorMs }];
}

async function accountsOf(modules: ModuleArchive, q: string): Promise<Pasted[]> {
  const whole = /^(?:0x[0-9a-f]{1,64}|[0-9a-f]{64})$/i.test(q) ? parseAddress(q) : undefined;
  const isHeld = whole !== undefined && (await modules.newestCovering(whole)) !== undefined;
  const exact: Pasted[] = isHeld ? [{ kind: "account", address: whole, label: undefined }] : [];
  // Explorers shorten addresses: the beginning is what is left of one.
  const begins = /^0x([0-9a-f]{4,63})(?:…|\.{2,3})?/i
    .exec(q)?.[0]
    ?.replace(/(?:…|\.+)$/, "")
    .toLowerCase();
  if (begins === undefined || q.includes("::") || /\s/.test(q)) return exact;
  const others = (await identifierQueries(modules.engine).accountsBeginning(begins, LIMIT)).filter((address) => address !== whole);
  return [...exact, ...others.map((address): Pasted => ({ kind: "account", address, label: undefined }))];
}
