import { join } from "node:path";
import { formatBytes } from "../../../base/byte-count.ts";
import { plural } from "../../../base/plural.ts";
import { printable } from "../../../base/printable.ts";
import { formatDuration } from "../../../base/time/duration.ts";
import { ExchangeError } from "../../../exchange/exchange-error.ts";
import { exitCodes } from "../../../exit-codes.ts";
import { makeSite, type SiteForecast } from "../../../pages/site/make-site.ts";
import type { Io, RunCommand } from "../../io.ts";
import type { DatabaseFlags } from "../../options/shared-flags.ts";
import { jsonLine } from "../../output/json-line.ts";

export type SiteFlags = DatabaseFlags & {
  readonly baseUrl?: string;
  readonly data: boolean;
  readonly dryRun?: boolean;
};

export async function runSite(io: Io, run: RunCommand, directory: string, flags: SiteFlags): Promise<number> {
  const isDry = flags.dryRun === true;
  let seen: SiteForecast | undefined;
  let code: number = exitCodes.done.code;
  const writeData = async (): Promise<void> => {
    const words = ["export", join(directory, "data"), "--tables", "archive", "--db", flags.db];
    code = await run(words, { ...io, stdout: async (text) => io.stderr(text) });
  };
  const result = await makeSite(
    { path: flags.db, directory, baseUrl: flags.baseUrl, data: flags.data ? writeData : undefined, isDry, now: io.clock.now() },
    async (forecast) => {
      seen = forecast;
      const held = forecast.modules + forecast.accounts - forecast.made;
      const kept = held === 0 ? "" : `; ${held.toLocaleString("en-US")} of them as they were`;
      const line = `${plural(forecast.modules, "module")}, ${plural(forecast.accounts, "account")}${kept}: ${plural(forecast.files, "file")}, about ${formatBytes(forecast.bytes)}, ${timeRange(forecast)}\n`;
      if (isDry && !flags.json) await io.stdout(line);
      else io.stderr(line);
    },
    (done, total, leftMs) =>
      io.statusLine(`${done} of ${plural(total, "module and account", "modules and accounts")}, about ${formatDuration(leftMs)} left`),
  );
  io.statusLine(undefined);
  if (seen === undefined)
    throw new ExchangeError(
      "MOVEDEX_EXPORT_NOTHING",
      `\`${printable(flags.db)}\` holds no sealed snapshot yet. \`movedex sync\` makes one.`,
    );
  if (code !== exitCodes.done.code) return code;
  const { files, bytes, ms, msMax } = seen;
  if (flags.json)
    await io.stdout(
      jsonLine({
        directory,
        expected: { files, bytes, duration_ms: Math.round(ms), duration_max_ms: Math.round(msMax) },
        files: null,
        written: null,
        deleted: null,
        bytes: null,
        ...result,
      }),
    );
  else if (result !== undefined)
    await io.stdout(
      `${plural(result.files, "file")}, ${formatBytes(result.bytes)}; ${result.written === 0 ? "none changed" : `${result.written.toLocaleString("en-US")} written`}${result.deleted === 0 ? "" : `, ${result.deleted.toLocaleString("en-US")} deleted`}\n`,
    );
  return exitCodes.done.code;
}

/** From the least to the most, in words: "3 min to 6 min". */
function timeRange({ ms, msMax }: SiteForecast): string {
  const round = (time: number): string => formatDuration(time < 60_000 ? time : Math.round(time / 60_000) * 60_000);
  const [least, most] = [round(ms), round(msMax)];
  return least === most ? least : `${least} to ${most}`;
}
