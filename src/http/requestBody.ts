import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { bodyNotUtf8, bodyTooLarge, encodedBody, RequestAborted } from './httpErrors.ts';
import { maxDiscardedBytes } from './unreadBody.ts';

/** The largest JSON body and the largest socket message, in bytes (8). */
export const maxBodyBytes = 1024 * 1024;

/**
 * The raw bytes of a request's body, at most 1 MiB. Throws `413` beyond that, chunked or not, and
 * `415` for a compressed body.
 */
function readBytes(request: IncomingMessage): Promise<Buffer> {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') return Promise.reject(encodedBody(encoding));
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > maxBodyBytes) return Promise.reject(refuseDeclared(declared));
  return collect(request);
}

/** After the answer Node reads an unread body to its end. A huge rest is not worth that. */
const refuseDeclared = (bytes: number): Error =>
  bytes > maxDiscardedBytes ? bodyTooLarge({ connection: 'close' }) : bodyTooLarge();

function collect(request: IncomingMessage): Promise<Buffer> {
  if (request.destroyed && !request.readableEnded) return Promise.reject(new RequestAborted());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBodyBytes) chunks.push(chunk);
      else {
        chunks.length = 0;
        reject(bodyTooLarge());
        if (size > maxDiscardedBytes) request.destroy();
      }
    });
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    // Every request closes, usually after its end.
    const giveUp = (): void => {
      if (!request.readableEnded) reject(new RequestAborted());
    };
    request.on('error', giveUp);
    request.on('close', giveUp);
  });
}

/** The body as text. Throws `400` if it is not UTF-8, and whatever `readBytes` throws. */
export async function readText(request: IncomingMessage): Promise<string> {
  const bytes = await readBytes(request);
  if (!isUtf8(bytes)) throw bodyNotUtf8();
  return bytes.toString('utf8');
}
