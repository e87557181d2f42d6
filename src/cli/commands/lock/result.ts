import { all, from, list, object, orNull, sha256, text, version, whole } from "../../../base/result.ts";
import { itemNameOf, moduleNameOf } from "../../../move/module-id.ts";
import { type ItemChange, type LockCheck, lockVerdict } from "../../../questions/lock/check-lock.ts";
import type { LockedModule } from "../../../questions/lock/lock-file.ts";
import { lockSentence } from "../../../questions/lock/sentences.ts";
import { diffResult, incomparable } from "../diff/result.ts";

const changes = list(
  object({
    module: from(({ item }: ItemChange) => moduleNameOf(item), text),
    item_kind: from("kind", text),
    item: from(({ item }: ItemChange) => itemNameOf(item), text),
    change: from("what", text),
  }),
);

const module = object({
  module: from(([id]: readonly [string, LockedModule]) => id, text),
  package: from(([, locked]: readonly [string, LockedModule]) => locked.package, orNull(text)),
  ledger_version: from(([, locked]: readonly [string, LockedModule]) => locked.ledgerVersion, version),
  sha256: from(([, locked]: readonly [string, LockedModule]) => locked.sha256, sha256),
  functions: from(([, locked]: readonly [string, LockedModule]) => locked.functions.size, whole),
  structs: from(([, locked]: readonly [string, LockedModule]) => locked.structs.size, whole),
});

/** What `lock --json` prints: what is locked, and how what is there now differs. */
export const lockResult = object({
  verdict: from(lockVerdict, text),
  summary: from(lockSentence, text),
  modules: from(({ lock }: LockCheck) => [...lock.modules], list(module)),
  changed: changes,
  warned: changes,
  ...all(list(text), "replaced"),
  incomparable: from("unknown", incomparable),
  report: orNull(diffResult),
});
