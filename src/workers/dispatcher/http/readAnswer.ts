import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { bodyLimitBytes } from '@holdfast/sdk/protocol';
import type { LinkReply } from '../seams/work.ts';

/** Reads a runner's answer. A body beyond the limit (8) is not read further, and fails the pass. */
export function readAnswer(response: IncomingMessage, done: (reply: LinkReply) => void): void {
  const encoding = response.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') {
    response.destroy();
    done(unreadable(`content-encoding ${encoding.slice(0, 40)}`));
    return;
  }
  if (Number(response.headers['content-length'] ?? 0) > bodyLimitBytes) {
    response.destroy();
    done({ kind: 'tooLarge' });
    return;
  }
  collect(response, done);
}

function collect(response: IncomingMessage, done: (reply: LinkReply) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  let isDone = false;
  const finish = (reply: LinkReply): void => {
    if (isDone) return;
    isDone = true;
    done(reply);
  };
  response.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= bodyLimitBytes) chunks.push(chunk);
    else {
      finish({ kind: 'tooLarge' });
      response.destroy();
    }
  });
  response.on('end', () => finish(replyOf(response.statusCode ?? 0, Buffer.concat(chunks))));
  response.on('error', () => finish(unreadable('a truncated body')));
  response.on('close', () => finish(unreadable('a truncated body')));
}

const replyOf = (status: number, bytes: Buffer): LinkReply =>
  isUtf8(bytes) ? { kind: 'answer', status, body: bytes.toString('utf8') } : unreadable('a body that is not UTF-8');

const unreadable = (what: string): LinkReply => ({
  kind: 'transport',
  reason: `the runner answered with ${what}`,
  socketLost: false,
});
