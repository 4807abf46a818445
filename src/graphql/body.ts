import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

/** 8: bodies of JSON, and a message of a socket. */
export const maxBodyBytes = 1024 * 1024;

/** Past the limit this much is read and thrown away, so that a caller who is still sending gets to the answer. */
const maxDiscardedBytes = 16 * 1024 * 1024;

/** A body that is not read. Its message is meant for the caller. */
export class BodyRefused extends Error {
  override readonly name = 'BodyRefused';
  readonly status: 400 | 413 | 415;

  constructor(status: 400 | 413 | 415, message: string) {
    super(message);
    this.status = status;
  }
}

/** The caller hung up before the whole body arrived: there is nobody to answer. */
export class BodyAborted extends Error {
  override readonly name = 'BodyAborted';
}

/** The text of a request's body, of at most 1 MiB. Throws `BodyRefused` or `BodyAborted`. */
export async function readText(request: IncomingMessage): Promise<string> {
  const { 'content-encoding': encoding = 'identity' } = request.headers;
  if (encoding.toLowerCase() !== 'identity') throw new BodyRefused(415, 'a compressed body is not supported');
  const bytes = await readBytes(request);
  if (!isUtf8(bytes)) throw new BodyRefused(400, 'the body is not valid UTF-8');
  return bytes.toString('utf8');
}

function readBytes(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBodyBytes) chunks.push(chunk);
      else {
        chunks.length = 0;
        reject(new BodyRefused(413, 'request body too large'));
        if (size > maxDiscardedBytes) request.destroy();
      }
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', () => reject(new BodyAborted()));
    // Every request closes; after its end this changes nothing.
    request.on('close', () => reject(new BodyAborted()));
  });
}
