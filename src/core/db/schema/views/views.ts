import { capabilityViews } from "../../../../capability-views.ts";
import { versionsKept, versionTimes } from "../sql/ledger-time.ts";
import { integer, text, time, type ViewData } from "../view.ts";
import { abiTexts } from "./abi-json.ts";
import { coverageViews, historyViews } from "./coverage.ts";
import { heldViews, snapshotViews } from "./modules.ts";
import { workViews } from "./work.ts";

const brought = Object.values(capabilityViews).flat();

/** Every view of a movedex database; `…_latest` and `…_history` beside each `…_at`. Views come after those they are made from. */
export const viewList: readonly ViewData[] = [
  ...snapshotViews,
  ...historyViews,
  ...heldViews,
  ...coverageViews,
  ...brought.filter(({ name }) => !name.startsWith("_")),
  ...workViews,
];

const version = integer("the ledger version");

/**
 * Views that others are made from, and that nobody asks by themselves; in the order in which they can be made. What several views need
 * stands here once: whoever opens a file reads the text of every view, which takes most of the time of a short command.
 */
export const internalViews: readonly ViewData[] = [
  {
    name: "_versions",
    meaning: "All ledger versions that the archive speaks of",
    columns: { ledger_version: version },
    select: versionsKept,
  },
  {
    name: "_version_times",
    meaning: "When the ledger made each of these, as far as it is known",
    columns: {
      ledger_version: version,
      ledger_time: time("when it was made; before the oldest known time an estimate; null when nothing bounds it"),
      ms: integer("the same in milliseconds since 1970, or null"),
      error_ms: integer("how far the true time may lie from it, in milliseconds; null when the time is"),
    },
    select: versionTimes,
  },
  {
    name: "_abi_texts",
    meaning: "ABIs as a 2026 node prints them",
    columns: { abi_id: integer("the number of the ABI"), abi: text("the ABI, as JSON") },
    select: abiTexts,
  },
  ...brought.filter(({ name }) => name.startsWith("_")),
];
