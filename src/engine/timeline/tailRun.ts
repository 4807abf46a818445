import type { EngineContext } from '../context.ts';
import type { Frame } from '../model/index.ts';
import type { RunPosition } from './readFrames.ts';
import { RunTail } from './runTail.ts';

export interface RunTailQuery extends RunPosition {
  /** Ends the tail. */
  signal?: AbortSignal | undefined;
}

/**
 * The frames of a run after `from`: first those that are there, then live, until the run has ended (4.5). In order, each
 * once, none left out, whichever process commits them; a slow consumer holds no more than a page. Throws `invalid` for a
 * bad `from`; the first step of the iteration throws `notFound` for a run that is not the project's. Ends quietly when the
 * signal aborts or the iteration is left.
 */
export function tailRun(ctx: EngineContext, { signal, ...position }: RunTailQuery): AsyncIterableIterator<Frame> {
  return new RunTail(ctx, position, signal);
}
