import { packageVersion } from "../../base/files/package-file.ts";
import { ConfigError } from "../../errors.ts";

const PRINTABLE = /^[ -~]{1,200}$/;

/** The User-Agent: `movedex/<version>`, and in brackets how the user of movedex can be reached. Throws ConfigError. */
export function userAgent(contact: string | undefined): string {
  const version = packageVersion();
  if (contact === undefined) return `movedex/${version}`;
  if (!PRINTABLE.test(contact)) throw new ConfigError("The contact for the User-Agent must be plain ASCII text of at most 200 characters");
  return `movedex/${version} (+${contact})`;
}
