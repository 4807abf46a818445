import { agree } from './agree.ts';
import type { Entry } from './journal.ts';
import type { Scene } from './process.ts';
import type { RunRecord } from './runRecord.ts';
import { scopeOf } from './scopes.ts';

/** Instants are kept as whole milliseconds, some cut off and some rounded up. */
const roundingMs = 2;

/** When a run was to start, as far as can be told: neither before `from` nor after `to`. In ms. */
interface Start {
  runId: string;
  from: number;
  to: number;
  /** Whether it was put off until then. */
  isPutOff: boolean;
}

/**
 * Runs of a throttled scope start no faster than its rate, and none later than the one before makes it (I11). Whoever is not
 * put off starts when he passes the gate: after his transaction has begun, and before his run is written.
 */
export function judgeRates(
  { programs, coverage }: Scene,
  runs: ReadonlyMap<string, RunRecord>,
  journal: readonly Entry[],
): void {
  const firstOf = (what: Entry['what']): Map<string, number> =>
    new Map([...journal].reverse().flatMap((each) => (each.what === what ? [[each.runId, each.at] as const] : [])));
  const [began, leased] = [firstOf('began'), firstOf('leased')];
  const scopes = new Map<string, { intervalMs: number; starts: Start[] }>();
  for (const run of runs.values()) {
    const rate = programs.get(run.workflow)?.flow?.throttle;
    if (!rate || run.on_failure_of !== null) continue;
    const name = scopeOf(run, rate.key);
    const scope = scopes.get(name) ?? { intervalMs: rate.perMs / rate.limit, starts: [] };
    scopes.set(name, scope);
    const start = startOf(run, began.get(run.id) ?? Number.NaN);
    scope.starts.push(start);
    if (!start.isPutOff) continue;
    coverage.count('throttle', 'put off');
    const leasedAt = leased.get(run.id) ?? Number.POSITIVE_INFINITY;
    agree(`run ${run.id}, executed at ${leasedAt}, does so in its turn`, leasedAt >= start.from - roundingMs, true);
  }
  for (const [name, { intervalMs, starts }] of scopes) {
    for (const each of starts) judgeSpacing(name, intervalMs, starts, each);
  }
}

function startOf({ id: runId, start_at: startAt, created_at: createdAt }: RunRecord, beganAt: number): Start {
  if (startAt === null) return { runId, from: Date.parse(createdAt), to: beganAt, isPutOff: false };
  return { runId, from: Date.parse(startAt), to: Date.parse(startAt), isPutOff: true };
}

/** From one start on there are no more within any time than the rate allows; and what was put off comes right after another. */
function judgeSpacing(scope: string, intervalMs: number, starts: readonly Start[], first: Start): void {
  for (const last of starts) {
    const within = starts.filter(({ from, to }) => from >= first.from && to <= last.to);
    const leastMs = (within.length - 1) * intervalMs - roundingMs;
    if (within.length > 1 && last.to - first.from < leastMs)
      agree(`starts of ${scope}`, within, `${leastMs} ms from the first to the last`);
  }
  if (!first.isPutOff) return;
  const turn = first.from - intervalMs;
  const follows = starts.some(({ from, to }) => from - roundingMs <= turn && turn <= to + roundingMs);
  if (!follows) agree(`the start of ${first.runId}, which was put off,`, starts, `one of ${scope} at ${turn}`);
}
