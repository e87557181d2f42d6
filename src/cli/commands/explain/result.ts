import type { ErrorCodeAbi } from "../../../abi/model.ts";
import { from, text, u64 } from "../../../base/document/result.ts";
import { printable } from "../../../base/printable.ts";
import { list } from "../../output/list.ts";

/** The abort codes of a module. */
export const errorList = list({
  columns: {
    code: u64,
    name: text,
    description: from(({ description }: ErrorCodeAbi) => printable(description.replaceAll(/\s+/g, " "), 2000), text),
  },
});
