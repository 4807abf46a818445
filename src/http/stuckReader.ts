import type { ServerResponse } from 'node:http';

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
}
