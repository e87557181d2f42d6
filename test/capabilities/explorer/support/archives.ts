import { startSimNode } from "../../../../sim/index.ts";
import { asWords } from "../../../support/command/command-lines.ts";
import { crawl } from "../../serve/support/served-archive.ts";
import { hostileAccount, hostileLedger } from "./hostile-ledger.ts";

/** Two nights of the hostile ledger. */
export async function hostileArchive(db: string): Promise<void> {
  const { ledger, passDay } = hostileLedger();
  await using node = await startSimNode({ ledger });
  await crawl(db, node.url, [hostileAccount, "0xdead"]);
  passDay();
  await crawl(db, node.url, [hostileAccount, "0xdead"]);
}

const module = `/module/${hostileAccount}/${"n".repeat(255)}`;

/** A page of each kind, over the hostile archive. */
export const hostilePaths: readonly string[] = asWords`
  / /changes /coverage /account/${hostileAccount} /account/0xdead ${module}?all=1 /module/${hostileAccount}/opaque
  /diff/${hostileAccount}/plain?code=1 /search?q=script /sql?recipe=never-upgraded
  /sql?sql=${encodeURIComponent("SELECT code, name, description FROM error_codes_latest")} /module/0x1/none
`;
