/**
 * The paths that a ticket can open. A REST stream at another path does not compile. A segment
 * `{name}` stands for any segment. `/graphql` sends subscriptions.
 */
export const streamPaths = [
  '/events/stream',
  '/runs/{id}/stream',
  '/runs/stream',
  '/webhook-deliveries/stream',
  '/graphql',
] as const;

export type StreamPath = (typeof streamPaths)[number];

/** A segment as a request line has it: visible ASCII, without `/`, query and fragment. */
const segment = '[!-"$-.0->@-~]+';

/** Matches the path of a stream, as a request sends it: with or without a slash at its end. */
export const streamPathPattern = `^(?:${streamPaths.map((path) => path.replace(/\{\w+\}/g, segment)).join('|')})/?$`;

const shape = new RegExp(streamPathPattern);

export const isStreamPath = (path: string): boolean => shape.test(path);

/** The paths, for the text of an error. */
export const streamPathsText = `${streamPaths.slice(0, -1).join(', ')} or ${streamPaths.at(-1)}`;
