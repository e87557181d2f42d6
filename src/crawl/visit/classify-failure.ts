import type { Miss } from "../../archive/content/visit-model.ts";
import { printable } from "../../base/printable.ts";
import type { Address } from "../../move/address.ts";
import { errorClass, type NodeErrorKind } from "../../node/protocol/error-classes.ts";
import { NodeError } from "../../node/protocol/node-error.ts";
import type { RunWork } from "../run/run-work.ts";
import { CrawlError } from "./crawl-error.ts";

export type Failure =
  /** The run's budget of requests is spent: the run ends, and the next one continues. */
  | { readonly kind: "budget" }
  /** The node no longer reads the pinned version. */
  | { readonly kind: "pruned"; readonly miss: Miss }
  /** There is no answer for this account; `mayHelp` says whether another attempt in this run might get one. */
  | { readonly kind: "gap"; readonly mayHelp: boolean; readonly miss: Miss };

/** What an error of a visit means. Those that end the whole run (`node/protocol/error-classes.ts`) are thrown on. */
export function classifyFailure(error: unknown, address: Address, attempts: number): Failure {
  if (error instanceof NodeError) {
    if (error.kind === "budget_spent") return { kind: "budget" };
    if (error.ends === "run") throw error;
  } else if (!(error instanceof CrawlError)) throw error;
  const isPruned = error.kind === "pruned";
  const errorCode = error.facts["error_code"];
  const miss: Miss = {
    address,
    reason: error.kind,
    errorCode: typeof errorCode === "string" ? errorCode : null,
    httpStatus: error instanceof NodeError ? (error.status ?? null) : null,
    message: printable(error.message, 1000),
    attempts,
    isFinal: isPruned,
  };
  if (isPruned) return { kind: "pruned", miss };
  return { kind: "gap", mayHelp: error instanceof CrawlError || errorClass(error.kind).retry !== undefined, miss };
}

/**
 * What kept a single answer from being read; asks the run to stop where its budget is spent.
 * Throws what is no failure of a node, and what ends the whole run.
 */
export function failedAnswer(error: unknown, stop: RunWork["stop"]): NodeErrorKind | "stopped" {
  if (stop.signal.aborted) return "stopped";
  if (!(error instanceof NodeError)) throw error;
  if (error.kind === "budget_spent") stop.request("budget");
  else if (error.ends === "run") throw error;
  return error.kind;
}
