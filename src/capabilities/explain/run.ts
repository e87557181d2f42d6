import type { ErrorCodeAbi } from "../../core/abi/model.ts";
import { suggestNames } from "../../core/base/names.ts";
import { printable } from "../../core/base/printable.ts";
import { address, either, from, list as listOf, maybe, object, orNull, text, truth, u64, version, whole } from "../../core/base/result.ts";
import type { Io } from "../../core/cli/io.ts";
import type { DatabaseFlags } from "../../core/cli/options/declared-command.ts";
import { streamInput } from "../../core/cli/options/text-file.ts";
import { jsonLine } from "../../core/cli/output/json-line.ts";
import { list, printList } from "../../core/cli/output/list.ts";
import { type ModuleArchive, openModuleArchive } from "../../core/db/archive/read/module-archive.ts";
import { ConfigError } from "../../core/errors.ts";
import { resolveModule } from "../../core/questions/resolve-module.ts";
import { NotHeldError, type Subject } from "../../core/questions/subject.ts";
import { abortCodeParts, compilerAbort, type Meaning } from "../effects/abort-codes.ts";
import { searchText } from "../search/search.ts";
import { errorsOf, explainCode } from "./abort-explanation.ts";
import type { FailureMessage } from "./abort-message.ts";
import { answerAbsent } from "./absent.ts";
import { type ExplainRequest, parseExplainRequests } from "./request.ts";
import { absentText, codeAloneText, explanationText, failureText, type NamedError, namedErrorsText, statusText } from "./text.ts";

type Coded = { readonly code: bigint };
const abort = {
  code: u64,
  code_hex: from(({ code }: Coded) => `0x${code.toString(16)}`, text),
  reason: from(({ code }: Coded) => `${abortCodeParts(code).reason}`, text),
  category: from(({ code }: Coded) => abortCodeParts(code).category, orNull(object({ number: whole, name: text, meaning: text }))),
  compiler_abort: from(({ code }: Coded) => compilerAbort(code)?.name, maybe(text)),
};

const codeResult = object(abort);
const statusResult = object({
  status: from("name", text),
  code: orNull(u64),
  kind: from("kind.name", text),
  meaning: text,
  consequence: from("kind.consequence", text),
});

const moduleFields = { address: from("module.address", address), module: from("module.name", text) };

const namedResult = object({
  name: text,
  errors: listOf(object({ ...moduleFields, code: u64, description: text, last_version: orNull(version) })),
});

const explanationResult = object({
  ...moduleFields,
  ledger_version: from("version", version),
  ...abort,
  raised_by: from("raisers.raisedBy", listOf(text)),
  reached_from: from("raisers.reachedFrom", listOf(text)),
  name: from("found.error.name", orNull(text)),
  description: from("found.error.description", orNull(text)),
  name_by_node: from("found.byNode.name", orNull(text)),
  meanings: listOf(
    object({
      from_version: from("from", version),
      to_version: from("to", orNull(version)),
      known: from(({ error }: Meaning) => error !== undefined, truth),
      name: from("error.name", orNull(text)),
      description: from("error.description", orNull(text)),
    }),
  ),
});

const errorList = list({
  columns: {
    code: u64,
    name: text,
    description: from(({ description }: ErrorCodeAbi) => printable(description.replaceAll(/\s+/g, " "), 2000), text),
  },
});

/** Where the VM stopped a function, as the message says it. */
const placeResult = object({
  address: from("module.address", orNull(address)),
  module: from("module.name", orNull(text)),
  function_told: from(({ place: { fn } }: FailureMessage) => (typeof fn === "string" ? fn : null), orNull(text)),
  code_offset: from("place.offset", whole),
  status: from("status.name", orNull(text)),
});

const absentResult = object({
  subject: text,
  from_version: from("from", orNull(version)),
  to_version: from("to", orNull(version)),
  says: listOf(text),
});

/** What `explain --json` prints; of a message with several aborts, an object for each. */
export const explainResult = either<unknown>([
  absentResult,
  codeResult,
  statusResult,
  namedResult,
  listOf(errorList.entry),
  explanationResult,
  placeResult,
]);

type ExplainFlags = DatabaseFlags & { readonly file?: string };

export async function runExplain(io: Io, words: readonly string[], flags: ExplainFlags): Promise<void> {
  const input = words.length === 1 && words[0] === "-" ? "-" : flags.file;
  if (input === undefined && words.length === 0) throw new ConfigError("give an error to explain, or `-` for one on stdin.");
  const requests = parseExplainRequests(input === undefined ? words.join(" ") : await readMessage(io, input));
  for (const [i, request] of requests.entries()) {
    if (i > 0 && !flags.json) await io.stdout("\n");
    await explainOne(io, request, flags);
  }
}

async function explainOne(io: Io, request: ExplainRequest, flags: DatabaseFlags): Promise<void> {
  const print = (json: object, said: string): Promise<void> => io.stdout(flags.json ? jsonLine(json) : said);
  switch (request.kind) {
    case "number":
      return print(codeResult.print(request), codeAloneText(request));
    case "status":
      return print(statusResult.print(request.status), statusText(request.status, request.sub));
    case "failure":
      return print(placeResult.print({ ...request.found, status: request.status }), failureText(request));
  }
  await using archive = await openModuleArchive(flags.db);
  if (request.kind === "module") return await printAll(io, archive, request.subject, flags);
  if (request.kind === "name") {
    const errors = await findNamedErrors(archive, request);
    return await print(namedResult.print({ name: request.name, errors }), namedErrorsText(request.name, errors));
  }
  if (request.kind === "absent") {
    const answer = await answerAbsent(archive, request.absent);
    return await print(absentResult.print(answer), absentText(answer));
  }
  const explanation = { ...(await explainCode(archive, request.subject, request.code)), reportedName: request.name };
  await print(explanationResult.print(explanation), explanationText(explanation));
}

/** Bytes of a file or of stdin that are read: a report of a failure stands at its beginning. */
const INPUT_MAX = 1024 * 1024;

async function readMessage(io: Io, path: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of streamInput(io, path, "message")) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > INPUT_MAX) break;
  }
  return Buffer.concat(chunks).toString("utf8");
}

async function printAll(io: Io, archive: ModuleArchive, subject: Subject, { json = false }: DatabaseFlags): Promise<void> {
  const { module, version } = await resolveModule(archive, subject);
  const errors = (await errorsOf(archive, module)) ?? [];
  io.stderr(`movedex: ${module.address}::${module.name} explains ${errors.length} abort codes at ledger version ${version}\n`);
  await printList(io, errorList, errors, { json, width: Number.POSITIVE_INFINITY });
}

/** Errors of one name that are looked at, at most. */
const LIMIT = 1000;

/** The errors with a name, in one module or in all of the archive. @throws NotHeldError with names that may have been meant */
async function findNamedErrors(
  archive: ModuleArchive,
  { name, subject }: Extract<ExplainRequest, { kind: "name" }>,
): Promise<readonly NamedError[]> {
  const errors = subject === undefined ? await searchErrors(archive, name) : await errorsIn(archive, subject);
  const found = errors.filter((error) => error.name === name);
  if (found.length > 0) return found;
  const where = subject === undefined ? "the archive" : `this version of \`${printable(subject.module ?? "", 100)}\``;
  const near = suggestNames(
    name,
    errors.map((error) => error.name),
  );
  throw new NotHeldError(`${where} has no error called \`${printable(name, 100)}\`.${near} \`movedex search\` finds errors by words.`, {
    name,
  });
}

async function searchErrors({ engine }: ModuleArchive, name: string): Promise<NamedError[]> {
  const { result } = await searchText(engine, name, { kinds: ["error"], withGone: true, limit: LIMIT });
  return result.hits.map(({ address, module, code, text: description, ...hit }) => {
    return { ...hit, module: { address, name: module }, code: code ?? "", description };
  });
}

async function errorsIn(archive: ModuleArchive, subject: Subject): Promise<NamedError[]> {
  const { module } = await resolveModule(archive, subject);
  const errors = (await errorsOf(archive, module)) ?? [];
  const id = { address: module.address, name: module.name };
  return errors.map((error) => ({ ...error, module: id, code: error.code.toString(), lastVersion: null }));
}
