import type { CancelFrame, DrainFrame, ErrorFrame, PingFrame, ReadyFrame } from '@holdfast/sdk/protocol';

/** The text of the frames that the service sends. */

export const pingFrame = JSON.stringify({ type: 'ping' } satisfies PingFrame);
export const drainFrame = JSON.stringify({ type: 'drain' } satisfies DrainFrame);

export const readyFrame = (ready: Omit<ReadyFrame, 'type'>): string =>
  JSON.stringify({ type: 'ready', ...ready } satisfies ReadyFrame);

export const cancelFrame = (id: string, reason: string): string =>
  JSON.stringify({ type: 'cancel', id, reason } satisfies CancelFrame);

export const errorFrame = (error: string): string => JSON.stringify({ type: 'error', error } satisfies ErrorFrame);

/** Concatenates text: the request is JSON already and may be long. Ids of ours need no escapes. */
export const invokeFrame = (id: string, request: string): string =>
  `{"type":"invoke","id":"${id}","request":${request}}`;

/** `members` are those of the frame that depend on the memo. */
export const continueFrame = (id: string, of: string, members: string): string =>
  `{"type":"continue","id":"${id}","of":"${of}",${members}}`;
