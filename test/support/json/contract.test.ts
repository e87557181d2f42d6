import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { commandsToRead, fullName, programToRead } from "../../../scripts/docs/commands.ts";
import { jsonSchemas } from "../../../scripts/docs/json-schemas.ts";
import { contractBreaches } from "./contract.ts";

const entry = { started_at: "2026-01-31T12:00:00Z", command: "sync", exit: "done", finished_at: null, ledger_version: "5", requests: 1 };
const ledgerTime = { ledger_time: "2026-01-31T11:59:59Z", ledger_time_error_ms: 0 };
const counts = { accounts: 1, gaps: 0, retries: 0, bytes_received: 5, modules: 2, new_bytecodes: 2 };
const run = { ...entry, ...ledgerTime, ...counts, app_version: "1.0.0" };
const breaches = async (value: unknown): Promise<string[]> =>
  (await contractBreaches(["runs", "--json"], JSON.stringify(value))).map((breach) => breach.split(" ")[0] as string);

describe("contractBreaches", () => {
  test("finds a version that is a number, a time without Z, a missing field and an unknown one", async () => {
    expect(await breaches([run])).toEqual([]);
    expect(await breaches([{ ...run, ledger_version: 5 }])).toEqual(["/ledger_version"]);
    expect(await breaches([{ ...run, started_at: "2026-01-31T12:00:00+01:00" }])).toEqual(["/started_at"]);
    expect(await breaches([entry])).not.toEqual([]);
    expect(await breaches([{ ...run, more: 1 }])).toEqual(["/"]);
  });

  test("holds lines and errors to their schemas, and leaves others' JSON alone", async () => {
    expect(await contractBreaches(["runs", "--jsonl"], `${JSON.stringify(run)}\n${JSON.stringify({ ...run, gaps: "0" })}\n`)).toHaveLength(
      1,
    );
    expect(await contractBreaches(["runs", "--json"], '{"error":{"code":5,"message":"","facts":{}}}')).toHaveLength(1);
    expect(await contractBreaches(["query", "SELECT 1", "--json"], '{"ledger_version":5}')).toEqual([]);
    expect(await contractBreaches(["status"], '{"ledger_version":5}')).toEqual([]);
  });
});

test("every command with --json says what it prints, unless its JSON is a node's or the user's", async () => {
  const printers = commandsToRead(await programToRead()).filter(({ options }) => options.some(({ long }) => long === "--json"));
  const silent = printers.filter((command) => command.result === undefined).map(fullName);
  expect(silent.sort()).toEqual(["query", "show"]);
});

test.each([...(await jsonSchemas())])(
  "schemas/%s is a valid JSON Schema of draft 2020-12, and lets later versions add fields",
  (_, schema) => {
    const ajv = new Ajv2020({ strict: false });
    (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
    expect(ajv.validateSchema(schema), ajv.errorsText()).toBe(true);
    expect(JSON.stringify(schema)).not.toContain('"additionalProperties":false');
  },
);
