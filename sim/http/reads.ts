import { formatHex } from "../../src/core/base/bytes.ts";
import type { Address } from "../../src/core/move/address.ts";
import { type AccountState, freshRecord } from "../ledger/account-state.ts";
import { traitsOf } from "../ledger/generation.ts";
import type { ModuleCode } from "../ledger/module-code.ts";
import { moduleStateKey, type StateKey } from "../ledger/state-key.ts";
import type { NodeView } from "../ledger/view.ts";
import { type Answer, jsonBody, success } from "./answer.ts";
import { accountBcs, modulesBcs } from "./bcs.ts";
import { type ApiError, apiError, apiErrors } from "./errors.ts";
import type { BodyFormat } from "./negotiation.ts";

const COMMA = Buffer.from(",");
const OPEN = Buffer.from("[");
const CLOSE = Buffer.from("]");

/** The account endpoint. Without a stored record most nodes answer with what a fresh account would hold. */
export function readAccount(view: NodeView, format: BodyFormat, address: Address, asked: bigint | undefined): Answer {
  return atVersion(view, format, asked, (version) => {
    const stored = view.ledger.account(address)?.record.at(version);
    const hasDefaults = view.settings.statelessAccounts && !traitsOf[view.settings.generation].checksExistence;
    const record = stored ?? (hasDefaults ? freshRecord(address) : undefined);
    if (!record) return apiErrors.accountNotFound(address, version);
    if (format === "bcs") return { body: accountBcs(address, record) };
    const { sequenceNumber, authenticationKey } = record;
    return { body: jsonBody({ sequence_number: sequenceNumber.toString(), authentication_key: `0x${formatHex(authenticationKey)}` }) };
  });
}

/** The endpoint of one module. It never asks whether the account exists. */
export function readModule(view: NodeView, format: BodyFormat, address: Address, name: string, asked: bigint | undefined): Answer {
  return atVersion(view, format, asked, (version) => {
    const code = view.ledger.account(address)?.find(name)?.code.at(version);
    if (!code) return apiErrors.moduleNotFound(address, name, version);
    return { body: format === "bcs" ? code.bytes : code.json(view.settings), cacheKey: `${format}/${code.serial}` };
  });
}

/** The listing of an account's modules, one page, in state-key order from `start` on. */
export function listModules(
  view: NodeView,
  format: BodyFormat,
  address: Address,
  query: { readonly version: bigint | undefined; readonly start: StateKey | undefined; readonly limit: number | undefined },
): Answer {
  return atVersion(view, format, query.version, (version) => {
    const { generation, maxPageSize } = view.settings;
    const state = view.ledger.account(address);
    if (traitsOf[generation].checksExistence && !state?.record.at(version) && !state?.isObject.at(version)) {
      return apiErrors.accountNotFound(address, version);
    }
    if (query.limit === 0) return apiErrors.limitZero();
    const limit = Math.min(query.limit ?? maxPageSize, maxPageSize);
    const { page, next } = takePage(state, address, version, query.start, limit);
    return {
      body: format === "bcs" ? modulesBcs(address, page) : jsonList(page, (code) => code.json(view.settings)),
      cacheKey: `${format}/${address}/${page.map(({ code }) => code.serial).join()}`,
      ...(next === undefined ? {} : { cursor: moduleStateKey(address, next).toString("hex") }),
    };
  });
}

type Found = Pick<Answer, "body" | "cacheKey"> & { readonly cursor?: string };

/** Checks the version against the node's bounds before anything else, and dresses what `read` gives in the ledger headers. */
function atVersion(view: NodeView, format: BodyFormat, asked: bigint | undefined, read: (version: bigint) => Found | ApiError): Answer {
  const { info } = view;
  const version = asked ?? info.head;
  const result =
    version > info.head ? apiErrors.versionNotFound(version) : version < info.oldest ? apiErrors.versionPruned(version) : read(version);
  if ("code" in result) return apiError(result, view);
  const { body, cursor, ...cached } = result;
  return { ...success(view, format, body, cursor), ...cached };
}

type Standing = { readonly name: string; readonly code: ModuleCode };

function takePage(
  state: AccountState | undefined,
  address: Address,
  version: bigint,
  start: StateKey | undefined,
  limit: number,
): { page: Standing[]; next?: string } {
  const page: Standing[] = [];
  if (!state || (start && (start.kind === "elsewhere" || start.account !== address))) return { page };
  for (let index = start ? state.seek(address, start.bytes) : 0; index < state.slots.length; index++) {
    const slot = state.slots[index];
    const code = slot?.code.at(version);
    if (!slot || !code) continue;
    if (page.length === limit) return { page, next: slot.name };
    page.push({ name: slot.name, code });
  }
  return { page };
}

function jsonList(page: readonly Standing[], json: (code: ModuleCode) => Uint8Array): Uint8Array {
  return Buffer.concat([OPEN, ...page.flatMap(({ code }, index) => (index === 0 ? [json(code)] : [COMMA, json(code)])), CLOSE]);
}
