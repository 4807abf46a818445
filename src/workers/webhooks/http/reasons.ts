import { HoldfastError } from '../../../engine/errors.ts';
import { forbiddenTarget } from '../../../engine/net/index.ts';

/** What stands on an attempt without an answer. */
export interface Reason {
  outcome: 'http_error' | 'connection_error';
  text: string;
}

const byCode: Readonly<Record<string, Reason>> = {
  UND_ERR_HEADERS_OVERFLOW: { outcome: 'http_error', text: 'the headers of the answer are too large' },
  UND_ERR_SOCKET: { outcome: 'connection_error', text: 'the receiver closed the connection' },
  ECONNRESET: { outcome: 'connection_error', text: 'the receiver closed the connection' },
  ECONNREFUSED: { outcome: 'connection_error', text: 'the receiver refused the connection' },
  ENOTFOUND: { outcome: 'connection_error', text: 'the name of the receiver was not found' },
};

const maxLength = 200;

/** Why a request failed. The texts name no address, as a URL may hold a secret. */
export function reasonOf(error: Error): Reason {
  if (error instanceof HoldfastError) return forbidden(error.message);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code === forbiddenTarget) return forbidden('its name resolves to no allowed address');
  const known = byCode[code];
  if (known) return { ...known, text: `${known.text} (${code})` };
  if (error.name === 'HTTPParserError') return { outcome: 'connection_error', text: 'the answer is not HTTP' };
  const cause = code === '' ? error.message.replaceAll('\0', '').slice(0, maxLength) : code;
  return { outcome: 'connection_error', text: `the request failed (${cause})` };
}

const forbidden = (why: string): Reason => ({
  outcome: 'connection_error',
  text: `the target address is not allowed: ${why}`,
});
