/** One event of a stream of Server-Sent Events. */
export interface ServerSentEvent {
  event: string;
  data: string;
  id?: string | undefined;
}

const lineBreak = /\r\n|\r|\n/;

/**
 * The text of an event. Data of several lines becomes as many `data:` lines, which the reader joins
 * again. Throws on a line break in `event` or `id`, which would forge a field.
 */
export function formatEvent({ event, data, id }: ServerSentEvent): string {
  if (lineBreak.test(event) || (id !== undefined && lineBreak.test(id)))
    throw new TypeError('a line break in the name or the id of an event');
  const head = id === undefined ? `event: ${event}\n` : `id: ${id}\nevent: ${event}\n`;
  const lines = lineBreak.test(data) ? data.split(lineBreak).join('\ndata: ') : data;
  return `${head}data: ${lines}\n\n`;
}

/**
 * A line that readers ignore, and that keeps what stands between from giving up on a quiet
 * connection.
 */
export const comment = ':\n\n';

export const streamHeaders = [
  'content-type',
  'text/event-stream; charset=utf-8',
  'cache-control',
  'no-store',
  'x-content-type-options',
  'nosniff',
  // Proxies that collect answers before they pass them on are asked not to.
  'x-accel-buffering',
  'no',
];
