import { goldenOutputs, useGoldenPlace } from "./support/golden.ts";

// What `search` finds, and in which order.

useGoldenPlace();

goldenOutputs("search", [
  ["words.txt", "search coin transfer"],
  ["coloured.txt", "search coin transfer", { isColoured: true }],
  ["cut.txt", "search pool --limit 3"],
  ["first.txt", "search pool --limit 1"],
  ["kind.txt", "search pool --kind struct error"],
  ["gone.txt", "search spot price --all"],
  ["part-of-a-word.txt", "search nowhere"],
  ["nothing.txt", "search zzz"],
  ["returns.txt", "search ->u64"],
  ["returns-two.txt", "search ->(u64,u64)"],
  ["words.json", "search coin transfer --json"],
]);

const exchange = "--account 0x8f3c51b6e0d24a7795ac1e8d3f60b2749d18e5c07ab34f6219c4d7e08b5a3f12";
goldenOutputs("search-names", [
  // A name that was typed stands before names that hold it.
  ["typed-whole.txt", "search coin"],
  ["of-several-modules.txt", "search transfer"],
  ["camel-case.txt", "search capability mint"],
  ["begun.txt", "search mintcap"],
  ["field.txt", "search fee per mille"],
  ["variant.txt", "search seasonal"],
  ["constant-without-its-e.txt", "search not owner"],
  ["words-of-an-error.json", "search pool coins already --json"],
  ["no-longer-there.txt", "search spot price"],
  ["no-longer-there.json", "search spot price --all --json"],
  ["since.json", "search quote --json"],
  ["enum.json", "search rank --kind struct --json"],
  ["errors-alone.txt", "search pool --kind error"],
  ["not-in-that-account.txt", `search transfer ${exchange}`],
  ["in-that-account.txt", `search s --kind function ${exchange}`],
  ["in-two-accounts.txt", `search s --kind function ${exchange} --account 0x1`],
  ["path.txt", "search 0x1::object::transfer"],
  ["long-path.txt", "search 0x0001::signer"],
]);
