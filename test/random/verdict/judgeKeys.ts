import { agree } from '../kit/agree.ts';
import type { Scene } from '../storm/process.ts';
import type { Entry } from './journal.ts';
import type { RunRecord } from './runRecord.ts';
import type { Remains, Start } from './starts.ts';
import { isBuffered } from './withheld.ts';

/** Instants are stored as whole milliseconds. */
const roundingMs = 1;
const dayMs = 86_400_000;

/**
 * Each value of `idempotency` has one start in its window (I2). A start that passes comes after the
 * window of its predecessor, and a dropped one within the window of another. A retried call passes
 * within its own.
 */
export function judgeKeys({ programs, coverage }: Scene, { runs, journal }: Remains, starts: readonly Start[]): void {
  const inOrder = [...starts].sort((one, other) => one.from - other.from);
  const claims = new Map<string, Entry[]>();
  for (const entry of journal) {
    if (entry.what === 'claimed') claims.set(entry.key ?? '', [...(claims.get(entry.key ?? '') ?? []), entry]);
  }
  const passed = new Map<string, number>();
  for (const { workflow, key, came, runId, eventId, from, to } of inOrder) {
    const flow = programs.get(workflow)?.flow;
    const policy = flow?.idempotency;
    if (!policy) continue;
    const periodMs = policy.periodMs ?? dayMs;
    const name = nameOf(workflow, policy.key === undefined ? null : key);
    const claimed = claims.get(name) ?? [];
    const holdsAt = (each: Entry): boolean => (each.until ?? 0) > from - roundingMs && each.at <= to;
    if (came === 'deduped') {
      // A start without a run releases its key.
      const counts = isBuffered(flow) ? claimed : claimed.filter((each) => runs.has(each.subject));
      const isRepeat = counts.some(holdsAt);
      const windows = counts.map(({ at, until }) => `${at} to ${until}`).join(', ');
      agree(`event ${eventId}, ${from} to ${to}, repeats ${name}, claimed ${windows}`, isRepeat, true);
    }
    if (came === 'deduped' || came === 'skipped' || came === 'dropped') continue;
    const isClaimed = came !== 'run' || claimed.some((each) => each.subject === runId);
    if (!isClaimed && claimed.some((each) => holdsAt(each) && isSameCall(runs, each.subject, runId))) {
      coverage.count('idempotency', 'call made over');
      continue;
    }
    agree(`run ${runId} claims ${name}`, isClaimed, true);
    const former = passed.get(name);
    if (former !== undefined) {
      agree(`starts of ${name} at ${former} and ${from}`, from - former >= periodMs - roundingMs, true);
      coverage.count('idempotency', 'again after its window');
    }
    passed.set(name, from);
  }
}

/** The name of the key in the table. */
const nameOf = (workflow: string, key: string | null): string =>
  `idempotency:${JSON.stringify(['default', workflow])} ${key === null ? '' : `=${key}`}`;

/** Whether two runs were called by one step of one run, or of its forks. */
function isSameCall(runs: ReadonlyMap<string, RunRecord>, one: string, other: string | undefined): boolean {
  const [first, second] = [runs.get(one), runs.get(other ?? '')];
  if (!first?.parent_run_id || !second?.parent_run_id || first.parent_step !== second.parent_step) return false;
  return sourceOf(runs, first.parent_run_id) === sourceOf(runs, second.parent_run_id);
}

function sourceOf(runs: ReadonlyMap<string, RunRecord>, runId: string): string {
  const source = runs.get(runId)?.replay_of;
  return source ? sourceOf(runs, source) : runId;
}
