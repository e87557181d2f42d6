import { describe, expect, test } from "vitest";
import { databasePath } from "../src/core/cli/config.ts";
import { asWords } from "./support/command/command-lines.ts";

describe("databasePath", () => {
  test("is the option, else DATABASE_URL, else a file here; without a prefix", () => {
    expect(databasePath("a.db", { DATABASE_URL: "b.db" })).toBe("a.db");
    expect(databasePath(undefined, { DATABASE_URL: " b.db " })).toBe("b.db");
    expect(databasePath(undefined, { DATABASE_URL: "  " })).toBe("movedex.db");
    expect(["file:a.db", "sqlite:a.db", "file:///a/b.db", "FILE:a.db"].map((given) => databasePath(given, {}))).toEqual(asWords`
      a.db a.db /a/b.db a.db
    `);
    expect(["postgres.db", "./postgres", "a:b.db"].map((given) => databasePath(given, {}))).toEqual([
      "postgres.db",
      "./postgres",
      "a:b.db",
    ]);
  });

  test("is the complete address of a PostgreSQL database, without its password", () => {
    expect(databasePath("postgresql://ann:secret@db.example/archive", { PGSSLMODE: "require" })).toBe(
      "postgres://ann@db.example:5432/archive?sslmode=require",
    );
    expect(databasePath(undefined, { DATABASE_URL: "postgres://ann:secret@h/a" }, "nights")).toBe("postgres://ann@h:5432/a?schema=nights");
    expect(() => databasePath("a.db", {}, "nights")).toThrow("`a.db` is a file");
  });

  test.each(["", "  ", "file:", "sqlite://"])("refuses the empty name `%s`", (given) => {
    const refused = expect.objectContaining({
      code: "MOVEDEX_CONFIG",
      message: expect.stringContaining("the name of the database is empty"),
    });
    expect(() => databasePath(given, { DATABASE_URL: "b.db" })).toThrow(refused);
  });

  test.each([":memory:", " :memory: ", "file::memory:", "sqlite::memory:"])("refuses `%s`, which is gone with the command", (given) => {
    const refused = expect.objectContaining({ code: "MOVEDEX_CONFIG", message: expect.stringContaining("outlast the command") });
    expect(() => databasePath(given, {})).toThrow(refused);
    expect(() => databasePath(undefined, { DATABASE_URL: given })).toThrow(refused);
  });

  test.each([
    [
      "postgresql://ann:secret@db.example/archive?sslmode=sometimes",
      "sslmode cannot be `sometimes`. Give one of disable, allow, prefer, require",
    ],
    ["postgres://ann:secret@db.example:port/archive", "the database address cannot be read. Write postgres://user@host:5432/database"],
    ["postgres:archive", "the database address cannot be read. Write postgres://user@host:5432/database"],
    ["mysql://ann:secret@db.example/archive", "movedex knows no database of the kind `mysql://`"],
    ["http://db.example/archive", "movedex knows no database of the kind `http://`"],
  ])("says of %s what is the matter, and never the password", (given, sentence) => {
    for (const [option, env] of [
      [given, {}],
      [undefined, { DATABASE_URL: given }],
    ] as const) {
      expect(() => databasePath(option, env)).toThrow(
        expect.objectContaining({ code: "MOVEDEX_CONFIG", message: expect.stringContaining(sentence) }),
      );
      expect(() => databasePath(option, env)).not.toThrow("secret");
    }
  });
});
