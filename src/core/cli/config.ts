import { readPlace } from "../db/engine/place.ts";
import { ConfigError } from "../errors.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Where the database is when neither `--db` nor `DATABASE_URL` says. */
const DEFAULT_DATABASE = "movedex.db";

/** The database: `--db`, else `DATABASE_URL`, else `movedex.db` here; see `readPlace`. @throws ConfigError */
export function databasePath(option: string | undefined, env: Env, schema?: string): string {
  const given = option ?? nonEmpty(env["DATABASE_URL"]) ?? DEFAULT_DATABASE;
  return readPlace(given, env, schema);
}

/** The node's address: `--rpc`, else the network's, else `MOVEDEX_RPC_URL`. Undefined when nothing says. */
export function nodeUrl(rpc: string | undefined, network: { readonly url: string } | undefined, env: Env): string | undefined {
  return rpc ?? network?.url ?? nonEmpty(env["MOVEDEX_RPC_URL"]);
}

/** Variables whose values show in no process list and no shell history; a settings file names other variables in their place. */
type Variable =
  /** The credential for the node. */
  | "MOVEDEX_API_KEY"
  /** `user:password` for a node behind HTTP basic authentication. */
  | "MOVEDEX_BASIC_AUTH"
  /** Whom the node's operator can write to; goes into the User-Agent. */
  | "MOVEDEX_CONTACT"
  /** Where a job tells that it began and how it ended: an address that is often a secret by itself. */
  | "MOVEDEX_PING_URL"
  /** Where alerts are posted: an address that is often a secret by itself. */
  | "MOVEDEX_WEBHOOK_URL"
  /** The key of a webhook's signatures. */
  | "MOVEDEX_WEBHOOK_SECRET";

/** What a variable holds; undefined when it is not set or blank. */
export function readVariable(env: Env, name: Variable): string | undefined {
  return nonEmpty(env[name]);
}

/** What says to a node who asks: one of the two. @throws ConfigError for both */
export function nodeCredentials(env: Env): { readonly apiKey: string | undefined; readonly basicAuth: string | undefined } {
  const [apiKey, basicAuth] = [readVariable(env, "MOVEDEX_API_KEY"), readVariable(env, "MOVEDEX_BASIC_AUTH")];
  if (apiKey !== undefined && basicAuth !== undefined)
    throw new ConfigError("MOVEDEX_API_KEY and MOVEDEX_BASIC_AUTH are both set, and a request has room for one of them. Unset one.");
  return { apiKey, basicAuth };
}

/** Says which variable held the credential that a node refused: the variable that the settings file names, if it names one. */
export function credentialSource(env: Env): string {
  const sent = (["MOVEDEX_API_KEY", "MOVEDEX_BASIC_AUTH"] as const).find((name) => readVariable(env, name) !== undefined);
  const named = env[SECRET_VARIABLES]?.split(",");
  if (sent !== undefined) return `${named?.find((name) => env[name]?.trim() === readVariable(env, sent)) ?? sent} holds what was sent`;
  return named === undefined
    ? "no key was sent; MOVEDEX_API_KEY or MOVEDEX_BASIC_AUTH may hold one"
    : "no key was sent; `api-key-env` or `basic-auth-env` of the section may name one";
}

/** Proxies as most programs take them from the environment; names in lower case count first. */
export function proxySettings(env: Env): { http: string | undefined; https: string | undefined; except: string | undefined } {
  const proxyOf = (name: string): string | undefined => nonEmpty(env[name.toLowerCase()]) ?? nonEmpty(env[name]);
  return { http: proxyOf("HTTP_PROXY"), https: proxyOf("HTTPS_PROXY"), except: proxyOf("NO_PROXY") };
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === "" ? undefined : text.trim();
}

/**
 * The entry of the environment that lists the variables in which a settings file says that secrets are, with commas between. No
 * variable of an operating system has such a name.
 */
export const SECRET_VARIABLES = "secret variables";
