import { constants } from "node:zlib";
import { ZstdCompress, ZstdDecompress } from "minizlib";
import { present } from "../../base/invariant.ts";

/** Bytes up to which code is packed and unpacked by streams that are kept. */
export const SMALL_BYTES = 64 * 1024;

/** The window for code of this size. The default is made for a megabyte and takes longer to clear. */
const WINDOW_LOG = 16;
const TABLE_LOG = 13;

/** Each write makes one whole frame. The streams are kept, since making one takes as long as packing a module. */
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
// A frame names the memory that it needs. Larger frames than are written here are refused.
const UNPACKING = { ...ALONE, maxOutputLength: SMALL_BYTES, params: { [constants.ZSTD_d_windowLogMax]: WINDOW_LOG } };

const pack = keptStream(() => new ZstdCompress(PACKING));
const unpack = keptStream(() => new ZstdDecompress(UNPACKING));

/** At most `SMALL_BYTES` as a zstd frame. */
export function packSmall(code: Uint8Array): Uint8Array {
  return present(pack(code), `${code.length} bytes could not be packed`);
}

/**
 * The bytes of a frame, between one and `SMALL_BYTES` of them: an empty frame looks like one that is cut off. Undefined when they
 * are not `size` bytes, or cannot be read here; zlib's own function then says why.
 */
export function unpackSmall(frame: Uint8Array, size: number): Uint8Array | undefined {
  return unpack(frame, size);
}

/** Packs or unpacks with one stream. Undefined when that fails or gives another size than wanted; the next call makes a new stream. */
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
