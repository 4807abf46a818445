import type { FlowControl } from '@holdfast/sdk/protocol';
import { agree } from '../kit/agree.ts';
import type { Scene } from '../storm/process.ts';
import { firstTimes } from './journal.ts';
import { scopeOf } from './scopes.ts';
import type { Remains, Start } from './starts.ts';
import { isBuffered } from './withheld.ts';

type RatePolicy = NonNullable<FlowControl['throttle']>;

/** Instants are stored as whole milliseconds, some cut off and some rounded up. */
const roundingMs = 2;

/** The time at which a start passed a gate: not before `from`, nor after `to`. In ms. */
interface Passing {
  id: string;
  from: number;
  to: number;
  /** Whether the time is known exactly, because the start was delayed to it. */
  isPutOff: boolean;
}

interface Scope {
  policy: RatePolicy;
  passed: Passing[];
  dropped: Passing[];
}

/**
 * Runs of a throttled scope start no faster than its rate, and no later than the previous run
 * requires. None is dropped (I11). A start without delay begins when it passes the gate.
 */
export function judgeThrottle({ programs, coverage }: Scene, { runs, journal }: Remains): void {
  const [began, leased] = [firstTimes(journal, 'began'), firstTimes(journal, 'leased')];
  const scopes = new Scopes();
  for (const run of runs.values()) {
    const policy = programs.get(run.workflow)?.flow?.throttle;
    if (!policy || run.on_failure_of !== null) continue;
    const { id, start_at: startAt, created_at: createdAt } = run;
    const from = Date.parse(startAt ?? createdAt);
    const to = startAt === null ? (began.get(id) ?? Number.NaN) : from;
    // A token bucket may also delay them, all to the same time.
    const isMetered = programs.get(run.workflow)?.flow?.tokenThrottle !== undefined;
    if (!isMetered)
      scopes.of(scopeOf(run, policy.key), policy).passed.push({ id, from, to, isPutOff: startAt !== null });
    if (startAt === null) continue;
    coverage.count('throttle', 'put off');
    const leasedAt = leased.get(id) ?? Number.POSITIVE_INFINITY;
    agree(`run ${id}, executed at ${leasedAt}, does so in its turn`, leasedAt >= from - roundingMs, true);
  }
  for (const [name, { policy, passed }] of scopes.all) {
    judgeSpacing(name, policy, passed, 1);
    for (const each of passed) if (each.isPutOff) judgeTurn(name, policy, passed, each);
  }
}

/**
 * A burst of `limit` passes, then as many as the rate allows. Only starts beyond that are dropped
 * (I11).
 */
export function judgeRateLimit({ programs }: Scene, starts: readonly Start[]): void {
  const scopes = new Scopes();
  for (const { workflow, key, came, runId, eventId, from, to } of starts) {
    const flow = programs.get(workflow)?.flow;
    const policy = flow?.rateLimit;
    if (!policy || came === 'deduped' || came === 'skipped') continue;
    const scope = scopes.of(scopeOf({ workflow, key }, policy.key), policy);
    // Some starts without a trace here may have passed before they were withheld or merged.
    if (came === 'dropped' && (isBuffered(flow) || flow?.singleton?.mode === 'skip')) continue;
    const list = came === 'dropped' ? scope.dropped : scope.passed;
    list.push({ id: runId ?? eventId ?? '', from, to, isPutOff: false });
  }
  for (const [name, { policy, passed, dropped }] of scopes.all) {
    judgeSpacing(name, policy, passed, policy.limit);
    for (const each of dropped) judgeDrop(name, policy, passed, each);
  }
}

class Scopes {
  readonly all = new Map<string, Scope>();

  of(name: string, policy: RatePolicy): Scope {
    const scope = this.all.get(name) ?? { policy, passed: [], dropped: [] };
    this.all.set(name, scope);
    return scope;
  }
}

/** In any period there are at most a burst and what the rate adds. */
function judgeSpacing(scope: string, { limit, perMs }: RatePolicy, passed: readonly Passing[], burst: number): void {
  for (const first of passed) {
    for (const last of passed) {
      const within = passed.filter(({ from, to }) => from >= first.from && to <= last.to);
      const leastMs = (within.length - burst) * (perMs / limit) - roundingMs;
      if (within.length > burst && last.to - first.from < leastMs) {
        agree(`starts of ${scope}`, within, `${leastMs} ms from the first to the last`);
      }
    }
  }
}

/** A delayed start comes right after another. */
function judgeTurn(scope: string, { limit, perMs }: RatePolicy, passed: readonly Passing[], each: Passing): void {
  const turn = each.from - perMs / limit;
  const follows = passed.some(({ from, to }) => from - roundingMs <= turn && turn <= to + roundingMs);
  if (!follows) agree(`the start of ${each.id}, which was put off,`, passed, `one of ${scope} at ${turn}`);
}

/** Since some start, more have passed than the burst and the rate allow. */
function judgeDrop(scope: string, { limit, perMs }: RatePolicy, passed: readonly Passing[], each: Passing): void {
  const isFull = passed.some((first) => {
    const since = passed.filter(({ from, to }) => to >= first.from && from <= each.to).length;
    return since > (each.from - first.to - roundingMs) / (perMs / limit) + limit - 1;
  });
  if (!isFull) agree(`the starts of ${scope} before event ${each.id} was dropped`, passed, `more than ${limit}`);
}
