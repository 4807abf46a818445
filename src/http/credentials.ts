import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

/** The caller's headers on a request or an upgrade. */
export interface SentCredentials {
  authorization: string | undefined;
  project: string | undefined;
  actor: string | undefined;
}

/** Reads the caller's headers (5). Names of people and projects may hold any character. */
export const credentialsOf = ({ headers }: Pick<IncomingMessage, 'headers'>): SentCredentials => ({
  authorization: headers.authorization,
  project: decoded(headers['x-service-project']),
  actor: decoded(headers['x-service-actor']),
});

const hasByteBeyondAscii = /[\x80-\xff]/;

/**
 * The text of a header value: UTF-8 if its bytes are valid, else Latin-1. Node decodes headers as
 * Latin-1.
 */
function decoded(value: string | string[] | undefined): string | undefined {
  const text = Array.isArray(value) ? value[0] : value;
  if (text === undefined || !hasByteBeyondAscii.test(text)) return text;
  const bytes = Buffer.from(text, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : text;
}
