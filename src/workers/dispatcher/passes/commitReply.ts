import type { Logger } from 'pino';
import type { ClaimedPass, Reply, Settled, Work } from '../work.ts';

export interface CommitOptions {
  /** How long a failing commit is tried again, in ms. */
  retryMs: number;
  log: Logger;
  /** Whether the pass is none of ours any more: then there is nothing to commit. */
  isForgotten: () => boolean;
}

/**
 * Commits a reply, through failures of the database: a step that was executed is worth waiting for. A reply that cannot
 * be committed at all counts as one that was never received. `stuck`: not even that could be recorded.
 */
export async function commitReply<Pass extends ClaimedPass>(
  work: Work<Pass>,
  { pass, reply }: { pass: Pass; reply: Reply },
  options: CommitOptions,
): Promise<Settled | 'stuck'> {
  const settled = await attemptUntil(() => work.settle(pass, reply), options);
  if (settled !== 'stuck' || reply.kind === 'transport') return settled;
  const asLost: Reply = { kind: 'transport', reason: 'the answer could not be recorded', socketLost: false };
  return attemptUntil(() => work.settle(pass, asLost), { ...options, retryMs: 0 });
}

async function attemptUntil(commit: () => Promise<Settled>, options: CommitOptions): Promise<Settled | 'stuck'> {
  const deadline = performance.now() + options.retryMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    try {
      return await commit();
    } catch (error) {
      if (options.isForgotten()) return 'released';
      options.log.warn({ err: error }, 'a reply could not be committed');
      if (performance.now() + pauseMs > deadline) return 'stuck';
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    if (options.isForgotten()) return 'released';
  }
}

const firstPauseMs = 50;
const maxPauseMs = 2_000;
