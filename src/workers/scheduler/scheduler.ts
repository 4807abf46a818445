import { flushDueBuffers, reanchorBuffers } from '../../engine/admission/index.ts';
import { expireApprovals } from '../../engine/approvals/index.ts';
import type { EngineContext } from '../../engine/context.ts';
import { forgetRates } from '../../engine/flow/index.ts';
import { sweepAfterMs, sweepGates, sweepStart } from '../../engine/flow/policies/concurrency/index.ts';
import { checkBudgets } from '../../engine/flow/policies/index.ts';
import { forgetKeys } from '../../engine/ingest/index.ts';
import { recoverLeftovers } from '../../engine/recovery/index.ts';
import { failOverdueRuns, lookAfterStranded } from '../../engine/routing/index.ts';
import { fireDueSchedules, reanchorSchedules } from '../../engine/schedules/index.ts';
import { nextDueInMs, wakeDueRuns } from '../../engine/work/index.ts';
import { Loop } from '../loop.ts';

/**
 * What happens by itself: timers and cron schedules fire, deadlines of approvals pass, buffered
 * starts are flushed, budgets are kept, forgotten runs are let into free slots, runs without a
 * runner park and give up, look-ups that a dead process left are finished, what is of no use any
 * more is forgotten. Many schedulers may run at once: each statement takes rows that no other has
 * locked.
 *
 * Everything is driven by hints and by the next due time; the intervals are for hints that got
 * lost.
 */
export class Scheduler {
  readonly #engine: EngineContext;
  readonly #loops;
  /** Whether anything was in a buffer when the timers looked. */
  #isBuffering = false;
  #unsubscribe: (() => void)[] = [];
  /** Up to which slot the gates have been swept. */
  #sweptTo: string = sweepStart;
  /** Limits may have changed: all slots are to be looked at without a pause. */
  #isSweepUrgent = false;

  constructor(engine: EngineContext) {
    this.#engine = engine;
    this.#loops = {
      timers: this.#loop('timers', 15_000, () => this.wakeDue()),
      // The timers' turns tell these three when to look.
      cron: this.#loop('cron', hourMs, () => this.fire()),
      deadlines: this.#loop('deadlines', hourMs, () => this.expire()),
      buffers: this.#loop('buffers', hourMs, () => this.flush()),
      // Without budgets it hardly ever asks; registrations tell it when there are some.
      budgets: this.#loop('budgets', 300_000, () => this.keepBudgets()),
      // Nobody waits for a slot, most of the time; the timers' turns tell it when somebody does.
      gates: this.#loop('gates', hourMs, () => this.sweepGates()),
      stranded: this.#loop('stranded', 60_000, () => this.strand()),
      pending: this.#loop('pending', 15_000, () => this.recover()),
      clocks: this.#loop('clocks', 30_000, () => this.reanchor()),
      expired: this.#loop('expired', 300_000, () => this.forget()),
    };
  }

  start(): void {
    const { bus } = this.#engine;
    const { budgets, gates, stranded, timers } = this.#loops;
    this.#unsubscribe = [
      bus.on('work.due', ({ inMs }) => timers.nudge(inMs)),
      // A run may have nobody to take it; soon is early enough to say so.
      bus.on('work.ready', () => stranded.nudge(strandAfterMs)),
      bus.on('registry.changed', () => {
        stranded.nudge();
        // A budget may have come, gone, or been raised.
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

  #loop(name: string, everyMs: number, runOnce: () => Promise<Turn>): Loop {
    const turn = async (): Promise<void> => {
      const { again, nextInMs = everyMs } = await runOnce();
      loop.nudge(again ? 0 : nextInMs);
    };
    const loop = new Loop({ name, everyMs, turn, log: this.#engine.log });
    return loop;
  }

  /**
   * One turn of the timers: wakes what is due, sends others to what is theirs, and learns when the
   * next is.
   */
  async wakeDue(): Promise<Turn> {
    const { workInMs, fireInMs, approvalInMs, flushInMs, hasGated } = await nextDueInMs(this.#engine);
    const { buffers, cron, deadlines, gates } = this.#loops;
    if (hasGated) gates.nudge(sweepAfterMs);
    this.#isBuffering = flushInMs !== undefined;
    const others = Math.min(send(cron, fireInMs), send(deadlines, approvalInMs), send(buffers, flushInMs));
    if (workInMs === undefined || workInMs > 0) {
      return { again: false, nextInMs: Math.ceil(Math.min(workInMs ?? Number.POSITIVE_INFINITY, others)) };
    }
    const { woken } = await wakeDueRuns(this.#engine);
    const { failed, revived } = await failOverdueRuns(this.#engine);
    // Another scheduler may hold what is due: then there is nothing to do but to look again a
    // little later.
    return woken + failed + revived > 0 ? { again: true, nextInMs: 0 } : { again: false, nextInMs: contendedMs };
  }

  /** One turn of the cron schedules. When the next is due, the timers' turns find out. */
  async fire(): Promise<Turn> {
    const { again } = await fireDueSchedules(this.#engine);
    return { again };
  }

  /** One turn of the deadlines of approvals. When the next passes, the timers' turns find out. */
  async expire(): Promise<Turn> {
    return { again: (await expireApprovals(this.#engine)) > 0 };
  }

  /**
   * One turn of the buffers of `debounce` and `batch`. When the next is to be flushed, the timers'
   * turns find out.
   */
  async flush(): Promise<Turn> {
    const { again } = await flushDueBuffers(this.#engine);
    return { again };
  }

  /** One look at the budgets; as long as there are any, the next one follows after an interval. */
  async keepBudgets(): Promise<Turn> {
    const { again, hasAny } = await checkBudgets(this.#engine);
    return { again, nextInMs: hasAny ? this.#engine.settings.budgetCheckMs : undefined };
  }

  /**
   * One look at some of the slots for which runs wait; as long as any does, the next one follows.
   */
  async sweepGates(): Promise<Turn> {
    const { isIdle, next } = await sweepGates(this.#engine, this.#sweptTo);
    this.#sweptTo = next ?? sweepStart;
    const again = this.#isSweepUrgent && next !== undefined;
    this.#isSweepUrgent = again;
    return { again, nextInMs: isIdle ? undefined : sweepAfterMs };
  }

  /** One look at lanes without a live runner. */
  async strand(): Promise<Turn> {
    const { revived, stranded } = await lookAfterStranded(this.#engine);
    return { again: revived + stranded > 0 };
  }

  /** One look for what processes that died left half done. */
  async recover(): Promise<Turn> {
    return { again: (await recoverLeftovers(this.#engine)) > 0 };
  }

  /** One look for what a clock that was set back took along. */
  async reanchor(): Promise<Turn> {
    // Each has its turn, whether or not the other fails.
    await Promise.all([reanchorSchedules(this.#engine), this.#isBuffering && reanchorBuffers(this.#engine)]);
    return { again: false };
  }

  /**
   * One page of keys against repeats whose window is over, and one of rates that hold nobody back
   * any more.
   */
  async forget(): Promise<Turn> {
    const keys = await forgetKeys(this.#engine);
    const rates = await forgetRates(this.#engine);
    return { again: keys.full || rates.full };
  }
}

/**
 * What a turn says of the next. `again`: there is more at once. `nextInMs`: something is known to
 * come up by then.
 */
interface Turn {
  again: boolean;
  nextInMs?: number | undefined;
}

const hourMs = 3_600_000;
const strandAfterMs = 1_000;
const contendedMs = 50;
/**
 * What is overdue is in the hands of this process or of another; were it lost, it is asked for
 * again after this.
 */
const overdueMs = 1_000;

/** Has a loop look at once when something of its is due. Answers in how many ms to ask again. */
function send(loop: Loop, dueInMs: number | undefined): number {
  if (dueInMs === undefined) return Number.POSITIVE_INFINITY;
  if (dueInMs > 0) return dueInMs;
  loop.nudge();
  return overdueMs;
}
