import { flushDueBuffers, reanchorBuffers } from '../../engine/admission/index.ts';
import { forgetCalls } from '../../engine/agents/index.ts';
import { expireApprovals } from '../../engine/approvals/index.ts';
import { dropExpiredStarts, failOverrunRuns } from '../../engine/consequences/index.ts';
import type { EngineContext } from '../../engine/context.ts';
import { forgetRates } from '../../engine/flow/index.ts';
import { sweepAfterMs, sweepGates, sweepStart } from '../../engine/flow/policies/concurrency/index.ts';
import { checkBudgets, takeOwedTurns } from '../../engine/flow/policies/index.ts';
import {
  failOverdueCalls,
  firstCall,
  forgetInference,
  forgetOrphans,
  rescueLongSilent,
} from '../../engine/inference/index.ts';
import { forgetKeys } from '../../engine/ingest/index.ts';
import { recoverLeftovers } from '../../engine/recovery/index.ts';
import { failOverdueRuns, lookAfterStranded } from '../../engine/routing/index.ts';
import { settleWorkflows } from '../../engine/runners/index.ts';
import { fireDueSchedules, reanchorSchedules } from '../../engine/schedules/index.ts';
import { forgetTickets } from '../../engine/tickets/index.ts';
import { forgetHours } from '../../engine/webhooks/inbound/index.ts';
import { firstLane, forgetLanes } from '../../engine/webhooks/queue/index.ts';
import { type NextDue, nextDueInMs, wakeDueRuns } from '../../engine/work/index.ts';
import { Loop } from '../loop.ts';

/**
 * Fires timers and cron schedules, expires approvals, flushes buffers, fails runs that take too
 * long, drops expired starts, checks budgets, opens gates, strands runs without a runner, retires
 * workflows without one, repairs what dead processes left, and prunes expired rows. Many schedulers
 * may run at once: each statement skips rows that another has locked, or waits for it and then
 * decides.
 *
 * Hints and the next due time start the turns. The intervals cover lost hints.
 */
export class Scheduler {
  readonly #engine: EngineContext;
  readonly #loops;
  /** Whether there were buffers at the last turn of the timers. */
  #isBuffering = false;
  /** When unfinished consequences were last recovered, and when other workers were last told. */
  #recoveredMs = Number.NEGATIVE_INFINITY;
  #toldMs = Number.NEGATIVE_INFINITY;
  /** Since when each look has found a silent process that calls models; undefined: none did. */
  #silentSinceMs: number | undefined;
  #isRescuing = false;
  #unsubscribe: (() => void)[] = [];
  /** The last slot that the sweep of gates has examined. */
  #sweptTo: string = sweepStart;
  /** The last lane of deliveries that was examined. */
  #forgottenTo: string = firstLane;
  #orphansTo = firstCall;
  /** Limits may have changed, so the sweep examines all slots without a pause. */
  #isSweepUrgent = false;

  constructor(engine: EngineContext) {
    this.#engine = engine;
    this.#loops = {
      timers: this.#loop('timers', 15_000, () => this.wakeDue()),
      wakes: this.#loop('wakes', hourMs, () => this.wakeRuns(), wakesRestMs),
      // A turn of the timers nudges these six when they are due.
      cron: this.#loop('cron', hourMs, () => this.fire()),
      deadlines: this.#loop('deadlines', hourMs, () => this.expire()),
      buffers: this.#loop('buffers', hourMs, () => this.flush()),
      ends: this.#loop('ends', hourMs, () => this.endLate()),
      calls: this.#loop('calls', hourMs, () => this.endCalls()),
      pending: this.#loop('pending', hourMs, () => this.recover()),
      // Without budgets, turns are rare. A registration nudges the loop.
      budgets: this.#loop('budgets', 300_000, () => this.keepBudgets()),
      // Usually no run is gated. A turn of the timers nudges the loop if one is.
      gates: this.#loop('gates', hourMs, () => this.sweepGates()),
      stranded: this.#loop('stranded', 60_000, () => this.strand()),
      retired: this.#loop('retired', this.#retireEveryMs(), () => this.settle()),
      clocks: this.#loop('clocks', 30_000, () => this.reanchor()),
      expired: this.#loop('expired', 300_000, () => this.forget()),
    };
  }

  start(): void {
    const { bus } = this.#engine;
    const { budgets, gates, stranded, timers, wakes } = this.#loops;
    this.#unsubscribe = [
      bus.on('run.due', ({ inMs }) => wakes.nudge(Math.ceil(inMs))),
      bus.on('work.due', ({ inMs }) => timers.nudge(inMs)),
      // The lane may have no live runner. The run may become `stranded` a little later.
      bus.on('work.ready', () => stranded.nudge(strandAfterMs)),
      bus.on('registry.changed', () => {
        stranded.nudge();
        // A budget may have been added, removed or raised.
        budgets.nudge();
        this.#isSweepUrgent = true;
        gates.nudge();
      }),
    ];
    for (const loop of Object.values(this.#loops)) loop.start();
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await Promise.all(Object.values(this.#loops).map((loop) => loop.stop()));
  }

  #loop(name: string, everyMs: number, runOnce: () => Promise<Turn>, restMs = 0): Loop {
    const turn = async (): Promise<void> => {
      const { again, nextInMs = everyMs } = await runOnce();
      loop.nudge(again ? 0 : nextInMs);
    };
    const loop = new Loop({ name, everyMs, turn, restMs, log: this.#engine.log });
    return loop;
  }

  /** A turn of the timers: wakes due runs, nudges the due loops, and reads the next due time. */
  async wakeDue(): Promise<Turn> {
    const due = await nextDueInMs(this.#engine);
    const { workInMs, fireInMs, approvalInMs, flushInMs, endInMs, expireInMs, callInMs, hasGated } = due;
    this.#coverLostHints(due);
    const { buffers, calls, cron, deadlines, ends, gates } = this.#loops;
    if (hasGated) gates.nudge(sweepAfterMs);
    this.#isBuffering = flushInMs !== undefined;
    const others = Math.min(
      send(cron, fireInMs),
      send(deadlines, approvalInMs),
      send(buffers, flushInMs),
      send(ends, endInMs),
      send(ends, expireInMs),
      send(calls, callInMs),
    );
    if (workInMs === undefined || workInMs > 0) {
      if (workInMs !== undefined) this.#loops.wakes.nudge(Math.ceil(workInMs));
      return { again: false, nextInMs: Math.ceil(others) };
    }
    const turns = await takeOwedTurns(this.#engine);
    const { woken, full } = await wakeDueRuns(this.#engine);
    const { failed, revived } = await failOverdueRuns(this.#engine);
    // If no due run was free, another scheduler has locked them. Retries soon.
    return full || turns + woken + failed + revived > 0
      ? { again: true, nextInMs: 0 }
      : { again: false, nextInMs: contendedMs };
  }

  /**
   * A turn of the wake-ups: one statement, which also tells when the next run is due. What it does
   * not cover is left to the timers: runs that somebody has locked, are stranded, or back off.
   */
  async wakeRuns(): Promise<Turn> {
    const { full, nextInMs, isPutOff } = await wakeDueRuns(this.#engine);
    if (full) return { again: true };
    if (isPutOff) this.#loops.timers.nudge();
    else if (nextInMs !== undefined && nextInMs <= 0) this.#loops.timers.nudge(contendedMs);
    return { again: false, nextInMs: nextInMs !== undefined && nextInMs > 0 ? Math.ceil(nextInMs) : undefined };
  }

  /**
   * Repairs what dead processes left, and tells the workers of deliveries and model calls to look.
   * Usually the work is in progress, so all of it happens at intervals.
   */
  #coverLostHints({ hasLeftovers, hasDeliveries, hasCalls, hasSilent }: NextDue): void {
    const nowMs = performance.now();
    if (hasLeftovers) this.#loops.pending.nudge(Math.max(0, this.#recoveredMs + coverMs - nowMs));
    this.#watchSilent(hasSilent, nowMs);
    if (!(hasDeliveries || hasCalls) || nowMs < this.#toldMs + coverMs) return;
    this.#toldMs = nowMs;
    if (hasDeliveries) this.#engine.bus.emit('delivery.due', {});
    if (hasCalls) this.#engine.bus.emit('inference.due', {});
  }

  /**
   * Frees the model calls of a dead process where no other process of its role lives. After an
   * outage of the database the living ones beat again between two looks.
   */
  #watchSilent(hasSilent: boolean, nowMs: number): void {
    if (!hasSilent) this.#silentSinceMs = undefined;
    else if (this.#silentSinceMs === undefined) this.#silentSinceMs = nowMs;
    else if (nowMs >= this.#silentSinceMs + coverMs) {
      this.#silentSinceMs = undefined;
      this.#isRescuing = true;
      this.#loops.calls.nudge();
    }
  }

  /** A turn of the cron schedules. The timers nudge the next one. */
  async fire(): Promise<Turn> {
    const { again } = await fireDueSchedules(this.#engine);
    return { again };
  }

  /** A turn of the deadlines of approvals. The timers nudge the next one. */
  async expire(): Promise<Turn> {
    return { again: (await expireApprovals(this.#engine)) > 0 };
  }

  /** A turn of the buffers of `debounce` and `batch`. The timers nudge the next one. */
  async flush(): Promise<Turn> {
    const { again } = await flushDueBuffers(this.#engine);
    return { again };
  }

  /**
   * Fails runs that exceed their `maxDuration`, and drops starts that exceed their `ttl`. The
   * timers nudge the next turn.
   */
  async endLate(): Promise<Turn> {
    const failed = await failOverrunRuns(this.#engine);
    const dropped = await dropExpiredStarts(this.#engine);
    return { again: failed + dropped > 0 };
  }

  /** Fails steps whose model calls are overdue, and frees the calls of dead processes. */
  async endCalls(): Promise<Turn> {
    if (this.#isRescuing) {
      this.#isRescuing = false;
      await rescueLongSilent(this.#engine);
    }
    return { again: (await failOverdueCalls(this.#engine)) > 0 };
  }

  /** A check of the budgets. While any budget exists, the next check follows after an interval. */
  async keepBudgets(): Promise<Turn> {
    const { again, hasAny } = await checkBudgets(this.#engine);
    return { again, nextInMs: hasAny ? this.#engine.settings.budgetCheckMs : undefined };
  }

  /**
   * A sweep over some of the slots with gated runs. While any run is gated, the next sweep
   * follows.
   */
  async sweepGates(): Promise<Turn> {
    const { isIdle, next } = await sweepGates(this.#engine, this.#sweptTo);
    this.#sweptTo = next ?? sweepStart;
    const again = this.#isSweepUrgent && next !== undefined;
    this.#isSweepUrgent = again;
    return { again, nextInMs: isIdle ? undefined : sweepAfterMs };
  }

  /** Checks for lanes without a live runner, once. */
  async strand(): Promise<Turn> {
    const { revived, stranded } = await lookAfterStranded(this.#engine);
    return { again: revived + stranded > 0 };
  }

  /** Retires workflows that no runner serves any more, and wakes those that are served again. */
  async settle(): Promise<Turn> {
    const { again } = await settleWorkflows(this.#engine);
    return { again };
  }

  /** Often enough for the time after which a workflow is retired, and at most a turn a minute. */
  #retireEveryMs(): number {
    return Math.min(60_000, Math.max(50, this.#engine.settings.workflowRetireMs / 4));
  }

  /** Repairs unfinished work of crashed processes, once. */
  async recover(): Promise<Turn> {
    this.#recoveredMs = performance.now();
    return { again: (await recoverLeftovers(this.#engine)) > 0 };
  }

  /** Repairs due times after the clock was set back, once. */
  async reanchor(): Promise<Turn> {
    // Each repair runs even if the other fails.
    await Promise.all([reanchorSchedules(this.#engine), this.#isBuffering && reanchorBuffers(this.#engine)]);
    return { again: false };
  }

  /**
   * Prunes one page of expired keys, of rates that no longer delay a start, of what model calls
   * left, of idle lanes of deliveries, of old counts of unverified messages, of claims of agents'
   * calls, and of stream tickets.
   */
  async forget(): Promise<Turn> {
    const keys = await forgetKeys(this.#engine);
    const rates = await forgetRates(this.#engine);
    const inference = await forgetInference(this.#engine);
    const orphans = await forgetOrphans(this.#engine, { after: this.#orphansTo });
    this.#orphansTo = orphans.next;
    const lanes = await forgetLanes(this.#engine, { after: this.#forgottenTo });
    this.#forgottenTo = lanes.next;
    const hours = await forgetHours(this.#engine);
    const calls = await forgetCalls(this.#engine);
    const tickets = await forgetTickets(this.#engine);
    return { again: [keys, rates, inference, orphans, lanes, hours, calls, tickets].some(({ full }) => full) };
  }
}

/** When the next turn is due. `again`: at once. `nextInMs`: within this time. */
interface Turn {
  again: boolean;
  nextInMs?: number | undefined;
}

const hourMs = 3_600_000;
/** Runs that become due in quick succession share a statement. */
const wakesRestMs = 2;
const strandAfterMs = 1_000;
const contendedMs = 50;
/** The interval of work that only covers lost hints, and what dead processes left. */
const coverMs = 14_000;
/** The repeated nudge of a loop with overdue work, in case the loop failed. */
const overdueMs = 1_000;

/** Nudges a loop whose work is due. Returns the ms until the next check. */
function send(loop: Loop, dueInMs: number | undefined): number {
  if (dueInMs === undefined) return Number.POSITIVE_INFINITY;
  if (dueInMs > 0) return dueInMs;
  loop.nudge();
  return overdueMs;
}
