import { expect, test } from "vitest";
import { writeModule } from "../../../sim/module-writer/module-writer.ts";
import { callTexts } from "../../../src/capabilities/explorer/item/call-texts.ts";
import { decodeModule } from "../../../src/core/abi/decode.ts";

// Calls of an entry function and of a view are held in test/golden/pages/texts.
test("the call ready to copy is for those who can call it, and by the tool and the node of the chain", () => {
  const functions = [{ name: "transfer", visibility: "public", entry: true, params: ["&signer", "address", "u64"] }] as const;
  const { abi } = decodeModule(writeModule({ address: "0x1", name: "coin", functions }));
  const [fn = expect.fail()] = abi.functions;
  expect(callTexts(abi, { ...fn, isEntry: false, visibility: "private" }, 1)).toEqual([]);
  expect(callTexts(abi, { ...fn, isEntry: false, isView: true }, 126)[1]?.text).toMatch(/^movement move view /);
  expect(callTexts(abi, { ...fn, isView: true }, 1)[2]?.text).toContain("https://api.mainnet.aptoslabs.com/v1/view");
});
