import { type FaultPlan, type SimNode, startSimNode } from "../../../../sim/index.ts";
import { openForwarder } from "../../../../src/capabilities/serve/upstream/forwarder.ts";
import { type RawResponse, rawRequest, temporaryDirectory } from "../../../support/index.ts";
import { type ServedTest, type Settings, serveDatabase } from "./served-archive.ts";
import { variedArchive } from "./varied-archive.ts";

/** A served archive in front of a simulated node, until the end of its scope. */
export type Front = AsyncDisposable & {
  readonly node: SimNode;
  readonly served: ServedTest;
  readonly get: (path: string, headers?: Record<string, string>) => Promise<RawResponse>;
};

/** What a test may set of a front. */
export type FrontOptions = {
  readonly plan?: FaultPlan;
  readonly apiKey?: string;
  readonly answerBytes?: number;
  /** For how long the node may be silent. By default nothing is late for want of a fast machine. */
  readonly silenceMs?: number;
  readonly settings?: Settings;
};

/**
 * The scene of a test file: an archive of 500, 900 and 1400, and a ledger whose node reads from 1000 on, with its head at
 * 2000. To be called at the top of the file.
 */
export async function frontScene() {
  const place = temporaryDirectory();
  const db = place.file("archive.db");
  const scene = await variedArchive(db);
  scene.ledger.advanceTo(2000n);
  scene.ledger.pruneTo(1000n);

  const inFront = async (options: FrontOptions = {}): Promise<Front> => {
    const node = await startSimNode({ ledger: scene.ledger, ...(options.plan === undefined ? {} : { faults: options.plan }) });
    const { apiKey, answerBytes, silenceMs = 60_000 } = options;
    const forwarder = openForwarder({ url: node.url, connections: 4, silenceMs, apiKey, ...(answerBytes && { answerBytes }) });
    const served = await serveDatabase(db, { ...options.settings, upstream: forwarder });
    return {
      node,
      served,
      get: (path, headers = {}) => rawRequest(served.url + path, { headers }),
      [Symbol.asyncDispose]: async () => {
        await served[Symbol.asyncDispose]();
        await forwarder.close();
        await node.close();
      },
    };
  };
  return { db, scene, inFront };
}

/** Status, `x-movedex-source` and `x-movedex-observed-at` of an answer. */
export const sourceOf = ({ status, headers }: RawResponse) => [status, headers["x-movedex-source"], headers["x-movedex-observed-at"]];

/** An answer's body as JSON. */
export const jsonOfRaw = ({ body }: RawResponse) => JSON.parse(body.toString()) as Record<string, unknown>;
