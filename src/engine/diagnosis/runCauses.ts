import type { FlowControl } from '@holdfast/sdk/protocol';
import { keyOfScope } from '../flow/index.ts';
import { maxUnanswered } from '../passes/index.ts';
import { toWait } from '../runs/index.ts';
import type {
  BoundedCount,
  CeilingWait,
  ConcurrencyWait,
  DispatcherWait,
  PausedWait,
  RetryWait,
  RunnerLack,
  RunnerWait,
  RunWait,
  StartPolicy,
  StartWait,
  TransportWait,
} from './runWait.ts';
import { maxAhead, type WaitFacts } from './sql/selectWaitFacts.ts';

/** The causes that hold a run as a whole, apart from its open steps. */
export function runCauses(facts: WaitFacts): RunWait[] {
  const paused = facts.state === 'paused' ? [pausedCause(facts)] : [];
  switch (facts.turn) {
    case 'leased':
      return facts.isHeld ? [] : [dispatcherCause(facts)];
    case 'ready':
    case 'gated':
    case 'stranded':
      return [...paused, ...dueCauses(facts)];
    case 'parked':
      return [...paused, ...parkedCauses(facts)];
    case null:
      return paused;
  }
}

/** Whether the open steps of a run are among its causes. */
export const waitsForSteps = ({ turn, isEarly }: WaitFacts): boolean => turn === 'parked' && !isEarly;

/** Whether the pass is sent again at a set time, whatever settles meanwhile. */
export const isSentAgain = ({ turn, retryAt }: WaitFacts): boolean => turn === 'parked' && retryAt !== null;

function pausedCause({ pausedReason, pausedActor, since, flowControl, budgetUntil }: WaitFacts): PausedWait {
  const budget = pausedReason === 'budget' ? policiesOf(flowControl).budget : undefined;
  return {
    kind: 'paused',
    since: since ?? undefined,
    until: budget ? (budgetUntil ?? undefined) : undefined,
    reason: pausedReason ?? 'manual',
    actor: pausedActor ?? undefined,
    budget: budget && {
      windowMs: budget.windowMs,
      maxCost: budget.maxCost ?? undefined,
      maxTokens: budget.maxTokens ?? undefined,
    },
  };
}

const dispatcherCause = ({ dispatchers, lastBeatAt }: WaitFacts): DispatcherWait => ({
  kind: 'dispatcher',
  since: lastBeatAt ?? undefined,
  alive: dispatchers,
});

/** The causes of a run that is to be executed. */
function dueCauses(facts: WaitFacts): RunWait[] {
  const { dispatchers, gate, slotLimit, slotsInUse, ceiling, executing } = facts;
  const isSlotFull = gate === 'slot' || (slotLimit !== null && (slotsInUse ?? 0) >= slotLimit);
  const isCeilingFull = gate === 'ceiling' || (ceiling !== null && (executing ?? 0) >= ceiling);
  const causes: RunWait[] = [
    ...(dispatchers === 0 ? [dispatcherCause(facts)] : []),
    ...(isSlotFull ? [concurrencyCause(facts)] : []),
    ...(isCeilingFull ? [ceilingCause(facts)] : []),
  ];
  const runner = runnerCause(facts);
  return runner.lack === 'free' && causes.length > 0 ? causes : [...causes, runner];
}

const ahead = (count: number | null): BoundedCount => ({
  count: Math.min(count ?? 0, maxAhead),
  isMore: (count ?? 0) > maxAhead,
});

const concurrencyCause = (facts: WaitFacts): ConcurrencyWait => ({
  kind: 'concurrency',
  since: facts.since ?? undefined,
  key: facts.slotKey === null ? undefined : keyOfScope(facts.slotKey),
  limit: facts.slotLimit ?? 0,
  inUse: facts.slotsInUse ?? 0,
  holders: facts.slotHolders ?? [],
  ahead: ahead(facts.gatedAhead),
});

const ceilingCause = (facts: WaitFacts): CeilingWait => ({
  kind: 'ceiling',
  since: facts.since ?? undefined,
  limit: facts.ceiling ?? 0,
  inUse: facts.executing ?? 0,
  holders: facts.ceilingHolders ?? [],
  ahead: ahead(facts.ceilingAhead),
});

function runnerCause(facts: WaitFacts): RunnerWait {
  const { app, workflow, runner, since, dueAt, turn } = facts;
  const [registered, live, limit, inUse] = [facts.registered ?? 0, facts.live ?? 0, facts.room ?? 0, facts.busy ?? 0];
  return {
    kind: 'runner',
    since: since ?? undefined,
    until: turn === 'stranded' ? (dueAt ?? undefined) : undefined,
    lack: lackOf({ registered, live, limit, inUse }),
    app,
    workflow,
    runner: runner ?? undefined,
    ...{ registered, live, limit, inUse },
    ahead: ahead(facts.readyAhead),
  };
}

function lackOf({
  registered,
  live,
  limit,
  inUse,
}: Pick<RunnerWait, 'registered' | 'live' | 'limit' | 'inUse'>): RunnerLack {
  if (registered === 0) return 'none';
  if (live === 0) return 'gone';
  return inUse >= limit ? 'full' : 'free';
}

function parkedCauses(facts: WaitFacts): RunWait[] {
  if (facts.isEarly) return [startCause(facts)];
  return isSentAgain(facts) ? [sentAgainCause(facts)] : [];
}

function startCause({ since, dueAt, isAsked, flowControl, drainedUntil, tokenKey }: WaitFacts): StartWait {
  const policies = policiesOf(flowControl);
  const policy = isAsked ? undefined : startPolicyOf(policies, drainedUntil !== null);
  const scope = policy === 'tokenThrottle' && tokenKey !== null ? keyOfScope(tokenKey) : undefined;
  return { kind: 'start', since: since ?? undefined, until: dueAt ?? undefined, policy, key: scope };
}

/** Both policies may delay a start. A drained bucket is the later one: it is checked again. */
function startPolicyOf({ throttle, tokenThrottle }: FlowControl, isDrained: boolean): StartPolicy | undefined {
  if (isDrained) return 'tokenThrottle';
  if (throttle) return 'throttle';
  return tokenThrottle ? 'tokenThrottle' : undefined;
}

function sentAgainCause(facts: WaitFacts): TransportWait | RetryWait {
  const { since, retryAt, unanswered, waitingFor, attempt, maxAttempts } = facts;
  const times = { since: since ?? undefined, until: retryAt ?? undefined };
  const error = waitingFor === null ? undefined : toWait(JSON.parse(waitingFor))?.error;
  if (unanswered !== null && unanswered > 0)
    return { kind: 'transport', ...times, failures: unanswered, maxFailures: maxUnanswered, error };
  return { kind: 'retry', ...times, nextAttempt: attempt, maxAttempts: maxAttempts ?? undefined, error };
}

const policiesOf = (flowControl: string | null): FlowControl =>
  flowControl === null ? {} : (JSON.parse(flowControl) as FlowControl);
