import type { ServerResponse } from 'node:http';
import { stringifyRaw } from '../engine/json/index.ts';

export type Headers = Readonly<Record<string, string>>;

/** What a route answers: JSON, text of another type, or nothing at all. */
export type Answer =
  | { status: number; body: unknown; headers?: Headers | undefined }
  | { status: number; text: string; type: string; headers?: Headers | undefined }
  | { status: number; headers?: Headers | undefined };

const json = 'application/json; charset=utf-8';

/** Writes an answer. Does nothing where the caller is gone, or something was answered already. */
export function send(response: ServerResponse, answer: Answer): void {
  if (response.headersSent || response.destroyed) return;
  if ('body' in answer) write(response, answer, json, stringifyRaw(answer.body));
  else if ('text' in answer) write(response, answer, answer.type, answer.text);
  else response.writeHead(answer.status, headersOf(answer)).end();
}

function write(response: ServerResponse, answer: Answer, type: string, text: string): void {
  const headers = headersOf(answer);
  headers.push('content-type', type, 'content-length', String(Buffer.byteLength(text)));
  response.writeHead(answer.status, headers);
  response.end(text);
}

/** The same few headers on every answer, as the flat list that Node writes fastest. */
function headersOf(answer: Answer): string[] {
  const headers = ['cache-control', 'no-store', 'x-content-type-options', 'nosniff'];
  if (answer.headers) for (const [name, value] of Object.entries(answer.headers)) headers.push(name, value);
  return headers;
}
