import { describe, expect, test } from "vitest";
import type { Answer } from "../../sim/http/answer.ts";
import { respond } from "../../sim/http/routes.ts";
import { SimLedger } from "../../sim/index.ts";
import type { Generation } from "../../sim/ledger/generation.ts";
import { moduleStateKey } from "../../sim/ledger/state-key.ts";
import type { NodeSettings } from "../../sim/ledger/view.ts";
import { parseAddress } from "../../src/move/address.ts";

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

const ledgerHeaderNames = "chain-id ledger-version ledger-oldest-version ledger-timestampusec epoch block-height oldest-block-height"
  .split(" ")
  .map((name) => `x-aptos-${name}`);

describe("refusals with the ledger headers", () => {
  test.each([
    ["/v1/accounts/0x1?ledger_version=501", 404, "version_not_found", "Ledger version not found by Ledger version(501)"],
    ["/v1/accounts/0x1?ledger_version=99", 410, "version_pruned", "Ledger version(99) has been pruned"],
    ["/v1/accounts/0x1/modules?ledger_version=0", 410, "version_pruned", "Ledger version(0) has been pruned"],
    ["/v1/accounts/0x1/modules?limit=0", 400, "invalid_input", "Given limit value (0) must not be zero"],
    ["/v1/accounts/0x1/modules?limit=0&ledger_version=7", 410, "version_pruned", "Ledger version(7) has been pruned"],
    [
      "/v1/accounts/0x01/module/nope",
      404,
      "module_not_found",
      "Module not found by Address(0x1), Module name(nope) and Ledger version(500)",
    ],
  ])("%s is %i %s", (target, status, code, message) => {
    const answer = get(target, { accept: "application/x-bcs" });
    expect(answer.status).toBe(status);
    expect(text(answer)).toBe(error(message, code));
    expect(answer.headers).toMatchObject({ "content-type": "application/json; charset=utf-8", "x-aptos-ledger-version": "500" });
    expect(Object.keys(answer.headers)).toEqual([...ledgerHeaderNames, "content-type"]);
  });
});

describe("refusals of the framework", () => {
  const address = (cause: string): string =>
    `failed to parse path \`address\`: failed to parse "string(Address)": Invalid account address: ${cause}`;
  const limit = (cause: string): string =>
    `failed to parse parameter \`limit\`: failed to parse "integer(uint16)": ${cause} (occurred while parsing "optional<integer(uint16)>")`;
  const version = (value: string, cause: string): string =>
    `failed to parse parameter \`ledger_version\`: failed to parse "string(U64)": Parsing u64 string "${value}" failed, caused by error: ${cause} (occurred while parsing "optional<string(U64)>")`;
  const start = (cause: string): string =>
    `failed to parse parameter \`start\`: failed to parse "string(StateKeyWrapper)": ${cause} (occurred while parsing "optional<string(StateKeyWrapper)>")`;

  test.each([
    ["/v1/accounts/0x", 400, address("Hex string is too short, must be 1 to 64 chars long, excluding the leading 0x")],
    [`/v1/accounts/0x${"1".repeat(66)}`, 400, address("Hex characters are invalid: Invalid string length")],
    [`/v1/accounts/0x${"1".repeat(65)}`, 400, address("Hex characters are invalid: Odd number of digits")],
    ["/v1/accounts/0X1", 400, address("Hex characters are invalid: Invalid character 'X' at position 62")],
    [
      "/v1/accounts/0x1/module/9a",
      400,
      "failed to parse path `module_name`: failed to parse \"string(IdentifierWrapper)\": Invalid identifier '9a'",
    ],
    ["/v1/accounts/0x1/modules?limit=-1", 400, limit("invalid digit found in string")],
    ["/v1/accounts/0x1/modules?limit=65536", 400, limit("number too large to fit in target type")],
    ["/v1/accounts/0x1/modules?limit=", 400, limit("cannot parse integer from empty string")],
    ["/v1/accounts/0x1?ledger_version=-1", 400, version("-1", "invalid digit found in string")],
    [
      "/v1/accounts/0x1?ledger_version=18446744073709551616",
      400,
      version("18446744073709551616", "number too large to fit in target type"),
    ],
    ["/v1/accounts/0x1/modules?start=0x00", 400, start("Failed to decode StateKey as hex string")],
    ["/v1/accounts/0x1/modules?start=09", 400, start("Failed to decode StateKey from hex string")],
    ["/v1/accounts/0x1/modules/", 404, "not found"],
    ["/v1/accounts/", 404, "not found"],
    [
      "/v1/accounts//modules",
      400,
      'failed to parse path `address`: failed to parse "string(Address)": Invalid account address: Hex string is too short, must be 1 to 64 chars long, excluding the leading 0x',
    ],
    ["/v1/nowhere", 404, "not found"],
  ])("%s is %i", (target, status, message) => {
    const answer = get(target);
    expect(answer.status).toBe(status);
    expect(text(answer)).toBe(error(message, "web_framework_error"));
    expect(answer.headers).toEqual({ "content-type": "application/json" });
  });

  test("a format that is switched off is 403 without ledger headers, after the parameters were read", () => {
    const answer = get("/v1/accounts/0x1/modules", { disabledFormats: ["bcs"], accept: "application/x-bcs" });
    expect(answer.status).toBe(403);
    expect(text(answer)).toBe(error("Get account modules with BCS output is disabled on this endpoint", "api_disabled"));
    expect(answer.headers).toEqual({ "content-type": "application/json; charset=utf-8" });
    expect(get("/v1/accounts/0xz", { disabledFormats: ["json"] }).status).toBe(400);
    expect(text(get("/v1", { disabledFormats: ["json"] }))).toContain("Get ledger info with JSON output");
  });
});

describe("accounts", () => {
  test("without a record are fresh ones, or 404 where the feature or the generation is missing", () => {
    expect(text(get("/v1/accounts/0xF"))).toBe(`{"sequence_number":"0","authentication_key":"0x${"0".repeat(63)}f"}`);
    const absent = error("Account not found by Address(0xf) and Ledger version(500)", "account_not_found");
    expect(text(get("/v1/accounts/0xf", { statelessAccounts: false }))).toBe(absent);
    expect(text(get("/v1/accounts/0xf", { generation: "A" }))).toBe(absent);
    expect(text(get("/v1/accounts/0xf/modules", { generation: "A" }))).toBe(absent);
    expect(text(get("/v1/accounts/0xf/modules"))).toBe("[]");
  });

  test("in BCS have the layout of the stored resource", () => {
    const body = Buffer.from(get("/v1/accounts/0x1", { accept: "application/x-bcs" }).body).toString("hex");
    const one = `${"00".repeat(31)}01`;
    const u64 = (digit: number): string => `0${digit}${"00".repeat(7)}`;
    expect(body).toBe(`20${one}${u64(3)}${u64(2)}${u64(0)}${u64(0)}${one}${u64(0)}${u64(1)}${one}0000`);
  });
});

describe("listings", () => {
  const one = parseAddress("0x1") as NonNullable<ReturnType<typeof parseAddress>>;
  const cursor = (name: string): string => moduleStateKey(one, name).toString("hex");
  const bytecodes = (answer: Answer): string[] => {
    const list = JSON.parse(text(answer)) as { bytecode: string }[];
    return list.map(({ bytecode }) => Buffer.from(bytecode.slice(2), "hex").toString());
  };

  test("come in state-key order, with the next module's key while there is one", () => {
    const first = get("/v1/accounts/0x1/modules?limit=2");
    expect(bytecodes(first)).toEqual(["acl", "coin"]);
    expect(first.headers["x-aptos-cursor"]).toBe(cursor("account"));
    const last = get(`/v1/accounts/0x1/modules?limit=2&start=${first.headers["x-aptos-cursor"]}`);
    expect(bytecodes(last)).toEqual(["account"]);
    expect(last.headers["x-aptos-cursor"]).toBeUndefined();
  });

  test("in BCS are a map from text to bytes in the order of the serialized keys", () => {
    const body = Buffer.from(get("/v1/accounts/0x1/modules", { accept: "application/x-bcs" }).body);
    expect(body.toString("latin1")).toBe("\x03\x080x1::acl\x03acl\x090x1::coin\x04coin\x0c0x1::account\x07account");
    expect(Buffer.from(get("/v1/accounts/0x9/modules", { accept: "application/x-bcs" }).body).toString("hex")).toBe("00");
  });
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
