import { formatDuration } from "../../src/base/time/duration.ts";
import { networks } from "../../src/node/networks.ts";
import { markdownTable } from "./blocks.ts";

/** An account's record and one page of its modules. */
const REQUESTS_PER_ACCOUNT = 2;

/** How long a night takes at the pace of each preset, by the number of accounts. */
export function paceMarkdown(): string {
  const presets = Object.entries(networks);
  const rates = [...new Set(presets.map(([, { rate }]) => rate))];
  const columns = rates.map((rate) => {
    const families = presets.filter(([, preset]) => preset.rate === rate).map(([name]) => `\`${name.split("-")[0]}-…\``);
    return `${[...new Set(families)].join(", ")} at ${rate} requests/s`;
  });
  const rows = [100, 1000, 10_000].map((accounts) => {
    const requests = accounts * REQUESTS_PER_ACCOUNT;
    return [accounts, requests].map(formatCount).concat(rates.map((rate) => formatDuration((requests / rate) * 1000)));
  });
  return markdownTable(["accounts", "requests a night", ...columns], rows);
}

function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}
