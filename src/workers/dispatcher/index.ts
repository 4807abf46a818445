import type { Pass } from '../../engine/passes/index.ts';
import { type DispatcherSetup, PassDispatcher } from './dispatcher.ts';
import { connectEngine } from './engineSeams.ts';

export type { DispatcherStats } from './dispatcher.ts';
export { type DispatcherOptions, defaultOptions } from './options.ts';

/**
 * Executes passes: holds the sockets of runners, calls those that registered a URL, and claims runs for both. Many
 * processes may each run one.
 */
export class Dispatcher extends PassDispatcher<Pass> {
  constructor(setup: Omit<DispatcherSetup<Pass>, 'seams'>) {
    super({ ...setup, seams: connectEngine(setup.engine) });
  }
}
