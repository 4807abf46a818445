import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

/** What the headers of a request, or of an upgrade, say of its caller. */
export interface SentCredentials {
  authorization: string | undefined;
  /** `X-Service-Project`. */
  project: string | undefined;
  /** `X-Service-Actor`. */
  actor: string | undefined;
}

/** Reads who calls (5): names of people and projects may hold any character. */
export const credentialsOf = ({ headers }: Pick<IncomingMessage, 'headers'>): SentCredentials => ({
  authorization: headers.authorization,
  project: decoded(headers['x-service-project']),
  actor: decoded(headers['x-service-actor']),
});

const hasByteBeyondAscii = /[\x80-\xff]/;

/**
 * A header's value as text: UTF-8 where its bytes are that, else Latin-1. Node hands over each byte
 * as the character of its number.
 */
function decoded(value: string | string[] | undefined): string | undefined {
  const text = Array.isArray(value) ? value[0] : value;
  if (text === undefined || !hasByteBeyondAscii.test(text)) return text;
  const bytes = Buffer.from(text, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : text;
}
