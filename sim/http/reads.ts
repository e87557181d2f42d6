import { formatHex } from "../../src/base/hex.ts";
import type { Address } from "../../src/move/address.ts";
import { type AccountState, freshRecord } from "../ledger/account-state.ts";
import { traitsOf } from "../ledger/generation.ts";
import type { ModuleCode } from "../ledger/module-code.ts";
import { moduleStateKey, type StateKey } from "../ledger/state-key.ts";
import type { NodeView } from "../ledger/view.ts";
import { type Answer, contentTypes, jsonBody, ledgerHeaders } from "./answer.ts";
import { accountBcs, modulesBcs } from "./bcs.ts";
import { type ApiError, apiError, apiErrors } from "./errors.ts";
import type { BodyFormat } from "./negotiation.ts";

const COMMA = Buffer.from(",");
const OPEN = Buffer.from("[");
const CLOSE = Buffer.from("]");

/** The account endpoint. Without a stored record most nodes answer with what a fresh account would hold. */
export function readAccount(view: NodeView, format: BodyFormat, address: Address, asked: bigint | undefined): Answer {
  return atVersion(view, asked, (version) => {
    const stored = view.ledger.account(address)?.record.at(version);
    const hasDefaults = view.settings.statelessAccounts && !traitsOf[view.settings.generation].checksExistence;
    const record = stored ?? (hasDefaults ? freshRecord(address) : undefined);
    if (!record) return apiErrors.accountNotFound(address, version);
    if (format === "bcs") return { format, body: accountBcs(address, record) };
    return {
      format,
      body: jsonBody({
        sequence_number: record.sequenceNumber.toString(),
        authentication_key: `0x${formatHex(record.authenticationKey)}`,
      }),
    };
  });
}

/** The endpoint of one module. It never asks whether the account exists. */
export function readModule(view: NodeView, format: BodyFormat, address: Address, name: string, asked: bigint | undefined): Answer {
  return atVersion(view, asked, (version) => {
    const code = view.ledger.account(address)?.find(name)?.code.at(version);
    if (!code) return apiErrors.moduleNotFound(address, name, version);
    return {
      format,
      body: format === "bcs" ? code.bytes : code.json(view.settings),
      cacheKey: `${format}/${code.serial}`,
    };
  });
}

/** The listing of an account's modules, one page, in state-key order from `start` on. */
export function listModules(
  view: NodeView,
  format: BodyFormat,
  address: Address,
  query: { readonly version: bigint | undefined; readonly start: StateKey | undefined; readonly limit: number | undefined },
): Answer {
  return atVersion(view, query.version, (version) => {
    const { generation, maxPageSize } = view.settings;
    const state = view.ledger.account(address);
    if (traitsOf[generation].checksExistence && !state?.record.at(version) && !state?.isObject.at(version)) {
      return apiErrors.accountNotFound(address, version);
    }
    if (query.limit === 0) return apiErrors.limitZero();
    const limit = Math.min(query.limit ?? maxPageSize, maxPageSize);
    const { page, next } = takePage(state, address, version, query.start, limit);
    return {
      format,
      body: format === "bcs" ? modulesBcs(address, page) : jsonList(page, (code) => code.json(view.settings)),
      cacheKey: `${format}/${address}/${page.map(({ code }) => code.serial).join()}`,
      ...(next === undefined ? {} : { cursor: moduleStateKey(address, next).toString("hex") }),
    };
  });
}

type Success = { readonly format: BodyFormat; readonly body: Uint8Array; readonly cacheKey?: string; readonly cursor?: string };

/** Checks the version against the node's bounds before anything else, and dresses what `read` gives in the ledger headers. */
function atVersion(view: NodeView, asked: bigint | undefined, read: (version: bigint) => Success | ApiError): Answer {
  const { info, settings } = view;
  const version = asked ?? info.head;
  const result =
    version > info.head ? apiErrors.versionNotFound(version) : version < info.oldest ? apiErrors.versionPruned(version) : read(version);
  if ("code" in result) return apiError(result, ledgerHeaders(info, settings.headerSpelling));
  return {
    status: 200,
    headers: {
      "content-type": result.format === "bcs" ? contentTypes.bcs : contentTypes.json,
      ...ledgerHeaders(info, settings.headerSpelling, result.cursor),
    },
    body: result.body,
    compressible: true,
    ...(result.cacheKey === undefined ? {} : { cacheKey: result.cacheKey }),
  };
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
