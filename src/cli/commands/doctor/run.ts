import { printable } from "../../../base/printable.ts";
import { databasePath } from "../../../config.ts";
import { exitCodes } from "../../../exit-codes.ts";
import type { Io } from "../../io.ts";
import { jsonLine } from "../../output/json-line.ts";
import { checkDatabase } from "./database.ts";
import { checkNode, type DoctorFlags } from "./node.ts";

/** Runs every check, prints the findings, and gives the exit code: `failed` when one is in the way. */
export async function runDoctor(flags: DoctorFlags, io: Io): Promise<number> {
  const path = databasePath(flags.db, io.env);
  const database = await checkDatabase(path, io);
  const findings = [...database.findings, ...(await checkNode(flags, io, database.chainId))];
  const isFit = findings.every(({ state }) => state !== "fail");
  await io.stdout(
    flags.json
      ? jsonLine({ fit: isFit, findings })
      : findings.map(({ state, subject, text }) => `${state.padEnd(4)}  ${subject.padEnd(9)} ${printable(text, 2000)}\n`).join(""),
  );
  return isFit ? exitCodes.done.code : exitCodes.failed.code;
}
