export interface ServerSentEvent {
  event: string;
  data: string;
  id?: string | undefined;
}

const lineBreak = /\r\n|\r|\n/;

/**
 * The text of an event. Data of several lines becomes several `data:` lines, which the reader
 * joins. Throws for a line break in `event` or `id`, which would forge a field.
 */
export function formatEvent({ event, data, id }: ServerSentEvent): string {
  if (lineBreak.test(event) || (id !== undefined && lineBreak.test(id)))
    throw new TypeError('a line break in the name or the id of an event');
  const head = id === undefined ? `event: ${event}\n` : `id: ${id}\nevent: ${event}\n`;
  const lines = lineBreak.test(data) ? data.split(lineBreak).join('\ndata: ') : data;
  return `${head}data: ${lines}\n\n`;
}

/** A line that readers ignore, and that keeps proxies from closing a quiet connection. */
export const comment = ':\n\n';

export const streamHeaders = [
  'content-type',
  'text/event-stream; charset=utf-8',
  'cache-control',
  'no-store',
  'x-content-type-options',
  'nosniff',
  // Asks proxies not to buffer the answer.
  'x-accel-buffering',
  'no',
];
