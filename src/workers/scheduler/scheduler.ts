import { flushDueBuffers, reanchorBuffers } from '../../engine/admission/index.ts';
import { expireApprovals } from '../../engine/approvals/index.ts';
import { checkBudgets } from '../../engine/budgets/index.ts';
import type { EngineContext } from '../../engine/context.ts';
import { forgetRates, sweepAfterMs, sweepGates, sweepStart } from '../../engine/flow/index.ts';
import { forgetKeys } from '../../engine/ingest/index.ts';
import { recoverLeftovers } from '../../engine/recovery/index.ts';
import { failOverdueRuns, lookAfterStranded } from '../../engine/routing/index.ts';
import { fireDueSchedules, reanchorSchedules } from '../../engine/schedules/index.ts';
import { nextDueInMs, wakeDueRuns } from '../../engine/work/index.ts';
import { Loop } from '../loop.ts';

/**
 * What happens by itself: timers and cron schedules fire, deadlines of approvals pass, buffered starts are flushed, budgets are
 * kept, forgotten runs are let into free slots, runs without a runner park and give up, look-ups that a dead process left are
 * finished, what is of no use any more is forgotten. Many schedulers may run at once: each statement takes rows that no other
 * has locked.
 *
 * Everything is driven by hints and by the next due time; the intervals are for hints that got lost.
 */
export class Scheduler {
  readonly #engine: EngineContext;
  readonly #timers: Loop;
  readonly #cron: Loop;
  readonly #deadlines: Loop;
  readonly #buffers: Loop;
  readonly #budgets: Loop;
  readonly #gates: Loop;
  readonly #stranded: Loop;
  readonly #pending: Loop;
  readonly #clocks: Loop;
  readonly #expired: Loop;
  /** Whether anything was in a buffer when the timers looked. */
  #isBuffering = false;
  #unsubscribe: (() => void)[] = [];
  /** Up to which slot the gates have been swept. */
  #sweptTo: string = sweepStart;
  /** Limits may have changed: all slots are to be looked at without a pause. */
  #isSweepUrgent = false;

  constructor(engine: EngineContext) {
    const { log } = engine;
    this.#engine = engine;
    this.#timers = new Loop({ name: 'timers', intervalMs: 15_000, log, runOnce: () => this.wakeDue() });
    // The timers' turns tell these three when to look.
    this.#cron = new Loop({ name: 'cron', intervalMs: 3_600_000, log, runOnce: () => this.fire() });
    this.#deadlines = new Loop({ name: 'deadlines', intervalMs: 3_600_000, log, runOnce: () => this.expire() });
    this.#buffers = new Loop({ name: 'buffers', intervalMs: 3_600_000, log, runOnce: () => this.flush() });
    // Without budgets it hardly ever asks; registrations tell it when there are some.
    this.#budgets = new Loop({ name: 'budgets', intervalMs: 300_000, log, runOnce: () => this.keepBudgets() });
    // Nobody waits for a slot, most of the time; the timers' turns tell it when somebody does.
    this.#gates = new Loop({ name: 'gates', intervalMs: 3_600_000, log, runOnce: () => this.sweepGates() });
    this.#stranded = new Loop({ name: 'stranded', intervalMs: 60_000, log, runOnce: () => this.strand() });
    this.#pending = new Loop({ name: 'pending', intervalMs: 15_000, log, runOnce: () => this.recover() });
    this.#clocks = new Loop({ name: 'clocks', intervalMs: 30_000, log, runOnce: () => this.reanchor() });
    this.#expired = new Loop({ name: 'expired', intervalMs: 300_000, log, runOnce: () => this.forget() });
  }

  start(): void {
    const { bus } = this.#engine;
    this.#unsubscribe = [
      bus.on('work.due', ({ inMs }) => this.#timers.nudge(inMs)),
      // A run may have nobody to take it; soon is early enough to say so.
      bus.on('work.ready', () => this.#stranded.nudge(strandAfterMs)),
      bus.on('registry.changed', () => this.#stranded.nudge()),
      // A budget may have come, gone, or been raised.
      bus.on('registry.changed', () => this.#budgets.nudge()),
      bus.on('registry.changed', () => {
        this.#isSweepUrgent = true;
        this.#gates.nudge();
      }),
    ];
    for (const loop of this.#loops) loop.start();
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await Promise.all(this.#loops.map((loop) => loop.stop()));
  }

  get #loops(): Loop[] {
    return [
      this.#timers,
      this.#cron,
      this.#deadlines,
      this.#buffers,
      this.#budgets,
      this.#gates,
      this.#stranded,
      this.#pending,
      this.#clocks,
      this.#expired,
    ];
  }

  /** One turn of the timers: wakes what is due, sends others to what is theirs, and learns when the next is. */
  async wakeDue(): Promise<{ again: boolean; nextInMs: number | undefined }> {
    const { workInMs, fireInMs, approvalInMs, flushInMs, hasGated } = await nextDueInMs(this.#engine);
    if (hasGated) this.#gates.nudge(sweepAfterMs);
    this.#isBuffering = flushInMs !== undefined;
    const others = Math.min(
      send(this.#cron, fireInMs),
      send(this.#deadlines, approvalInMs),
      send(this.#buffers, flushInMs),
    );
    if (workInMs === undefined || workInMs > 0) {
      return { again: false, nextInMs: Math.ceil(Math.min(workInMs ?? Number.POSITIVE_INFINITY, others)) };
    }
    const { woken } = await wakeDueRuns(this.#engine);
    const { failed, revived } = await failOverdueRuns(this.#engine);
    // Another scheduler may hold what is due: then there is nothing to do but to look again a little later.
    return woken + failed + revived > 0 ? { again: true, nextInMs: 0 } : { again: false, nextInMs: contendedMs };
  }

  /** One turn of the cron schedules. When the next is due, the timers' turns find out. */
  async fire(): Promise<{ again: boolean }> {
    const { again } = await fireDueSchedules(this.#engine);
    return { again };
  }

  /** One turn of the deadlines of approvals. When the next passes, the timers' turns find out. */
  async expire(): Promise<{ again: boolean }> {
    return { again: (await expireApprovals(this.#engine)) > 0 };
  }

  /** One turn of the buffers of `debounce` and `batch`. When the next is to be flushed, the timers' turns find out. */
  async flush(): Promise<{ again: boolean }> {
    const { again } = await flushDueBuffers(this.#engine);
    return { again };
  }

  /** One look at the budgets; as long as there are any, the next one follows after an interval. */
  async keepBudgets(): Promise<{ again: boolean; nextInMs: number | undefined }> {
    const { again, hasAny } = await checkBudgets(this.#engine);
    return { again, nextInMs: hasAny ? this.#engine.settings.budgetCheckMs : undefined };
  }

  /** One look at some of the slots for which runs wait; as long as any does, the next one follows. */
  async sweepGates(): Promise<{ again: boolean; nextInMs: number | undefined }> {
    const { isIdle, next } = await sweepGates(this.#engine, this.#sweptTo);
    this.#sweptTo = next ?? sweepStart;
    const again = this.#isSweepUrgent && next !== undefined;
    this.#isSweepUrgent = again;
    return { again, nextInMs: isIdle ? undefined : sweepAfterMs };
  }

  /** One look at lanes without a live runner. */
  async strand(): Promise<{ again: boolean }> {
    const { revived, stranded } = await lookAfterStranded(this.#engine);
    return { again: revived + stranded > 0 };
  }

  /** One look for what processes that died left half done. */
  async recover(): Promise<{ again: boolean }> {
    return { again: (await recoverLeftovers(this.#engine)) > 0 };
  }

  /** One look for what a clock that was set back took along. */
  async reanchor(): Promise<{ again: boolean }> {
    // Each has its turn, whether or not the other fails.
    await Promise.all([reanchorSchedules(this.#engine), this.#isBuffering && reanchorBuffers(this.#engine)]);
    return { again: false };
  }

  /** One page of keys against repeats whose window is over, and one of rates that hold nobody back any more. */
  async forget(): Promise<{ again: boolean }> {
    const keys = await forgetKeys(this.#engine);
    const rates = await forgetRates(this.#engine);
    return { again: keys.full || rates.full };
  }
}

const strandAfterMs = 1_000;
const contendedMs = 50;
/** What is overdue is in the hands of this process or of another; were it lost, it is asked for again after this. */
const overdueMs = 1_000;

/** Has a loop look at once when something of its is due. Answers in how many ms to ask again. */
function send(loop: Loop, dueInMs: number | undefined): number {
  if (dueInMs === undefined) return Number.POSITIVE_INFINITY;
  if (dueInMs > 0) return dueInMs;
  loop.nudge();
  return overdueMs;
}
