import type { HeadSample } from "./horizon.ts";

/** A rise of the horizon up to this share of the window needs no explanation: nodes prune in batches. */
const BATCH_SHARE = 50n;

/**
 * Samples of one address (in the order of time), parted by the node that gave them: an address may hide several, each with
 * a window of its own, and answers alternate. One list for each, in the order in which they were first heard.
 *
 * A node's window only moves forwards, so an answer that goes back, or that leaps further ahead than time explains, begins
 * a list of its own. Lists that never overlap in time are one node again: it restarted, was replaced, or its horizon
 * really leapt. What is left apart was heard side by side.
 */
export function separateNodes(samples: readonly HeadSample[]): HeadSample[][] {
  const tracks: HeadSample[][] = [];
  for (const sample of samples) {
    const track = nearest(
      tracks.filter((track) => continues(track.at(-1) as HeadSample, sample)),
      sample,
    );
    if (track === undefined) tracks.push([sample]);
    else track.push(sample);
  }
  // By their order and not by the clock, which may stand still between two answers.
  const order = new Map(samples.map((sample, index) => [sample, index]));
  const orderOf = (sample: HeadSample | undefined): number => order.get(sample as HeadSample) as number;
  const lanes: HeadSample[][] = [];
  for (const track of tracks) {
    const first = track[0] as HeadSample;
    const free = lanes.filter((lane) => orderOf(lane.at(-1)) < orderOf(first));
    const lane = nearest(free, first);
    if (lane === undefined) lanes.push([...track]);
    else lane.push(...track);
  }
  return lanes;
}

/** Whether a sample can be the same node's next answer: nothing falls, and the horizon rises no more than time and batches explain. */
function continues(last: HeadSample, next: HeadSample): boolean {
  const headRise = next.headVersion - last.headVersion;
  const rise = next.oldestVersion - last.oldestVersion;
  if (headRise < 0n || rise < 0n) return false;
  return rise <= 2n * headRise + windowOf(next) / BATCH_SHARE;
}

/** The list whose node keeps a window most like the sample's: what an operator sets, and so the best mark of a node. */
function nearest(lists: readonly HeadSample[][], sample: HeadSample): HeadSample[] | undefined {
  let best: HeadSample[] | undefined;
  let shortest: bigint | undefined;
  for (const list of lists) {
    const gap = windowOf(list.at(-1) as HeadSample) - windowOf(sample);
    const distance = gap < 0n ? -gap : gap;
    if (shortest !== undefined && distance >= shortest) continue;
    best = list;
    shortest = distance;
  }
  return best;
}

function windowOf({ headVersion, oldestVersion }: HeadSample): bigint {
  return headVersion - oldestVersion;
}
