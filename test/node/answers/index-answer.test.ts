import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { indexFromBcs, indexFromJson, parseJsonBody } from "../../../src/core/node/answers/shapes.ts";
import { nodeLimits } from "../../../src/core/node/node-limits.ts";
import { AnswerFault } from "../../../src/core/node/protocol/node-error.ts";
import { expectOnlyErrors } from "../../support/mutate.ts";

const json = {
  chain_id: 126,
  epoch: "7",
  ledger_version: "100",
  oldest_ledger_version: "0",
  ledger_timestamp: "1700000000000000",
  node_role: "full_node",
  oldest_block_height: "0",
  block_height: "9",
  git_hash: "337fb7e",
};

function text(value: string): Buffer {
  return Buffer.concat([Buffer.of(value.length), Buffer.from(value)]);
}

const before = ["7", "100", "0", "1700000000000000"].map(text);
const bcs = Buffer.concat([Buffer.of(126), ...before, Buffer.of(1), text("0"), text("9")]);

describe("the index", () => {
  test("is read from JSON, of every generation", () => {
    expect(indexFromJson(json)).toEqual({ chainId: 126, nodeRole: "full_node", gitHash: "337fb7e" });
    expect(indexFromJson({ ...json, git_hash: "", encryption_key: null })).toMatchObject({ gitHash: null });
  });

  test("is read from BCS, whose numbers are text", () => {
    expect(indexFromBcs(bcs)).toEqual({ chainId: 126, nodeRole: "full_node", gitHash: null });
    for (let length = 0; length < bcs.length; length++) expect(() => indexFromBcs(bcs.subarray(0, length))).toThrow(AnswerFault);
  });

  test.each([{}, { ...json, chain_id: "126" }, { ...json, chain_id: 256 }, { ...json, ledger_version: 100 }])("refuses %j", (value) => {
    expect(() => indexFromJson(value)).toThrow(AnswerFault);
  });

  test("any bytes give an index or a fault", () => {
    expectOnlyErrors(AnswerFault, fc.uint8Array({ maxLength: 100 }), (bytes) => indexFromBcs(bytes));
  });
});

test("very many values and very deep ones are refused before they are parsed, and by their kind", () => {
  const many = Buffer.from(`[${"{},".repeat(nodeLimits.json.values)}{}]`);
  const deep = Buffer.from("[".repeat(1_000_000));
  expect(() => parseJsonBody(many, nodeLimits.json)).toThrow(expect.objectContaining({ kind: "too_large" }));
  expect(() => parseJsonBody(deep, nodeLimits.json)).toThrow(expect.objectContaining({ kind: "bad_answer" }));
});
