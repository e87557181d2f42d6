import { describe, expect, test } from "vitest";
import { requirePublicAddress } from "../../../src/capabilities/archival/archive-session.ts";
import { ConfigError } from "../../../src/core/errors.ts";

const resolve = async (host: string): Promise<readonly string[]> => {
  const names: Record<string, string[]> = {
    "archive.example.org": ["151.101.1.1", "2a04:4e42::1"],
    "inside.example.org": ["151.101.1.1", "10.1.2.3"],
    "six.example.org": ["fd00::1"],
    "mapped.example.org": ["::ffff:127.0.0.1"],
  };
  const found = names[host];
  if (found === undefined) throw new Error("ENOTFOUND");
  return found;
};

describe("requirePublicAddress", () => {
  test("takes https to a public host, by name and by number", async () => {
    for (const url of ["https://archive.example.org/v1", "https://151.101.1.1/v1", "https://[2a04:4e42::1]/v1"])
      expect(await requirePublicAddress(url, { resolve })).toBe(url);
  });

  test.each([
    ["http://archive.example.org/v1", "it is not https"],
    ["ftp://archive.example.org/", "it is not https"],
    ["https://me:pass@archive.example.org/v1", "user name or password"],
    ["not a url", "it is not a URL"],
    ["https://nowhere.example.org/v1", "its name leads nowhere"],
    ["https://localhost/v1", "leads"],
    ["https://inside.example.org/v1", "private network"],
    ["https://six.example.org/v1", "private network"],
    ["https://mapped.example.org/v1", "private network"],
    ["https://127.0.0.1/v1", "private network"],
    ["https://2130706433/v1", "private network"],
    ["https://0x7f.1/v1", "private network"],
    ["https://[::1]/v1", "private network"],
    ["https://[::ffff:10.0.0.1]/v1", "private network"],
    ["https://169.254.169.254/latest", "private network"],
    ["https://100.64.0.1/v1", "private network"],
    ["https://192.168.1.1/v1", "private network"],
    ["http://127.0.0.1:8080/v1", "it is not https"],
  ])("refuses %s", async (url, why) => {
    const error = await requirePublicAddress(url, { resolve }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as ConfigError).message).toContain(why);
    expect((error as ConfigError).message).not.toContain("pass@");
  });

  test("loopback only where that is said, and only this machine's own", async () => {
    expect(await requirePublicAddress("http://127.0.0.1:8080/v1", { loopback: true, resolve })).toBe("http://127.0.0.1:8080/v1");
    await expect(requirePublicAddress("http://10.0.0.1/v1", { loopback: true, resolve })).rejects.toThrow(ConfigError);
  });
});
