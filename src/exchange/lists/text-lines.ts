/**
 * The lines of a text in UTF-8 that comes in chunks, without their ends (`\n` or `\r\n`) and without a byte order mark.
 *
 * @throws RangeError for a line of more than `max` characters, before it is whole
 */
export async function* textLines(chunks: AsyncIterable<Uint8Array>, max: number): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let begun = "";
  let number = 1;
  const tooLong = () => new RangeError(`line ${number} has more than ${max} characters`);
  for await (const chunk of chunks) {
    const lines = (begun + decoder.decode(chunk, { stream: true })).split("\n");
    begun = lines.pop() ?? "";
    for (const line of lines) {
      if (line.length > max) throw tooLong();
      yield line.endsWith("\r") ? line.slice(0, -1) : line;
      number++;
    }
    if (begun.length > max) throw tooLong();
  }
  begun += decoder.decode();
  if (begun !== "") yield begun;
}
