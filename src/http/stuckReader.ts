import type { ServerResponse } from 'node:http';
import { whenOver } from './whenOver.ts';

/** A caller that takes nothing of an answer for so long is cut off, in ms. */
const stuckMs = 30_000;

/**
 * From here on the caller must take something of the answer now and then; Node asks the system whether they do. Time in
 * which there is nothing for them to take does not count. Its end sets the connection's time-out back.
 */
export function cutWhenStuck(response: ServerResponse): void {
  if (response.listenerCount('timeout') > 0) return;
  response.setTimeout(stuckMs, () => {
    if (response.headersSent && response.writableLength > 0) response.destroy();
  });
  if (!response.socket) cutWhenBlocked(response);
}

/**
 * Behind another answer of its connection (pipelining), an answer has no socket yet that could time out. What is ready waits for
 * the one ahead no longer than for a caller who takes nothing: a stream would hold it up for as long as they like.
 */
function cutWhenBlocked(response: ServerResponse): void {
  const look = setInterval(() => {
    if (response.writableLength > 0) response.req.socket.destroy();
  }, stuckMs).unref();
  const stop = (): void => clearInterval(look);
  response.once('socket', stop);
  whenOver(response, stop);
}
