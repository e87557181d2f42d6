import { closing } from "../../core/base/async.ts";
import { printable } from "../../core/base/printable.ts";
import type { Capability } from "../../core/cli/capability.ts";
import type { Database, LockName } from "../../core/db/engine/database.ts";
import { StoreError } from "../../core/db/engine/errors.ts";
import { ConfigError } from "../../core/errors.ts";
import { addressWithPassword, completeAddress, readAddress } from "./address.ts";

export const postgresql: Capability = {
  name: "postgresql",
  needs: ["schema"],
  openDatabase: {
    complete: completeAddress,
    holdsPassword: (text) => readAddress(text).password !== undefined,
    withPassword: addressWithPassword,
    at: databaseAt,
  },
};

/** The database at a complete address. Its parts are loaded when they are asked for. */
function databaseAt(address: string): Database {
  const open: Database["open"] = async (options) => (await import("./open-server.ts")).openServer(address, options);
  const assertFile: Database["assertFile"] = (what, file) => {
    throw new ConfigError(
      `movedex copies SQLite files only${what === "backup" ? ": leave `--backup` out of a night" : ""}. Copy a PostgreSQL database with its own tools: ${ownTools(what, address, file)}.`,
    );
  };
  return {
    get name() {
      const { database, schema } = readAddress(address);
      return printable(`${database}.${schema}`);
    },
    engine: "postgresql",
    isShareable: true,
    stopsStatements: true,
    otherSql: "This archive is on a PostgreSQL server. Ask it in SQL with psql or any BI tool.",
    absence: "holds nothing of movedex yet; the first `sync` makes its schema",
    files: async () => [],
    isThere: async (options) => {
      try {
        await (await open({ mode: "read", ...options })).close();
        return true;
      } catch (error) {
        if (error instanceof StoreError && error.code === "MOVEDEX_STORE_MISSING") return false;
        // Who writes brings it up to date.
        if (error instanceof StoreError && error.code === "MOVEDEX_STORE_OLDER") return true;
        throw error;
      }
    },
    isDatabase: async () => true,
    open,
    openToQuery: async (options = {}) => closing(await (await import("./postgres-query.ts")).openPostgresQuery(address, options)),
    openToVerify: async (options) => (await import("./verify-server.ts")).openPostgresToVerify(address, options),
    acquireLock: async (name, { host }) => (await import("./open-server.ts")).takeServerLock(address, lockKey(name, host)),
    surroundings: async () => (await import("./surroundings.ts")).surroundingsOfServer(address),
    assertFile,
  };
}

/** Machines share a night, and each runs one at a time. */
function lockKey(name: LockName, host: string): string {
  return name === "night" ? `night:${host}` : name;
}

function ownTools(what: "backup" | "restore", address: string, file: string): string {
  const { label, schema } = readAddress(address);
  const [at, name] = [`'${label}'`, `'${printable(file.replace(/\/+$/, `/${schema}.dump`))}'`];
  const backup = `pg_dump --format=custom --schema=${schema} --file=${name} ${at}`;
  const restore = `pg_restore --clean --if-exists --exit-on-error --single-transaction --dbname=${at} ${name}`;
  return what === "backup" ? `\`${backup}\`, and back with \`${restore}\`` : `\`${restore}\`, from a file of \`${backup}\``;
}
