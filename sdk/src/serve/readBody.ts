/**
 * Reads a body of at most `limitBytes`; undefined if it is larger. Memory holds no more than that.
 */
export async function readBody(
  body: AsyncIterable<Uint8Array>,
  limitBytes: number,
): Promise<Buffer<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > limitBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
