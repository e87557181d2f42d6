import { type ErrorMapSpan, type FoundError, findError, type Meaning, meaningsOf } from "../../abi/abort/abort-codes.ts";
import type { ErrorCodeAbi } from "../../abi/model.ts";
import type { ModuleArchive } from "../../archive/read/module-archive.ts";
import type { StoredModule } from "../../archive/read/module-queries.ts";
import type { ModuleId } from "../../move/module-id.ts";
import { resolveModule } from "../resolve-module.ts";
import type { Subject } from "../subject.ts";
import { codesOfError, type Raisers, raisersOf } from "./raisers.ts";

/** What an abort code of a module means, who raises it, and what it meant over time. */
export type AbortExplanation = {
  readonly module: ModuleId;
  readonly version: bigint;
  readonly code: bigint;
  /** The error that it stands for, if the module names it. */
  readonly found: FoundError | undefined;
  readonly raisers: Raisers;
  /** The module's error map, undefined when its bytes cannot be read. */
  readonly errors: readonly ErrorCodeAbi[] | undefined;
  /** What it meant over all snapshots, oldest first. */
  readonly meanings: readonly Meaning[];
};

/** Explains a code of a module. @throws NotHeldError */
export async function explainCode(archive: ModuleArchive, subject: Subject, code: bigint): Promise<AbortExplanation> {
  const { module, version } = await resolveModule(archive, subject);
  const content = await archive.content(module);
  const errors = content.kind === "decoded" ? content.module.abi.errors : undefined;
  const found = errors === undefined ? undefined : findError(errors, code);
  const isMeant = found?.error === undefined ? (one: bigint) => one === code : codesOfError({ errors: errors ?? [] }, found.error);
  return {
    module: { address: module.address, name: module.name },
    version,
    code,
    found,
    raisers: raisersOf(content, isMeant) ?? { raisedBy: [], reachedFrom: [] },
    errors,
    meanings: meaningsOf(code, await spansOf(archive, module)),
  };
}

async function spansOf(archive: ModuleArchive, module: ModuleId): Promise<ErrorMapSpan[]> {
  const spans: ErrorMapSpan[] = [];
  for (const span of await archive.historyOf(module)) spans.push({ from: span.from, to: span.to, errors: await errorsOf(archive, span) });
  return spans;
}

/** A module's error map; undefined when its bytes cannot be read, since no node's ABI has one. */
export async function errorsOf(
  archive: ModuleArchive,
  module: Pick<StoredModule, "bytecode">,
): Promise<readonly ErrorCodeAbi[] | undefined> {
  const content = await archive.content(module);
  return content.kind === "decoded" ? content.module.abi.errors : undefined;
}
