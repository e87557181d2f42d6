import { printable } from "../../../base/printable.ts";
import { aboutTime } from "../../../base/time.ts";
import type { Pasted } from "../../../questions/search/pasted.ts";

/** What a text names by itself, as a line. */
export function pastedText(pasted: Pasted): string {
  const meant = pasted.kind === "abort" ? pasted.candidates : [];
  const lines = meant.map(
    ({ address, name, error, description }) => `  ${address}::${name}::${error}${description === "" ? "" : `: ${description}`}`,
  );
  return [`${pasted.kind.padEnd(10)}${printable(words(pasted), 1000)}`, ...lines.map((line) => printable(line, 1000)), ""].join("\n");
}

function words(pasted: Pasted): string {
  switch (pasted.kind) {
    case "account":
      return pasted.label === undefined ? pasted.address : `${pasted.address} ${pasted.label}`;
    case "module": {
      const { address, name, from, sha256 } = pasted.module;
      return `${address}::${name}@${from} ${sha256}`;
    }
    case "snapshot": {
      const time = aboutTime(pasted.ledgerTime, pasted.ledgerTimeErrorMs);
      return `${pasted.version}${time === undefined ? "" : `, ${time}`}${pasted.isExact ? "" : ", the newest before it"}`;
    }
    case "abort": {
      const { code, parts, module, error } = pasted;
      const category = parts.category === undefined ? "" : ` ${parts.category.name}, reason ${parts.reason}`;
      const where = module === undefined ? "; name the module too, as `0x1::coin CODE`" : ` in ${module.address}::${module.name}`;
      return `${code} (0x${code.toString(16)})${category}${where}${error === undefined ? "" : `: ${error.name}, ${error.description}`}`;
    }
  }
}
