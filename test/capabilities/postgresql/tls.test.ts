import { chmodSync, chownSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { postgresEngine } from "../../../src/capabilities/postgresql/postgresql-engine.ts";
import { sql } from "../../../src/core/db/schema/sql/sql.ts";
import { findBinaries, serverUser, temporaryDirectory } from "../../support/index.ts";
import { type Server, startServer } from "../../support/postgres/server.ts";
import { sharedServers } from "../../support/postgres/servers.ts";
import { makeCertificate } from "../../support/tls/certificate.ts";

const isSafe = sql<[number]>`SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`;

for (const { version } of sharedServers) {
  const found = findBinaries(version);
  describe.skipIf(typeof found === "string")(`TLS to PostgreSQL ${version}`, () => {
    const directory = temporaryDirectory();
    chmodSync(directory.path, 0o755);
    const [key, certificate] = [directory.file("key.pem"), directory.file("certificate.pem")];
    let safe: Server | undefined;
    beforeAll(async () => {
      if (typeof found === "string") return;
      if (!makeCertificate(key, certificate)) return;
      chmodSync(key, 0o600);
      if (serverUser.uid !== undefined) chownSync(key, serverUser.uid, serverUser.uid);
      safe = await startServer(found, { ssl: "on", ssl_key_file: key, ssl_cert_file: certificate });
    }, 60_000);
    afterAll(() => safe?.remove());

    const ask = async ({ port }: { readonly port: number | string }, parameters: string, host = "127.0.0.1") => {
      const engine = await postgresEngine(`postgres://postgres@${host}:${port}/postgres?${parameters}`);
      const [answer] = (await engine.first(isSafe)) as [number];
      await engine.close();
      return answer === 1;
    };
    const refused = (message: string) => ({ code: "MOVEDEX_STORE_CANNOT_OPEN", message: expect.stringContaining(message) });

    test("is used where the server has it, as sslmode asks", async ({ skip }) => {
      if (safe === undefined) return skip("openssl is not installed");
      expect(await ask(safe, "")).toBe(true);
      expect(await ask(safe, "sslmode=prefer")).toBe(true);
      expect(await ask(safe, "sslmode=require")).toBe(true);
      expect(await ask(safe, "sslmode=allow")).toBe(false);
      expect(await ask(safe, "sslmode=disable")).toBe(false);
    });

    test("asks who the server is, as sslmode says", async ({ skip }) => {
      if (safe === undefined) return skip("openssl is not installed");
      expect(await ask(safe, `sslmode=verify-full&sslrootcert=${certificate}`)).toBe(true);
      expect(await ask(safe, `sslmode=verify-ca&sslrootcert=${certificate}`, "localhost")).toBe(true);
      await expect(ask(safe, `sslmode=verify-full&sslrootcert=${certificate}`, "localhost")).rejects.toMatchObject(refused("altnames"));
      for (const parameters of ["sslmode=verify-full", "sslmode=verify-ca", `sslmode=require&sslrootcert=${import.meta.filename}`]) {
        await expect(ask(safe, parameters)).rejects.toMatchObject(refused("certificate"));
      }
      await expect(ask(safe, "sslmode=verify-full&sslrootcert=/nowhere.pem")).rejects.toMatchObject({ code: "MOVEDEX_CONFIG" });
    });

    test("is not done without where it is asked for", async ({ skip }) => {
      const url = sharedServers.find((server) => server.version === version)?.url;
      if (url === undefined) return skip("no server without TLS");
      const plain = new URL(url);
      expect(await ask(plain, "")).toBe(false);
      expect(await ask(plain, "sslmode=prefer")).toBe(false);
      await expect(ask(plain, "sslmode=require")).rejects.toMatchObject(refused("does not support SSL"));
    });
  });
}
