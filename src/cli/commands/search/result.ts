import { address, either, from, list, object, orNull, sha256, text, truth, u64, version, whole } from "../../../base/result.ts";
import type { Pasted } from "../../../questions/search/pasted.ts";

const account = object({ kind: text, address, label: orNull(text) });
const module = object({
  kind: text,
  address: from("module.address", address),
  module: from("module.name", text),
  ledger_version: from("module.from", version),
  sha256: from("module.sha256", sha256),
});
const snapshot = object({ kind: text, ledger_version: from("version", version), is_exact: truth });
const abort = object({
  kind: text,
  code: u64,
  category: from("parts.category.name", orNull(text)),
  address: from("module.address", orNull(address)),
  module: from("module.name", orNull(text)),
  name: from("error.name", orNull(text)),
  description: from("error.description", orNull(text)),
  candidates: list(object({ address, module: from("name", text), name: from("error", text), description: text })),
});

function printPasted(pasted: Pasted): unknown {
  switch (pasted.kind) {
    case "account":
      return account.print(pasted);
    case "module":
      return module.print(pasted);
    case "snapshot":
      return snapshot.print(pasted);
    case "abort":
      return abort.print(pasted);
  }
}

const hit = object({
  kind: text,
  address,
  module: text,
  name: orNull(text),
  code: orNull(u64),
  text: orNull(text),
  first_version: orNull(version),
  last_version: orNull(version),
});

/** What `search --json` prints. */
export const searchResult = object({
  words: list(text),
  named: list(either([account, module, snapshot, abort], printPasted)),
  type_uses: from(
    "typeUses",
    list(
      object({
        address: from("module.address", address),
        module: from("module.name", text),
        name: text,
        taken_by: from("takenBy", whole),
        returned_by: from("returnedBy", whole),
        held_by: from("heldBy", whole),
        is_cut: truth,
      }),
    ),
  ),
  instead_of: orNull(list(text)),
  results: list(hit),
  has_more: truth,
  is_cut: truth,
});
