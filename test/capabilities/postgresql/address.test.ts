import { userInfo } from "node:os";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { completeAddress, readAddress } from "../../../src/capabilities/postgresql/address.ts";
import { isAddress } from "../../../src/core/db/engine/place.ts";

const read = (text: string, env: Record<string, string> = {}) => {
  const { password, ...rest } = readAddress(text, env);
  return { ...rest, password: password?.() };
};

describe("readAddress", () => {
  test("takes everything from the address", () => {
    const text = "postgresql://ann%40home:p%2Fw%3A@db.example:6000/the%20archive?sslmode=require&application_name=night&connect_timeout=3";
    expect(read(text, { PGHOST: "other", PGPASSWORD: "other", PGSSLMODE: "disable" })).toEqual({
      host: "db.example",
      port: 6000,
      user: "ann@home",
      password: "p/w:",
      database: "the archive",
      sslMode: "require",
      sslRootCert: undefined,
      sslCert: undefined,
      sslKey: undefined,
      applicationName: "night",
      connectTimeoutMs: 3_000,
      schema: "movedex",
      isPooled: false,
      label: "postgres://ann%40home@db.example:6000/the%20archive",
    });
  });

  test("takes the rest from libpq's variables, then the defaults", () => {
    const env = { PGHOST: "h", PGPORT: "7", PGUSER: "u", PGDATABASE: "d", PGPASSWORD: "p", PGSSLMODE: "verify-full", PGSSLROOTCERT: "/ca" };
    for (const text of ["postgres://", "postgres:///"]) {
      expect(read(text, env)).toMatchObject({
        host: "h",
        port: 7,
        user: "u",
        database: "d",
        password: "p",
        sslMode: "verify-full",
        sslRootCert: "/ca",
      });
    }
    const user = userInfo().username;
    expect(read("postgres:///")).toMatchObject({
      host: "localhost",
      port: 5432,
      user,
      database: user,
      password: undefined,
      sslMode: "prefer",
    });
    expect(read("postgres://ann@/archive", env)).toMatchObject({ host: "h", user: "ann", database: "archive" });
    expect(read("postgres://[::1]/x")).toMatchObject({ host: "::1", label: expect.stringContaining("@[::1]:5432/x") });
    expect(read("postgres:///x?host=/run/postgresql&user=a")).toMatchObject({ host: "/run/postgresql", database: "x", user: "a" });
  });

  test.each([
    ["postgres://u:secret@h/d?sslmode=maybe", "sslmode cannot be `maybe`. Give one of disable"],
    ["postgres://u:secret@h/d?pooler=session", "pooler cannot be `session`. Give `transaction`"],
    ["postgres://u:secret@h/d?colour=red", "has no parameter `colour`"],
    ["postgres://u:secret@h/d?connect_timeout=soon", "connect_timeout cannot be `soon`"],
    ["postgres://u:secret@h:99999/d", "cannot be read"],
    ["postgres://u:secret@h:port/d", "cannot be read"],
    ["postgres://u:secret@h/d?port=99999", "port cannot be `99999`"],
    ["postgres://u:sec%zzret@h/d", "a % without two hex digits after it"],
    ["postgres://u:sec/secret@h/d", "cannot be read"],
  ])("refuses %s", (text, sentence) => {
    const error = (() => {
      try {
        readAddress(text);
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toMatchObject({ code: "MOVEDEX_CONFIG", message: expect.stringContaining(sentence) });
    expect(inspect(error)).not.toContain("secret");
  });

  test("knows its own kind", () => {
    expect(["postgres://x", "postgresql://x", "POSTGRES://x"].every(isAddress)).toBe(true);
    expect(["postgres.db", "file:postgres://x", "mysql://x", "postgres", "./postgres:x"].some(isAddress)).toBe(false);
  });
});

describe("completeAddress", () => {
  const env = { PGHOST: "db.example", PGUSER: "ann", PGPASSWORD: "p@ss", PGSSLMODE: "require", PGAPPNAME: "night" };

  test("says all that the variables say, but no password, which is known all the same", () => {
    const complete = completeAddress("postgres:///archive", env);
    expect(complete).toBe("postgres://ann@db.example:5432/archive?sslmode=require&application_name=night");
    const { password, ...rest } = readAddress(complete);
    expect(password?.()).toBe("p@ss");
    expect(inspect(readAddress(complete))).not.toContain("p@ss");
    expect(rest).toEqual({ ...readAddress("postgres:///archive", env), password: undefined });
    expect(completeAddress(complete, {})).toBe(complete);
  });

  test.each([
    "postgres://ann:secret@[::1]:6000/the%20archive?connect_timeout=3&schema=nights",
    "postgres:///x?host=/run/postgresql&user=a&port=6001&pooler=transaction",
    "postgres://a%40b@h/d%2Fe?sslmode=verify-full&sslrootcert=/my%20ca",
  ])("of %s reads as the address itself", (text) => {
    const complete = completeAddress(text, {});
    expect(complete).not.toContain("secret");
    const [read, expected] = [complete, text].map((one) => ({ ...readAddress(one), password: readAddress(one).password?.() }));
    expect(read).toEqual(expected);
  });

  test("names the schema that is asked for", () => {
    expect(completeAddress("postgres://a@h/d?schema=one", {}, "two")).toBe("postgres://a@h:5432/d?schema=two");
    expect(completeAddress("postgres://a@h/d?schema=one", {}, "movedex")).toBe("postgres://a@h:5432/d");
    for (const name of ["", "Two", "1a", "a-b", 'a"; DROP', "a".repeat(64)])
      expect(() => completeAddress("postgres://a@h/d", {}, name)).toThrow("is not the name of a schema");
    expect(() => readAddress("postgres://a@h/d?schema=a.b", {})).toThrow("is not the name of a schema");
  });
});
