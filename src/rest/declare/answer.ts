import type { ServerResponse } from 'node:http';
import { stringifyRaw } from '../../engine/json/index.ts';
import { cutWhenStuck, isOver } from '../../http/index.ts';

/** The header with the cursor of the next page, if more rows follow (4.4). */
export const nextCursorHeader = 'X-Next-Cursor';
/** The header with the position of the next page of a journal. */
export const nextFromHeader = 'X-Next-From';

export type Headers = Readonly<Record<string, string>>;

export const jsonType = 'application/json; charset=utf-8';

/** The headers of every answer, and `more`, as the flat list that Node writes fastest. */
export function headersOf(more: Headers | undefined): string[] {
  const headers = ['cache-control', 'no-store', 'x-content-type-options', 'nosniff'];
  if (more) for (const [name, value] of Object.entries(more)) headers.push(name, value);
  return headers;
}

/** An answer of a route: JSON, text of another type, or no body. */
export type Answer =
  | { status: number; body: unknown; headers?: Headers | undefined }
  | { status: number; text: string; type: string; headers?: Headers | undefined }
  | { status: number; headers?: Headers | undefined };

/** Writes an answer. Does nothing if the caller has gone, or an answer has begun. */
export function send(response: ServerResponse, answer: Answer): void {
  if (response.headersSent || isOver(response)) return;
  if ('body' in answer) write(response, answer, jsonType, stringifyRaw(answer.body));
  else if ('text' in answer) write(response, answer, answer.type, answer.text);
  else response.writeHead(answer.status, headersOf(answer.headers)).end();
}

/** From this length on, a text is encoded once instead of measured and encoded. */
const longText = 64 * 1024;

function write(response: ServerResponse, answer: Answer, type: string, text: string): void {
  const headers = headersOf(answer.headers);
  const content = text.length < longText ? text : Buffer.from(text);
  headers.push('content-type', type, 'content-length', String(Buffer.byteLength(content)));
  response.writeHead(answer.status, headers);
  response.end(content);
  if (!response.socket || response.socket.writableLength > 0) cutWhenStuck(response);
}
