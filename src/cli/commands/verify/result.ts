import type { Damage, Slice } from "../../../archive/verify/verify.ts";
import { all, from, list, named, object, orNull, text, truth, whole } from "../../../base/result.ts";
import type { Reread } from "../../../crawl/check/reread.ts";
import type { StopReason } from "../../../crawl/run/stop.ts";
import type { ExitName } from "../../../exit-codes.ts";

export type Signal = Exclude<StopReason, "budget">;

export const noFindings = () => ({
  checked: new Map<string, { readonly done: number; readonly total: number }>(),
  /** The first of them, as many as were asked for. */
  shown: [] as Damage[],
  count: 0,
});

export type DamageFound = ReturnType<typeof noFindings>;

export type Verified = {
  readonly exit: ExitName;
  readonly slice: Slice;
  readonly findings: DamageFound;
  /** Of how many bytecodes rows were made anew. */
  readonly rebuilt: number | undefined;
  readonly reread: Reread | undefined;
  readonly signal: Signal | undefined;
  readonly elapsedMs: number;
};

export const sliceText = ({ part, of }: Slice): string => `${part + 1}/${of}`;

/** What `verify --json` prints. */
export const verifyResult = object({
  ok: from(({ findings, signal }: Verified) => findings.count === 0 && signal === undefined, truth),
  stopped_by: from("signal", orNull(text)),
  slice: from(({ slice }: Verified) => sliceText(slice), text),
  checked: from(
    ({ findings }: Verified) => Object.fromEntries(Array.from(findings.checked, ([name, { done }]) => [name.replaceAll(" ", "_"), done])),
    named(whole),
  ),
  findings_count: from("findings.count", whole),
  rebuilt: orNull(whole),
  sample: from("reread", orNull(object({ ...all(whole, "drawn", "agree"), unread: named(whole) }))),
  findings: from("findings.shown", list(object({ table: text, row: text, problem: text }))),
});
