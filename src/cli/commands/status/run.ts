import { dataWidth, type Io } from "../../io.ts";
import type { AgeFlags, DatabaseFlags } from "../../options/shared-flags.ts";
import { jsonLine } from "../../output/json-line.ts";
import { readStatus } from "./read-status.ts";
import { statusResult } from "./result.ts";
import { statusText } from "./text.ts";

export async function runStatus(io: Io, flags: AgeFlags & DatabaseFlags): Promise<void> {
  const status = await readStatus(flags.db, flags, io.clock.now());
  await io.stdout(flags.json ? jsonLine(statusResult.print(status)) : statusText(status, dataWidth(io)));
}
