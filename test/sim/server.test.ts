import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Answer } from "../../sim/http/answer.ts";
import { respond } from "../../sim/http/routes.ts";
import { SimLedger } from "../../sim/index.ts";
import { type Generation, traitsOf } from "../../sim/ledger/generation.ts";
import { printAbi } from "../../sim/ledger/node-abi.ts";
import type { NodeSettings } from "../../sim/ledger/view.ts";
import type { NodeAbiJson } from "../../src/core/abi/node-json/format.ts";
import { sampled, sized } from "../run-size.ts";
import { frameworkHistory, runProcess } from "../support/index.ts";

type Line = { readonly sha256: string; readonly bytecode_version: number; readonly abi: NodeAbiJson };

const directory = frameworkHistory ?? "";

test.skipIf(!frameworkHistory).each(["A", "B", "C", "D"] as const)(
  "what generation %s prints from a recorded interface and from the bytes is the same text (needs the recorded releases)",
  (generation) => {
    const lines = readFileSync(join(directory, "abi.jsonl"), "utf8").split("\n").filter(Boolean);
    const modules = sampled(lines, 500)
      .map((line) => JSON.parse(line) as Line)
      .filter((line) => line.bytecode_version <= traitsOf[generation].maxBytecodeVersion);
    const differing = modules.filter(({ sha256, abi }) => {
      const bytes = readFileSync(join(directory, "modules", `${sha256}.mv`));
      return JSON.stringify(printAbi(bytes, abi, generation)) !== JSON.stringify(printAbi(bytes, undefined, generation));
    });
    expect(modules.length).toBeGreaterThan(sized(200, 1000));
    expect(differing.map(({ sha256, abi }) => `${abi.name} ${sha256}`)).toEqual([]);
  },
);

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

test("the program prints its options", async () => {
  const { code, stdout, stderr } = await runProcess(process.execPath, [join(import.meta.dirname, "../../sim/main.ts"), "--help"]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("\n  --faults SHARE ");
});
