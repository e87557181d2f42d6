import { readFileSync, writeFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { writeSmallArchive } from "../../capabilities/verify/small-archive.ts";

const fixture = (name: string): Buffer => gunzipSync(readFileSync(new URL(`../../engine/sqlite/fixtures/${name}`, import.meta.url)));

/** Writes the archive that the first movedex made, with the tables of that time, and returns its path; see fixtures/README.md. */
export function writeStartArchive(path: string): string {
  writeFileSync(path, fixture("start.db.gz"));
  return path;
}

/** The statements of the views that the first movedex made in a PostgreSQL database. */
export function startViews(): string {
  return fixture("start-views-postgresql.sql.gz").toString();
}

/** Writes an archive of the same nights with today's movedex. */
export async function writeSameNights(path: string): Promise<void> {
  const exchange = "0x8f3c51b6e0d24a7795ac1e8d3f60b2749d18e5c07ab34f6219c4d7e08b5a3f12";
  await writeSmallArchive(path, {
    before: [
      ["targets", "add", "0x1", "0xdead"],
      ["watch", "add", "0x1"],
      ["watch", "add", exchange],
    ],
    after: [["trace"]],
    withCalls: false,
  });
}
