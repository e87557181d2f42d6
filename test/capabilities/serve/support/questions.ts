import { asWords } from "../../../support/command/command-lines.ts";
import type { VariedLedger } from "./varied-ledger.ts";

/** A request to a served archive. */
export type Question = { readonly target: string; readonly headers: Record<string, string> };

const bcs = { accept: "application/x-bcs" };
const json = { accept: "application/json" };

/** Every operation with every account, module and version, in both formats, and what no archive can answer. */
export function* questionsTo(
  { accounts, stranger, moduleNames }: Pick<VariedLedger, "accounts" | "stranger" | "moduleNames">,
  versions: readonly number[],
): Generator<Question> {
  const at = ["", ...versions.map((version) => `?ledger_version=${version}`)];
  const all = [...accounts, stranger, "0x7e57"];
  for (const headers of [json, bcs]) {
    for (const path of ["", "/", "/-/healthy", "/-/healthy?duration_secs=1", "/-/healthy?duration_secs=4000000000"]) {
      yield { target: `/v1${path}`, headers };
    }
    for (const account of all) {
      for (const version of at) {
        yield { target: `/v1/accounts/${account}${version}`, headers };
        yield { target: `/v1/accounts/${account}/modules${version}`, headers };
        yield { target: `/v1/accounts/${account}/modules${version === "" ? "?" : `${version}&`}limit=2`, headers };
        for (const name of [...moduleNames.slice(0, 4), ...moduleNames.slice(-3), "nope"]) {
          yield { target: `/v1/accounts/${account}/module/${encodeURIComponent(name)}${version}`, headers };
        }
      }
    }
  }
  for (const path of asWords`/info /snapshots /snapshots?limit=1 /snapshots?before=900 /snapshots?before=18446744073709551615&limit=2`) {
    yield { target: `/v1${path}`, headers: json };
  }
  for (const version of [...versions, "18446744073709551615", "latest"]) yield { target: `/v1/snapshots/${version}`, headers: json };
  for (const path of asWords`/spec.json /spec.yaml /nope /accounts/0xg /accounts/0x1?ledger_version=x /accounts/0x1/modules?limit=0`) {
    yield { target: `/v1${path}`, headers: { ...json, "accept-encoding": "gzip" } };
  }
  for (const path of ["/accounts/0x1?ledger_version=18446744073709551615", "/accounts/0x1/modules?start=00"]) {
    yield { target: `/v1${path}`, headers: json };
  }
}
