import { BELIEF_SIZE, ChangeModel, evenShares } from "../../../src/crawl/cadence/change-model.ts";
import { type Chooser, HALF_LIFE } from "./play.ts";
import type { World } from "./worlds.ts";

/** movedex: its own model of change, taken forward with each reading, and learnt from all of them once a night. */
export function movedex(world: World): Chooser {
  const model = new ChangeModel(HALF_LIFE);
  const beliefs = new Float64Array(world.accounts * BELIEF_SIZE);
  const even = evenShares();
  let shares = { early: even, late: even };
  const [early, late]: [number[], number[]] = [[], []];
  let price = 0.1;
  return {
    first: (account, night) => {
      model.begin(beliefs, account * BELIEF_SIZE);
      (night === 0 ? early : late).push(account);
    },
    saw: (account, from, to, isChanged) => model.observe(beliefs, account * BELIEF_SIZE, from, to, isChanged),
    marginal: (value) => {
      price = 0.9 * price + 0.1 * Math.max(value, 1e-4);
    },
    score: (night, listed, readAt, into) => {
      const ofEarly = model.learn(beliefs, early, early.length, shares.early, even);
      shares = { early: ofEarly, late: model.learn(beliefs, late, late.length, shares.late, ofEarly) };
      for (let account = 0; account < listed; account++) {
        const from = readAt[account] as number;
        const kind = world.listedAt[account] === 0 ? shares.early : shares.late;
        into[account] = from === night ? 0 : model.outlook(beliefs, account * BELIEF_SIZE, kind, from, night, price).worth;
      }
    },
  };
}
