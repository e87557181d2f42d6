import { planFaults, storageFailure } from "../../sim/faults/index.ts";
import { liveHistory, startSimNode } from "../../sim/index.ts";
import { writeModule } from "../../sim/module-writer/module-writer.ts";
import { processIo } from "../../src/cli/io.ts";
import { exitCodes } from "../../src/exit-codes.ts";
import { main } from "../../src/main.ts";
import { ManualClock } from "../../test/support/manual-clock.ts";

const DAY_MS = 86_400_000;
const VERSIONS_PER_DAY = 864_000n;
/** Releases that stood before the first night. */
const BEFORE = 86;
/** An account of so many modules, whose dependencies are a large drawing. */
const LARGE = { address: "0xb16", modules: 140 };
/** An account that gives no answer in some nights. */
const SILENT = "0x51e47";

/** An archive to photograph, and what in it is worth a photograph. */
export type PhotoArchive = { readonly db: string; readonly nights: readonly bigint[]; readonly large: string; readonly now: number };

/** Makes an archive of some nights of the recorded releases, with an account of many modules and one that gives no answer at times. */
export async function photoArchive(db: string, directory: string, nights: number): Promise<PhotoArchive> {
  const live = liveHistory({
    directory,
    versionsPerRelease: VERSIONS_PER_DAY,
    ledger: { usecPerVersion: 100_000n, window: VERSIONS_PER_DAY * 7n, chainId: 34 },
  });
  for (let i = 0; i < BEFORE; i++) live.next();
  live.ledger.transact((writer) => {
    writer.account(LARGE.address, { sequenceNumber: 7n });
    writer.account(SILENT, { sequenceNumber: 1n });
    for (const [name, code] of largePackage()) writer.publish(LARGE.address, name, code);
  });
  let isSilent = false;
  const timeMs = (): number => Number(live.ledger.info().timestampUsec / 1000n);
  const faults = planFaults([{ fault: storageFailure("listing"), match: ({ target }) => isSilent && target.includes(SILENT.slice(2)) }]);
  await using node = await startSimNode({ ledger: live.ledger, faults, log: false, now: timeMs });
  const accounts = ["0x1", "0x3", "0x4", "0x5", "0x7", LARGE.address, SILENT].flatMap((address) => ["--account", address]);
  const pins: bigint[] = [];
  for (let night = 0; night < nights; night++) {
    live.next();
    live.ledger.advance(VERSIONS_PER_DAY / 8n);
    live.ledger.transact((writer) => writer.account(LARGE.address, { sequenceNumber: BigInt(7 + night * 3) }));
    live.ledger.advance(100n);
    isSilent = night % 7 === 3 || night >= nights - 2;
    const clock = new ManualClock({ startMs: timeMs() + 1000, skipSleeps: true });
    const code = await main(["sync", "--rpc", node.url, "--db", db, "--rate", "0", ...accounts], { ...processIo(), env: {}, clock });
    if (code > exitCodes.gaps.code) throw new Error(`the night ended with exit code ${code}`);
    pins.push(live.ledger.head);
  }
  return { db, nights: pins, large: LARGE.address, now: timeMs() + DAY_MS / 24 };
}

/** Modules in five storeys, each using some of the storey below and one further down. */
function* largePackage(): Generator<readonly [name: string, code: Uint8Array]> {
  const storey = (i: number): number => Math.floor((i * 5) / LARGE.modules);
  const name = (i: number): string => `${["market", "vault", "oracle", "ledger", "math"][storey(i)]}_${i}`;
  for (let i = 0; i < LARGE.modules; i++) {
    const below = Array.from({ length: LARGE.modules }, (_, j) => j).filter((j) => storey(j) > storey(i));
    const used = [7, 31, 53].map((step) => below[(i * step) % below.length]).filter((j) => j !== undefined);
    yield [
      name(i),
      writeModule({
        address: LARGE.address,
        name: name(i),
        dependencies: [...new Set(used)].map((j) => `${LARGE.address}::${name(j)}`).concat("0x1::signer"),
        functions: [{ name: "run", visibility: "public", params: ["u64"], returns: ["u64"] }],
      }),
    ];
  }
}
