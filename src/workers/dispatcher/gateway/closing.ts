import { closeCodes } from '@holdfast/sdk/protocol';

/**
 * How the gateway ends sockets: the codes of the protocol, and those of WebSocket itself that it
 * uses.
 */
export const endCodes = {
  ...closeCodes,
  internalError: 1011,
} as const;

export const replacedReason = 'replaced by a newer connection of the same runner';
export const restartingReason = 'the service is restarting';

/** A peer that broke the protocol: it is told so, and its socket closed. */
export class WireError extends Error {
  override readonly name = 'WireError';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export const malformed = (message: string): WireError => new WireError(endCodes.malformed, message);

/** A close frame holds 123 bytes of reason; it is cut at a character. */
export function closeReason(text: string): string {
  const bytes = Buffer.from(text, 'utf8');
  return bytes.length <= maxReasonBytes
    ? text
    : bytes
        .subarray(0, maxReasonBytes)
        .toString('utf8')
        .replace(/\uFFFD+$/, '');
}

const maxReasonBytes = 123;
