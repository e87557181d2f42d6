import { printable } from "../../base/printable.ts";
import { ConfigError } from "../../errors.ts";
import { type Address, parseAddress } from "../../move/address.ts";

const HEADER_NAMES = new Set(["address", "account", "account_address", "owner"]);

/**
 * The addresses of a targets file: one a line, or the first column of a CSV file (quotes and one header line allowed).
 * Blank lines and lines that begin with `#` are skipped. One bad line, and nothing is taken from the file.
 *
 * @returns the addresses in file order, each once
 * @throws ConfigError naming file, line number and what stood there
 */
export function parseTargetsFile(text: string, fileName: string): Address[] {
  const addresses = new Set<Address>();
  const lines = text.replace(/^\ufeff/, "").split(/\r\n|\n|\r/);
  let seenData = false;
  for (const [index, line] of lines.entries()) {
    const content = line.trim();
    if (content === "" || content.startsWith("#")) continue;
    const cell = unquote((content.split(/[,;\t]/)[0] as string).trim());
    const isHeader = !seenData && HEADER_NAMES.has(cell.toLowerCase());
    seenData = true;
    if (isHeader) continue;
    const address = parseAddress(cell);
    if (address === undefined) {
      throw new ConfigError(
        `${printable(fileName)}, line ${index + 1}: wanted an account address (0x and 1 to 64 hex digits), found \`${printable(cell, 80)}\`. ` +
          "Nothing was taken from the file; mend or remove the line and run again.",
        { facts: { file: fileName, line: index + 1 } },
      );
    }
    addresses.add(address);
  }
  return [...addresses];
}

function unquote(cell: string): string {
  return cell.length >= 2 && cell.startsWith('"') && cell.endsWith('"') ? cell.slice(1, -1) : cell;
}
