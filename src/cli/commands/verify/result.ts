import type { Damage, Slice } from "../../../archive/verify/verify.ts";
import { text, truth, whole } from "../../../base/result/kinds.ts";
import { all, from, list, named, object, orNull } from "../../../base/result/object.ts";
import type { Reread } from "../../../crawl/check/reread.ts";
import type { StopReason } from "../../../crawl/run/stop.ts";
import type { Repaired } from "./repair.ts";

export type Signal = Exclude<StopReason, "budget">;

export const noFindings = () => ({
  checked: new Map<string, { readonly done: number; readonly total: number }>(),
  /** The first of them, as many as were asked for. */
  shown: [] as Damage[],
  tables: new Set<string>(),
  count: 0,
});

export type DamageFound = ReturnType<typeof noFindings>;

export type Verified = {
  readonly findings: DamageFound;
  readonly repair: Repaired | undefined;
  readonly reread: Reread | undefined;
  /** What stopped the checking. Of a repair, its own text says it. */
  readonly signal: Signal | undefined;
  readonly elapsedMs: number;
};

const repair = object({
  views: whole,
  bytecodes: from("restored", list(text)),
  unreadable: from("lost", named(text)),
  modules_derived: from("derived", whole),
});

function stoppedBy({ signal, repair }: Verified): string | undefined {
  return signal ?? repair?.stoppedBy;
}

/** What `verify --json` prints. */
export const verifyResult = object({
  ok: from((verified: Verified) => verified.findings.count === 0 && stoppedBy(verified) === undefined, truth),
  stopped_by: from(stoppedBy, orNull(text)),
  slice: from(({ slice }: { readonly slice: Slice }) => `${slice.part + 1}/${slice.of}`, text),
  checked: from(
    ({ findings }: Verified) => Object.fromEntries(Array.from(findings.checked, ([name, { done }]) => [name.replaceAll(" ", "_"), done])),
    named(whole),
  ),
  findings_count: from("findings.count", whole),
  repair: orNull(repair),
  sample: from("reread", orNull(object({ ...all(whole, "drawn", "agree"), unread: named(whole) }))),
  findings: from("findings.shown", list(object({ table: text, row: text, problem: text }))),
});
