import { constants } from "node:zlib";
import { ZstdCompress, ZstdDecompress } from "minizlib";
import { present } from "../../base/invariant.ts";

/** Bytes up to which code is packed and unpacked by streams that are kept. */
export const SMALL_BYTES = 64 * 1024;

/** Tables of such code's size: level 3's own are made for a megabyte, and emptying them takes a quarter of the time. */
const WINDOW_LOG = 16;
const TABLE_LOG = 13;

/**
 * Each write is a frame from its beginning to its end. Node's own functions make a stream for each, which takes as long as the
 * packing itself: 63 to 74 µs of CPU for 3,900 bytes where these take 36, and 49 to 64 where these take 21 to 26 for unpacking.
 */
const ALONE = { flush: constants.ZSTD_e_end, chunkSize: SMALL_BYTES };

// minizlib hands all options on to zlib; its types know the first two.
const PACKING = {
  ...ALONE,
  params: {
    [constants.ZSTD_c_compressionLevel]: 3,
    [constants.ZSTD_c_windowLog]: WINDOW_LOG,
    [constants.ZSTD_c_hashLog]: TABLE_LOG,
    [constants.ZSTD_c_chainLog]: TABLE_LOG,
  },
};
// A frame says how much memory it wants: of a larger one than is ever written here the stream would keep it.
const UNPACKING = { ...ALONE, maxOutputLength: SMALL_BYTES, params: { [constants.ZSTD_d_windowLogMax]: WINDOW_LOG } };

const pack = keptStream(() => new ZstdCompress(PACKING));
const unpack = keptStream(() => new ZstdDecompress(UNPACKING));

/** At most `SMALL_BYTES` as a zstd frame. */
export function packSmall(code: Uint8Array): Uint8Array {
  return present(pack(code), `${code.length} bytes could not be packed`);
}

/**
 * The bytes of a frame, `size` of them, at least one and at most `SMALL_BYTES`; undefined where it holds others, or nothing that can
 * be read here, which zlib's own function may say more of. Of no bytes it could not tell the frame from one that is cut off.
 */
export function unpackSmall(frame: Uint8Array, size: number): Uint8Array | undefined {
  return unpack(frame, size);
}

/** What a stream makes of one write; undefined when it fails, or gives another size than is wanted. Then the next write has a new stream. */
function keptStream(make: () => ZstdCompress | ZstdDecompress): (bytes: Uint8Array, wanted?: number) => Uint8Array | undefined {
  let stream: ZstdCompress | ZstdDecompress | undefined;
  let pieces: Uint8Array[] = [];
  let hasFailed = false;
  return (bytes, wanted) => {
    stream ??= make()
      .on("data", (piece) => pieces.push(piece))
      .on("error", () => {
        hasFailed = true;
      });
    stream.write(bytes as Buffer);
    const made = pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces);
    const isWanted = !hasFailed && (wanted === undefined || made.length === wanted);
    // Cut in the middle of a frame it would wait for the rest of it.
    if (!isWanted) stream = undefined;
    pieces = [];
    hasFailed = false;
    return isWanted ? made : undefined;
  };
}
