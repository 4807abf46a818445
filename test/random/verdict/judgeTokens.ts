import type { FlowControl } from '@holdfast/sdk/protocol';
import { agree } from '../kit/agree.ts';
import type { Scene } from '../storm/process.ts';
import { type Entry, firstTimes } from './journal.ts';
import type { RunRecord } from './runRecord.ts';
import { scopeOf } from './scopes.ts';
import type { Remains } from './starts.ts';

/** Instants are stored as whole milliseconds, some cut off and some rounded up. */
const roundingMs = 2;

type TokenThrottle = NonNullable<FlowControl['tokenThrottle']>;

/**
 * No run starts while former spends drain the bucket of its scope, and none is delayed for longer
 * than the bucket needs to refill.
 */
export function judgeTokens({ programs, coverage }: Scene, { runs, journal }: Remains): void {
  const leased = firstTimes(journal, 'leased');
  const spent = new Map<string, Entry[]>();
  const policyOf = (run: RunRecord): TokenThrottle | undefined => programs.get(run.workflow)?.flow?.tokenThrottle;
  for (const entry of journal) {
    const run = runs.get(entry.subject);
    const policy = run && policyOf(run);
    if (!run || !policy) continue;
    const scope = scopeOf(run, policy.key);
    const before = spent.get(scope) ?? [];
    if (entry.what === 'spent') spent.set(scope, [...before, entry]);
    // A follow-on run starts at once.
    if (run.on_failure_of !== null) continue;
    if (entry.what === 'readied') {
      // The spends that were committed when its transaction began. Each left the bucket no earlier
      // than its own transaction began.
      const seen = before.filter(({ at }) => at < entry.since);
      const emptyForMs = fullAt(policy, seen, 'since') - policy.perMs - entry.at;
      agree(
        `run ${run.id} starts while the bucket of ${scope} is empty for ${emptyForMs} ms`,
        emptyForMs > roundingMs,
        false,
      );
    }
    if (entry.what === 'leased' && entry.at === leased.get(run.id) && run.start_at !== null) {
      coverage.count('tokens', 'put off');
      const startAt = Date.parse(run.start_at);
      agree(`run ${run.id}, executed at ${entry.at}, does so in its turn`, entry.at >= startAt - roundingMs, true);
      if (programs.get(run.workflow)?.flow?.throttle) continue;
      const earlyMs = fullAt(policy, before, 'at') - policy.perMs - startAt;
      agree(
        `run ${run.id} is put off beyond what was spent in ${scope}, by ${-earlyMs} ms`,
        earlyMs >= -roundingMs,
        true,
      );
    }
  }
}

/**
 * When the bucket is full again after these spends, in ms. Each counts from the begin of its
 * transaction, or from its commit.
 */
const fullAt = ({ tokens, perMs }: TokenThrottle, spent: readonly Entry[], when: 'since' | 'at'): number =>
  spent.reduce((full, each) => Math.max(full, each[when]) + (Number(each.key) * perMs) / tokens, 0);
