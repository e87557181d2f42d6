const BLOCK = 512;

/**
 * Files as one tar archive, in POSIX's ustar form: a block of 512 bytes for each file's name, size and mode, the file padded to
 * whole blocks, two empty blocks at the end. Paths of at most 100 bytes are written whole, longer ones parted at a slash.
 * Source: POSIX.1-2017, `pax`, "ustar Interchange Format".
 */
export function tarOf(files: ReadonlyMap<string, string>): Buffer {
  const blocks: Buffer[] = [];
  for (const [path, text] of files) {
    const body = Buffer.from(text);
    blocks.push(headerOf(path, body.length), body, Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK));
  }
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

function headerOf(path: string, size: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  const [prefix, name] = partPath(path);
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, "0")}\0`;
  header.write(name, 0, 100);
  header.write(octal(0o644, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(size, 11), 124);
  header.write(octal(0, 11), 136);
  header.write(" ".repeat(8), 148);
  header.write("0", 156);
  header.write("ustar\0", 257);
  header.write("00", 263);
  header.write(prefix, 345, 155);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)} `, 148);
  return header;
}

function partPath(path: string): readonly [prefix: string, name: string] {
  if (Buffer.byteLength(path) <= 100) return ["", path];
  const slash = path.indexOf("/", path.length - 101);
  return slash < 0 ? ["", path.slice(-100)] : [path.slice(0, slash), path.slice(slash + 1)];
}
