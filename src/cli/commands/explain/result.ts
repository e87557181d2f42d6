import { abortCodeParts, compilerAbort, type Meaning } from "../../../abi/abort/abort-codes.ts";
import type { FailureMessage } from "../../../abi/abort/status.ts";
import type { ErrorCodeAbi } from "../../../abi/model.ts";
import { printable } from "../../../base/printable.ts";
import {
  address,
  always,
  either,
  from,
  list as listOf,
  maybe,
  object,
  orNull,
  text,
  truth,
  u64,
  version,
  whole,
} from "../../../base/result.ts";
import { list } from "../../output/list.ts";

type Coded = { readonly code: bigint };
const abort = {
  code: u64,
  code_hex: from(({ code }: Coded) => `0x${code.toString(16)}`, text),
  reason: from(({ code }: Coded) => `${abortCodeParts(code).reason}`, text),
  category: from(({ code }: Coded) => abortCodeParts(code).category, orNull(object({ number: whole, name: text, meaning: text }))),
  compiler_abort: from(({ code }: Coded) => compilerAbort(code)?.name, maybe(text)),
};

export const codeResult = object(abort);
export const successResult = object({ vm_status: text, success: always(true, truth) });
/** A status of which the node says no more. */
export const withheldResult = object({ status: text, code: orNull(u64) });
export const statusResult = object({
  status: from("name", text),
  code: u64,
  kind: from("kind.name", text),
  meaning: text,
  consequence: from("kind.consequence", text),
});

const moduleFields = { address: from("module.address", address), module: from("module.name", text) };

/** The errors of a name. */
export const namedResult = object({
  name: text,
  errors: listOf(object({ ...moduleFields, code: u64, description: text, last_version: orNull(version) })),
});

/** A code of a module. */
export const explanationResult = object({
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

/** The abort codes of a module. */
export const errorList = list({
  columns: {
    code: u64,
    name: text,
    description: from(({ description }: ErrorCodeAbi) => printable(description.replaceAll(/\s+/g, " "), 2000), text),
  },
});

/** Where the VM stopped a function, as the message says it. */
export const placeResult = object({
  address: from("module.address", orNull(address)),
  module: from("module.name", orNull(text)),
  function_told: from(({ place: { fn } }: FailureMessage) => (typeof fn === "string" ? fn : null), orNull(text)),
  code_offset: from("place.offset", whole),
  status: from("status.name", orNull(text)),
});

/** Something that was not found, and what the archive holds of it. */
export const absentResult = object({
  subject: text,
  from_version: from("from", orNull(version)),
  to_version: from("to", orNull(version)),
  says: listOf(text),
});

/** What `explain --json` prints; of a message with several aborts, an object for each. */
export const explainResult = either<unknown>([
  absentResult,
  codeResult,
  successResult,
  withheldResult,
  statusResult,
  namedResult,
  listOf(errorList.entry),
  explanationResult,
  placeResult,
]);
