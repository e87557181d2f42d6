import { describe, expect, test } from "vitest";
import type { Answer } from "../../sim/http/answer.ts";
import { respond } from "../../sim/http/routes.ts";
import { SimLedger } from "../../sim/index.ts";
import type { Generation } from "../../sim/ledger/generation.ts";
import type { NodeSettings } from "../../sim/ledger/view.ts";

const settings: NodeSettings = {
  generation: "D",
  headerSpelling: "aptos",
  maxPageSize: 9999,
  statelessAccounts: true,
  disabledFormats: [],
  maxBytecodeVersion: 10,
  isValidator: false,
  gitHash: "abc",
};

function ledgerOfThree(): SimLedger {
  const ledger = new SimLedger({ chainId: 126 });
  ledger.genesis((writer) => {
    writer.account("0x1", { sequenceNumber: 3n });
    for (const name of ["coin", "account", "acl"]) writer.publish("0x1", name, Buffer.from(name));
  });
  ledger.advance(500n);
  ledger.pruneTo(100n);
  return ledger;
}

const ledger = ledgerOfThree();

function get(target: string, options: Partial<NodeSettings> & { accept?: string; origin?: string; method?: string } = {}): Answer {
  const { accept, origin, method = "GET", ...rest } = options;
  const view = { ledger, info: ledger.info(), settings: { ...settings, ...rest } };
  return respond(view, { method, target, headers: { ...(accept ? { accept } : {}), ...(origin ? { origin } : {}) } }, 0n);
}

const text = (answer: Answer): string => Buffer.from(answer.body).toString();
const error = (message: string, code: string): string => JSON.stringify({ message, error_code: code, vm_error_code: null });

test("refusals of the framework: a format that is switched off is 403 without ledger headers, after the parameters were read", () => {
  const answer = get("/v1/accounts/0x1/modules", { disabledFormats: ["bcs"], accept: "application/x-bcs" });
  expect(answer.status).toBe(403);
  expect(text(answer)).toBe(error("Get account modules with BCS output is disabled on this endpoint", "api_disabled"));
  expect(answer.headers).toEqual({ "content-type": "application/json; charset=utf-8" });
  expect(get("/v1/accounts/0xz", { disabledFormats: ["json"] }).status).toBe(400);
  expect(text(get("/v1", { disabledFormats: ["json"] }))).toContain("Get ledger info with JSON output");
});

test("accounts without a record are fresh ones, or 404 where the feature or the generation is missing", () => {
  expect(text(get("/v1/accounts/0xF"))).toBe(`{"sequence_number":"0","authentication_key":"0x${"0".repeat(63)}f"}`);
  const absent = error("Account not found by Address(0xf) and Ledger version(500)", "account_not_found");
  expect(text(get("/v1/accounts/0xf", { statelessAccounts: false }))).toBe(absent);
  expect(text(get("/v1/accounts/0xf", { generation: "A" }))).toBe(absent);
  expect(text(get("/v1/accounts/0xf/modules", { generation: "A" }))).toBe(absent);
  expect(text(get("/v1/accounts/0xf/modules"))).toBe("[]");
});

describe("the front pages", () => {
  test("the index has its fields in order, with the key only in generation D", () => {
    const fields =
      '{"chain_id":126,"epoch":"1","ledger_version":"500","oldest_ledger_version":"100","ledger_timestamp":"1767225605000000","node_role":"full_node","oldest_block_height":"10","block_height":"50","git_hash":"abc"';
    expect(text(get("/v1"))).toBe(`${fields},"encryption_key":null}`);
    expect(text(get("/v1/", { generation: "B" }))).toBe(`${fields}}`);
  });

  test.each<[Generation, number]>([
    ["A", 404],
    ["B", 200],
    ["C", 200],
    ["D", 200],
  ])("generation %s answers /info with %i and no ledger headers", (generation, status) => {
    const answer = get("/v1/info", { generation });
    expect(answer.status).toBe(status);
    expect(Object.keys(answer.headers)).toEqual(["content-type"]);
  });
});
