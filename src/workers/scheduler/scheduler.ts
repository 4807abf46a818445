import type { EngineContext } from '../../engine/context.ts';
import { recoverPending } from '../../engine/events/index.ts';
import { recoverOutcomes } from '../../engine/outcomes/index.ts';
import { failOverdueRuns, lookAfterStranded } from '../../engine/routing/index.ts';
import { nextDueInMs, wakeDueRuns } from '../../engine/work/index.ts';
import { Loop } from '../loop.ts';

/**
 * What happens by itself: timers fire, runs without a runner park and give up, look-ups that a dead process left are
 * finished. Many schedulers may run at once: each statement takes rows that no other has locked.
 *
 * Everything is driven by hints and by the next due time; the intervals are for hints that got lost.
 */
export class Scheduler {
  readonly #engine: EngineContext;
  readonly #timers: Loop;
  readonly #stranded: Loop;
  readonly #pending: Loop;
  #unsubscribe: (() => void)[] = [];

  constructor(engine: EngineContext) {
    const { log } = engine;
    this.#engine = engine;
    this.#timers = new Loop({ name: 'timers', intervalMs: 15_000, log, runOnce: () => this.wakeDue() });
    this.#stranded = new Loop({ name: 'stranded', intervalMs: 30_000, log, runOnce: () => this.strand() });
    this.#pending = new Loop({ name: 'pending', intervalMs: 30_000, log, runOnce: () => this.recover() });
  }

  start(): void {
    const { bus } = this.#engine;
    this.#unsubscribe = [
      bus.on('work.due', ({ inMs }) => this.#timers.nudge(inMs)),
      // A run may have nobody to take it; soon is early enough to say so.
      bus.on('work.ready', () => this.#stranded.nudge(strandAfterMs)),
      bus.on('registry.changed', () => this.#stranded.nudge()),
    ];
    for (const loop of [this.#timers, this.#stranded, this.#pending]) loop.start();
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await Promise.all([this.#timers, this.#stranded, this.#pending].map((loop) => loop.stop()));
  }

  /** One turn of the timers: wakes what is due and learns when the next is. */
  async wakeDue(): Promise<{ again: boolean; nextInMs: number | undefined }> {
    const next = await nextDueInMs(this.#engine);
    if (next === undefined || next > 0) return { again: false, nextInMs: next === undefined ? next : Math.ceil(next) };
    const { woken } = await wakeDueRuns(this.#engine);
    const { failed } = await failOverdueRuns(this.#engine);
    // Another scheduler may hold what is due: then there is nothing to do but to look again a little later.
    return woken + failed > 0 ? { again: true, nextInMs: 0 } : { again: false, nextInMs: contendedMs };
  }

  /** One look at lanes without a live runner. */
  async strand(): Promise<{ again: boolean }> {
    const { revived, stranded } = await lookAfterStranded(this.#engine);
    return { again: revived + stranded > 0 };
  }

  /** One look for what processes that died left half done: events whose waiters sleep on, runs whose end changed nothing. */
  async recover(): Promise<{ again: boolean }> {
    const events = await recoverPending(this.#engine);
    return { again: events + (await recoverOutcomes(this.#engine)) > 0 };
  }
}

const strandAfterMs = 1_000;
const contendedMs = 50;
