import { type ModuleArchive, openModuleArchive } from "../../../archive/read/module-archive.ts";
import { printable } from "../../../base/printable.ts";
import { ConfigError } from "../../../errors.ts";
import { errorsOf, explainCode } from "../../../questions/item/abort-explanation.ts";
import { resolveModule } from "../../../questions/resolve-module.ts";
import type { Subject } from "../../../questions/subject.ts";
import type { Io } from "../../io.ts";
import type { DatabaseFlags } from "../../options/shared-flags.ts";
import { streamInput } from "../../options/text-file.ts";
import { jsonLine } from "../../output/json-line.ts";
import { printList } from "../../output/list.ts";
import { answerAbsent } from "./absent.ts";
import { findNamedErrors } from "./named-error.ts";
import { type ExplainRequest, parseExplainRequests } from "./request.ts";
import {
  absentResult,
  codeResult,
  errorList,
  explanationResult,
  namedResult,
  placeResult,
  statusResult,
  successResult,
  withheldResult,
} from "./result.ts";
import { absentText, codeAloneText, explanationText, failureText, namedErrorsText, statusText, withheldText } from "./text.ts";

export async function runExplain(
  io: Io,
  words: readonly string[],
  { file, ...flags }: DatabaseFlags & { readonly file?: string },
): Promise<void> {
  const input = words.length === 1 && words[0] === "-" ? "-" : file;
  if (input === undefined && words.length === 0) throw new ConfigError("give an error to explain, or `-` for one on stdin.");
  const [first, ...more] = parseExplainRequests(input === undefined ? words : [await readMessage(io, input)]);
  await explainOne(io, first, flags);
  for (const request of more) {
    if (flags.json !== true) await io.stdout("\n");
    await explainOne(io, request, flags);
  }
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

async function explainOne(io: Io, request: ExplainRequest, { db: path, json: asJson = false }: DatabaseFlags): Promise<void> {
  const print = (json: object, text: string): Promise<void> => io.stdout(asJson ? jsonLine(json) : text);
  switch (request.kind) {
    case "number":
      return print(codeResult.print(request), codeAloneText(request));
    case "success":
      return print(successResult.print({ vmStatus: request.words }), `the transaction succeeded: ${printable(request.words, 300)}\n`);
    case "withheld":
      return print(withheldResult.print({ status: "MISCELLANEOUS_ERROR", code: null }), withheldText);
    case "status":
      return print(statusResult.print(request.status), statusText(request.status, request.abort, request.sub));
    case "failure":
      return print(
        placeResult.print({ ...request.found, status: request.status }),
        failureText(request.found, request.status, request.sub),
      );
    case "absent": {
      await using archive = await openModuleArchive(path);
      const answer = await answerAbsent(archive, request.absent);
      return await print(absentResult.print(answer), absentText(answer));
    }
    case "name": {
      const errors = await findNamedErrors(path, request);
      return print(namedResult.print({ name: request.name, errors }), namedErrorsText(request.name, errors));
    }
    case "module":
    case "code": {
      await using archive = await openModuleArchive(path);
      if (request.kind === "module") return await printAll(io, archive, request.subject, asJson);
      const explanation = { ...(await explainCode(archive, request.subject, request.code)), reportedName: request.name };
      return await print(explanationResult.print(explanation), explanationText(explanation));
    }
  }
}

async function printAll(io: Io, archive: ModuleArchive, subject: Subject, asJson: boolean): Promise<void> {
  const { module, version } = await resolveModule(archive, subject);
  const errors = (await errorsOf(archive, module)) ?? [];
  io.stderr(`movedex: ${module.address}::${module.name} explains ${errors.length} abort codes at ledger version ${version}\n`);
  await printList(io, errorList, () => errors, { json: asJson, width: Number.POSITIVE_INFINITY });
}
