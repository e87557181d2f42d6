import type { RecordAt } from "../../archive/read/page-reads.ts";
import type { Address } from "../../move/address.ts";
import { type Html, html } from "../html/html.ts";
import { count, nothing } from "../html/texts.ts";
import type { PageArchive } from "../page-archive.ts";

/** Snapshots that the curve of the sequence number goes through. */
const POINTS = 400;
const [WIDTH, HEIGHT] = [600, 90];

/** An account's record at a version, and its sequence number over time. */
export async function recordSection({ store }: PageArchive, address: Address, version: bigint): Promise<Html> {
  const records = await store.recordsOf(address, POINTS);
  const record = records.find((one) => one.version === version);
  const curve = sequenceCurve(records);
  if (record === undefined) {
    const isUnread = (await store.recordCoverageOf([address], { from: version, to: version })).length === 0;
    const why = isUnread
      ? "This snapshot read the account's modules alone, not its record."
      : "The node had no account record here, as objects have none.";
    return html`${nothing(why)}${curve}`;
  }
  return html`<dl class="figures"><div><dt>sequence number</dt><dd>${count(BigInt(record.sequenceNumber))}</dd></div></dl><p class="small dim">Authentication key</p><p><code>${record.authenticationKey}</code></p>${curve}`;
}

/** How the sequence number rose; nothing where it did not. */
function sequenceCurve(newestFirst: readonly RecordAt[]): Html {
  const points = newestFirst.toReversed();
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || first.sequenceNumber === last.sequenceNumber) return html``;
  const numbers = points.map(({ sequenceNumber }) => Number(sequenceNumber));
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  const span = Number(last.version - first.version) || 1;
  const place = ({ version }: RecordAt, i: number): string => {
    const x = (Number(version - first.version) / span) * WIDTH;
    const y = HEIGHT - (((numbers[i] ?? low) - low) / (high - low || 1)) * HEIGHT;
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  };
  const label = `Sequence number from ${count(BigInt(first.sequenceNumber))} at version ${count(first.version)} to ${count(BigInt(last.sequenceNumber))} at version ${count(last.version)}`;
  return html`<figure class="curve"><svg viewBox="${`-2 -6 ${WIDTH + 4} ${HEIGHT + 12}`}" role="img" aria-label="${label}" preserveAspectRatio="none"><polyline points="${points.map(place).join(" ")}"/></svg><figcaption class="small dim">${label}</figcaption></figure>`;
}
