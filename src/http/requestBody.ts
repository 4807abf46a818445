import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { BodyRoom } from './bodyRoom.ts';
import { bodyNotUtf8, bodyTooLarge, encodedBody, RequestAborted, tooManyBodies } from './httpErrors.ts';
import { maxDiscardedBytes } from './unreadBody.ts';

/** The largest JSON body and the largest socket message, in bytes (8). */
export const maxBodyBytes = 1024 * 1024;

/**
 * The raw bytes of a request's body as they were sent, at most 1 MiB. Throws `413` beyond that,
 * chunked or not. Throws `503` if the process receives too many bytes at once.
 */
export function readBytes(request: IncomingMessage, room: BodyRoom): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > maxBodyBytes) return Promise.reject(refuseDeclared(declared));
  return collect(request, room);
}

/** After the answer Node reads an unread body to its end. A huge rest is not worth that. */
const refuseDeclared = (bytes: number): Error =>
  bytes > maxDiscardedBytes ? bodyTooLarge({ connection: 'close' }) : bodyTooLarge();

function collect(request: IncomingMessage, room: BodyRoom): Promise<Buffer> {
  if (request.destroyed && !request.readableEnded) return Promise.reject(new RequestAborted());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let isRefused = false;
    const refuse = (error: Error): void => {
      isRefused = true;
      chunks.length = 0;
      arriving.leave();
      reject(error);
    };
    const arriving = room.enter(() => refuse(tooManyBodies()));
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBodyBytes) refuse(bodyTooLarge());
      if (size > maxDiscardedBytes) request.destroy();
      if (isRefused) return;
      chunks.push(chunk);
      arriving.grow(chunk.length);
    });
    request.on('end', () => {
      arriving.leave();
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    });
    // Every request closes, usually after its end.
    const giveUp = (): void => {
      arriving.leave();
      if (!request.readableEnded) reject(new RequestAborted());
    };
    request.on('error', giveUp);
    request.on('close', giveUp);
  });
}

/**
 * The body as text. Throws `400` if it is not UTF-8, `415` if it is compressed, and whatever
 * `readBytes` throws.
 */
export async function readText(request: IncomingMessage, room: BodyRoom): Promise<string> {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') throw encodedBody(encoding);
  const bytes = await readBytes(request, room);
  if (!isUtf8(bytes)) throw bodyNotUtf8();
  return bytes.toString('utf8');
}
