import { abortCodeParts } from "../../../abi/abort/category.ts";
import { findError } from "../../../abi/abort/error-lookup.ts";
import { type ErrorMapSpan, meaningsOf } from "../../../abi/abort/meanings.ts";
import type { ErrorCodeAbi } from "../../../abi/model.ts";
import { printable } from "../../../base/printable.ts";
import type { ModuleId } from "../../../move/types/types.ts";
import { type ModuleArchive, openModuleArchive, type StoredModule } from "../../../store/read/module-archive.ts";
import type { Io } from "../../io.ts";
import { findShownModule } from "../../options/resolve-module.ts";
import type { Subject } from "../../options/subject.ts";
import { rowWriter } from "../../output/rows.ts";
import { type ExplainRequest, parseExplainRequest } from "./request.ts";
import { categoryText, type Explanation, explanationText } from "./text.ts";

/** Runs `explain`. */
export async function runExplain(io: Io, path: string, words: readonly string[], asJson: boolean): Promise<void> {
  const request = parseExplainRequest(words);
  const { subject, code } = request;
  if (subject === undefined) {
    await io.stdout(asJson ? `${JSON.stringify(partsJson(code as bigint))}\n` : categoryText(code as bigint));
    return;
  }
  const archive = await openModuleArchive(path);
  try {
    if (code === undefined) await printAll(io, archive, subject, asJson);
    else {
      const explanation = await explain(archive, subject, code, request);
      await io.stdout(asJson ? `${JSON.stringify(explanationJson(explanation))}\n` : explanationText(explanation));
    }
  } finally {
    await archive.close();
  }
}

async function explain(archive: ModuleArchive, subject: Subject, code: bigint, { name }: ExplainRequest): Promise<Explanation> {
  const { module, version } = await findShownModule(archive, subject);
  const errors = await errorsOf(archive, module);
  return {
    module: { address: module.address, name: module.name },
    version,
    code,
    found: errors === undefined ? undefined : findError(errors, code),
    errors,
    meanings: meaningsOf(code, await spansOf(archive, module)),
    toldName: name,
  };
}

async function printAll(io: Io, archive: ModuleArchive, subject: Subject, asJson: boolean): Promise<void> {
  const { module, version } = await findShownModule(archive, subject);
  const errors = (await errorsOf(archive, module)) ?? [];
  const writer = rowWriter(asJson ? "json" : "table", ["code", "name", "description"]);
  io.stderr(`movedex: ${module.address}::${module.name} explains ${errors.length} abort codes at ledger version ${version}\n`);
  const rows = errors.map((error) => writer.row([error.code, error.name, printable(error.description.replaceAll(/\s+/g, " "), 2000)]));
  if (asJson || rows.length > 0) await io.stdout(writer.begin() + rows.join("") + writer.end());
}

async function spansOf(archive: ModuleArchive, module: ModuleId): Promise<ErrorMapSpan[]> {
  const spans: ErrorMapSpan[] = [];
  for (const span of await archive.historyOf(module)) {
    spans.push({ from: span.from, to: span.to, errors: await errorsOf(archive, span) });
  }
  return spans;
}

/** A module's error map; undefined when its bytes cannot be read, since no node's ABI has one. */
async function errorsOf(archive: ModuleArchive, module: Pick<StoredModule, "bytecode">): Promise<readonly ErrorCodeAbi[] | undefined> {
  const content = await archive.content(module);
  return content.kind === "decoded" ? content.module.abi.errors : undefined;
}

function partsJson(code: bigint): Record<string, unknown> {
  const { reason, category } = abortCodeParts(code);
  return { code: code.toString(), code_hex: `0x${code.toString(16)}`, reason: reason.toString(), category: category ?? null };
}

function explanationJson({ module, version, code, found, meanings }: Explanation): Record<string, unknown> {
  return {
    address: module.address,
    module: module.name,
    ledger_version: version.toString(),
    ...partsJson(code),
    name: found?.error.name ?? null,
    description: found?.error.description ?? null,
    name_by_node: found?.byNode?.name ?? null,
    meanings: meanings.map(({ from, to, error }) => ({
      from_version: from.toString(),
      to_version: to?.toString() ?? null,
      known: error !== undefined,
      name: error?.name ?? null,
      description: error?.description ?? null,
    })),
  };
}
