import { ledgerHeaders } from "../http/answer.ts";
import type { LedgerInfo } from "../ledger/ledger.ts";
import type { Fault } from "./fault.ts";

/** The right data under ledger headers of which some say something else than the ledger does. Answers without ledger headers stay as they are. */
export function falseHead(change: (info: LedgerInfo) => Partial<LedgerInfo>): Fault {
  return {
    name: "false head",
    answer: (honest, _, { info, settings }) => {
      const answer = honest();
      if (!Object.keys(answer.headers).some((name) => name.endsWith("-chain-id"))) return answer;
      const values = ledgerHeaders({ ...info, ...change(info) }, settings.headerSpelling);
      return { ...answer, headers: { ...answer.headers, ...values } };
    },
  };
}
