import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import { printable } from "../../base/printable.ts";
import { ConfigError } from "../../errors.ts";
import type { ServerAddress } from "./address.ts";

/** How to try a connection: with TLS by these options, or without (`false`). */
export type Attempt = ConnectionOptions | false;

/**
 * What to try in turn, as `sslmode` asks (as libpq does): `prefer` and `allow` take either, `require` any certificate without
 * `sslrootcert`, `verify-ca` one that an authority vouches for, `verify-full` the host's own.
 * @throws ConfigError when a file cannot be read
 */
export function tlsAttempts(address: ServerAddress): readonly Attempt[] {
  const { sslMode, sslRootCert } = address;
  if (sslMode === "disable" || address.host.startsWith("/")) return [false];
  const files = { ca: read("sslrootcert", sslRootCert), cert: read("sslcert", address.sslCert), key: read("sslkey", address.sslKey) };
  const given = Object.fromEntries(Object.entries(files).filter(([, pem]) => pem !== undefined));
  if (sslMode === "allow") return [false, { ...given, rejectUnauthorized: false }];
  if (sslMode === "prefer") return [{ ...given, rejectUnauthorized: false }, false];
  if (sslMode === "require" && sslRootCert === undefined) return [{ ...given, rejectUnauthorized: false }];
  if (sslMode === "verify-full") return [given];
  return [{ ...given, checkServerIdentity: () => undefined }];
}

function read(name: string, file: string | undefined): Buffer | undefined {
  if (file === undefined || file === "system") return undefined;
  try {
    return readFileSync(file);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? "unknown";
    throw new ConfigError(`could not read the certificate or key \`${printable(file)}\` of ${name}: ${reason}.`, { cause: error });
  }
}
