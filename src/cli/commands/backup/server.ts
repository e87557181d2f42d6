import { isPostgresAddress, readAddress } from "../../../base/postgresql-address.ts";
import { printable } from "../../../base/printable.ts";
import { ConfigError } from "../../../errors.ts";

/**
 * Refuses to copy a PostgreSQL database, which its own tools do, and says by which commands.
 *
 * @throws ConfigError
 */
export function refuseServer(what: "backup" | "restore", database: string, file: string): void {
  if (!isPostgresAddress(database)) return;
  const { label, schema } = readAddress(database, {});
  const [address, name] = [`'${label}'`, `'${printable(file)}'`];
  const commands = {
    backup: `pg_dump --format=custom --schema=${schema} --file=${name} ${address}`,
    restore: `pg_restore --clean --if-exists --exit-on-error --single-transaction --dbname=${address} ${name}`,
  };
  const { backup, restore } = commands;
  const how = what === "backup" ? `\`${backup}\`, and back with \`${restore}\`` : `\`${restore}\`, from a file of \`${backup}\``;
  throw new ConfigError(`wanted an SQLite file as database. A PostgreSQL database is copied by its own tools: ${how}.`);
}
