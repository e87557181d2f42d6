import { BELIEF_SIZE, changeModel, evenShares, type Shares } from "../../../src/crawl/cadence/change-model.ts";
import { type CommonNights, commonNights, ratioAfter, type SeenStretch } from "../../../src/crawl/cadence/common-nights.ts";
import { readingWorth } from "../../../src/crawl/cadence/reading-worth.ts";
import { openStretches } from "../../../src/crawl/cadence/stretches.ts";
import { type Chooser, HALF_LIFE } from "./play.ts";
import type { World } from "./worlds.ts";

const DECAY = Math.LN2 / HALF_LIFE;
/** Readings of so many nights say which nights had something common. */
const LOOKED_BACK = 100;

/** movedex: its own model of change, taken forward with each reading, and learnt from all of them once a night. */
export function movedex(world: World): Chooser {
  const stretches = openStretches(DECAY);
  const [model, reading] = [changeModel(stretches), readingWorth(stretches, DECAY)];
  const beliefs = new Float64Array(world.accounts * BELIEF_SIZE);
  const ratios = new Float64Array(world.accounts).fill(1);
  const even = evenShares();
  let shares = { early: even, late: even };
  const [early, late]: [number[], number[]] = [[], []];
  let price = 0.1;
  let tonight: { account: number; from: number; to: number; isChanged: boolean }[] = [];
  let seen: (SeenStretch & { account: number })[] = [];
  const sharesOf = (account: number): Shares => (world.listedAt[account] === 0 ? shares.early : shares.late);
  return {
    first: (account, night) => {
      model.begin(beliefs, account * BELIEF_SIZE);
      (night === 0 ? early : late).push(account);
    },
    saw: (account, from, to, isChanged) => tonight.push({ account, from, to, isChanged }),
    marginal: (value) => {
      price = 0.9 * price + 0.1 * Math.max(value, 1e-4);
    },
    score: (night, listed, readAt, into) => {
      const common = learnCommon(night, listed);
      const ofEarly = model.learn(beliefs, early, shares.early, even);
      shares = { early: ofEarly, late: model.learn(beliefs, late, shares.late, ofEarly) };
      for (let account = 0; account < listed; account++) {
        const from = readAt[account] as number;
        if (from === night) into[account] = 0;
        else {
          const { worth } = reading.outlook(beliefs, account * BELIEF_SIZE, sharesOf(account), from, night, price);
          into[account] = worth + common.worth(ratios[account] as number, from);
        }
      }
    },
  };

  /** What the readings of the night before say of nights and of accounts. */
  function learnCommon(night: number, listed: number): CommonNights {
    const nights = Array.from({ length: night }, (_, before) => before);
    const common = commonNights(nights, night, DECAY, 1);
    common.learnShare(ratios.subarray(0, listed));
    const fresh = tonight.map((one) => {
      const quiet = model.chanceOfNone(beliefs, one.account * BELIEF_SIZE, sharesOf(one.account), one.from, one.to);
      return { ...one, quiet, accounts: 1, follows: 0 };
    });
    seen = [...seen.filter(({ to }) => to > night - LOOKED_BACK), ...fresh];
    for (const stretch of seen) stretch.follows = common.follows(ratios[stretch.account] as number);
    common.learn(seen);
    for (const stretch of fresh) {
      const { account, from, to, isChanged, quiet } = stretch;
      const uncommon = common.chanceOfNone(from, to);
      const ratio = ratios[account] as number;
      model.observe(beliefs, account * BELIEF_SIZE, from, to, isChanged, common.follows(ratio) * (1 - uncommon));
      ratios[account] = ratioAfter(ratio, isChanged, quiet, uncommon);
    }
    tonight = [];
    return common;
  }
}
