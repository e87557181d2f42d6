import type { HeadSample } from "./horizon.ts";

/** A rise of the horizon by up to this fraction of the window is always plausible: nodes prune in batches. */
const BATCH_SHARE = 50n;

/**
 * Separates the samples of one address, given in the order of time, by the node that answered: several nodes may share an
 * address, each with its own window, and answer in turn. Returns one list for each, in the order of their first samples.
 *
 * A node's window only moves forwards, so a sample that goes back, or that leaps further ahead than time explains, begins a
 * new track. Tracks that do not overlap in time are joined: they are one node that restarted, was replaced, or whose
 * horizon really leapt. Tracks that do overlap are different nodes.
 */
export function samplesByNode(samples: readonly HeadSample[]): HeadSample[][] {
  const tracks: HeadSample[][] = [];
  for (const sample of samples) {
    const track = nearest(
      tracks.filter((track) => continues(track.at(-1) as HeadSample, sample)),
      sample,
    );
    if (track === undefined) tracks.push([sample]);
    else track.push(sample);
  }
  // Compared by order and not by time, since two samples may have the same.
  const order = new Map(samples.map((sample, index) => [sample, index]));
  const orderOf = (sample: HeadSample | undefined): number => order.get(sample as HeadSample) as number;
  const nodes: HeadSample[][] = [];
  for (const track of tracks) {
    const first = track[0] as HeadSample;
    const free = nodes.filter((node) => orderOf(node.at(-1)) < orderOf(first));
    const node = nearest(free, first);
    if (node === undefined) nodes.push([...track]);
    else node.push(...track);
  }
  return nodes;
}

/** Whether a sample can be the next one of the same node: nothing falls, and the horizon rises no further than time and batches explain. */
function continues(last: HeadSample, next: HeadSample): boolean {
  const headRise = next.headVersion - last.headVersion;
  const rise = next.oldestVersion - last.oldestVersion;
  if (headRise < 0n || rise < 0n) return false;
  return rise <= 2n * headRise + windowOf(next) / BATCH_SHARE;
}

/** The list whose window is most like the sample's: operators set the window's size, so it identifies a node best. */
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
