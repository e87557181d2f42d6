import { type ErrorCodeAbi, isExposed } from "../../core/abi/model.ts";
import type { StoredContent } from "../../core/db/archive/content/stored-content.ts";
import type { ModuleArchive, StoredModule } from "../../core/db/archive/read/module-archive.ts";
import { ifDecodable } from "../../core/move/decode-error.ts";
import type { ModuleId } from "../../core/move/module-id.ts";
import { resolveModule } from "../../core/questions/resolve-module.ts";
import type { Subject } from "../../core/questions/subject.ts";
import { type ErrorMapSpan, findError, meaningsOf } from "../effects/abort-codes.ts";
import { ModuleEffects } from "../effects/module-effects.ts";
import { functionsOf } from "../effects/module-functions.ts";

/** What an abort code of a module means, who raises it, and what it meant over time. */
export type AbortExplanation = Awaited<ReturnType<typeof explainCode>>;

/** Explains a code of a module. @throws NotHeldError */
export async function explainCode(archive: ModuleArchive, subject: Subject, code: bigint) {
  const { module, version } = await resolveModule(archive, subject);
  const content = await archive.content(module);
  const errors = errorsIn(content);
  const found = findError(errors ?? [], code);
  const meant = found?.error;
  const isMeant = (one: bigint): boolean => (meant === undefined ? one === code : findError(errors ?? [], one)?.error?.code === meant.code);
  return {
    module: { address: module.address, name: module.name },
    version,
    code,
    /** The error that it stands for, if the module names it. */
    found,
    raisers: raisersOf(content, isMeant) ?? { raisedBy: [], reachedFrom: [] },
    /** The module's error map, undefined when its bytes cannot be read. */
    errors,
    /** What it meant over all snapshots, oldest first. */
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
  return errorsIn(await archive.content(module));
}

const errorsIn = (content: StoredContent) => (content.kind === "decoded" ? content.module.abi.errors : undefined);

/** Functions of a module that raise an abort code, and those that others can call which reach it. */
export type Raisers = { readonly raisedBy: readonly string[]; readonly reachedFrom: readonly string[] };

/** Which functions raise a code: those that have it while nothing that they call has it. Undefined where the code cannot be followed. */
function raisersOf(content: StoredContent, isMeant: (code: bigint) => boolean): Raisers | undefined {
  const functions = functionsOf(content);
  if (content.kind !== "decoded" || functions === undefined) return undefined;
  const { abi } = content.module;
  return ifDecodable(() => {
    const effects = new ModuleEffects(abi, functions);
    const has = new Map(
      [...functions.keys()].map((name) => [name, effects.facts(name).some(({ code }) => code !== undefined && isMeant(code))]),
    );
    const raises = (name: string): boolean => {
      const own = effects.of(name)?.aborts.flatMap(({ code, isDead }) => (isDead ? [] : (code?.terms ?? []))) ?? [];
      if (own.some(({ param, plus }) => param === undefined && isMeant(plus))) return true;
      return has.get(name) === true && !effects.callees(name).some((callee) => has.get(callee) === true);
    };
    return {
      raisedBy: abi.functions.map(({ name }) => name).filter(raises),
      reachedFrom: abi.functions.filter((fn) => isExposed(fn) && has.get(fn.name) === true).map(({ name }) => name),
    };
  });
}
