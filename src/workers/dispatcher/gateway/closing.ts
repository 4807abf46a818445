import { closeCodes } from '@holdfast/sdk/protocol';

/** The close codes of the gateway: those of the protocol, and one of WebSocket itself. */
export const endCodes = {
  ...closeCodes,
  internalError: 1011,
} as const;

export const replacedReason = 'replaced by a newer connection of the same runner';
export const restartingReason = 'the service is restarting';

/** A breach of the protocol by a peer: answered by an `error` frame and a close (G3). */
export class WireError extends Error {
  override readonly name = 'WireError';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export const malformed = (message: string): WireError => new WireError(endCodes.malformed, message);

/** Cuts a reason to the 123 bytes that a close frame holds, between two characters. */
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
