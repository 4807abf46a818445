import type { AnyWorkflow } from '../workflow.ts';
import type { Fakes } from './fakes.ts';
import type { Guards } from './guards.ts';
import {
  cancelGuards,
  guardEvent,
  type Incoming,
  incoming,
  memoOfEvent,
  type SentMessage,
  starts,
} from './incoming.ts';
import type { StepRow } from './memo.ts';
import type { Effect, SideEffect } from './opcodes.ts';
import type { Executes, Run } from './run.ts';
import type { State } from './state.ts';

const dedupeWindowMs = 86_400_000;
/** The last events of a name that a wait looks back at. */
const lookBackWindow = 1_000;

/** The workflows that the world knows: those of the test, and fakes of children. */
export interface Cast {
  readonly workflows: readonly AnyWorkflow[];
  readonly children: Fakes;
  readonly guards: Guards;
}

export const executing = (workflow: AnyWorkflow): Executes => ({ app: workflow.app, name: workflow.name, workflow });

/** The events of a world: they start runs, end waits, and cancel runs. */
export class Events {
  /** All of them, in order. */
  readonly #log: Incoming[] = [];
  readonly #state: State;
  readonly #cast: Cast;
  readonly #dedupes = new Map<string, { id: string; untilMs: number }>();

  constructor(state: State, cast: Cast) {
    this.#state = state;
    this.#cast = cast;
  }

  /** Ends a wait that is about to begin, if the log holds an event for it since its instant. */
  lookBack(run: Run, { row, sideEffect }: Effect): void {
    const found = this.#firstSince(run, row, sideEffect);
    if (found !== undefined)
      Object.assign(row, { status: 'succeeded', runAfterMs: undefined, output: memoOfEvent(found) });
  }

  /**
   * Ends a wait that has begun by an event of the same commit. As in the service, waits that look
   * back come before those that do not.
   */
  lookAgain(run: Run, { row, sideEffect }: Effect): void {
    const found = this.#firstSince(run, row, sideEffect);
    if (found !== undefined) this.#state.endStep(run, row, { output: memoOfEvent(found) });
  }

  #firstSince(run: Run, row: StepRow, effect: SideEffect | undefined): Incoming | undefined {
    if (effect?.op !== 'WaitForEvent' || effect.sinceMs === undefined) return undefined;
    const { sinceMs } = effect;
    const named = this.#log.filter(({ name }) => name === row.eventName).slice(-lookBackWindow);
    return named.find(
      (event) => event.atMs >= sinceMs && event.id !== run.start.event.id && this.#satisfies(event, row),
    );
  }

  #satisfies(event: Incoming, { eventIf }: StepRow): boolean {
    return eventIf === undefined || this.#cast.guards.holds(eventIf, guardEvent(event));
  }

  /** An event to an app needs a workflow there that it starts, or whose runs it cancels. */
  hasAddressee({ name, targetApp }: SentMessage): boolean {
    if (targetApp === undefined) return true;
    const { guards, workflows } = this.#cast;
    const event = incoming({ name }, 'none', this.#state.nowMs);
    const theirs = workflows.filter(({ app }) => app === targetApp);
    return theirs.some((each) => starts(each, event, guards) || cancelGuards(each, event.name).length > 0);
  }

  /** Records an event and the runs that it starts. `event` is absent for a duplicate. */
  record(message: SentMessage): { eventId: string; runIds: string[]; event?: Incoming } {
    const { dedupeId, tags, session } = message;
    const { nowMs } = this.#state;
    const former = dedupeId === undefined ? undefined : this.#dedupes.get(dedupeId);
    if (former !== undefined && former.untilMs > nowMs) return { eventId: former.id, runIds: [] };
    const event = this.log(message);
    if (dedupeId !== undefined) this.#dedupes.set(dedupeId, { id: event.id, untilMs: nowMs + dedupeWindowMs });
    const started = this.#cast.workflows
      .filter((each) => event.targetApp === undefined || each.app === event.targetApp)
      .filter((each) => starts(each, event, this.#cast.guards));
    const { id, name, ts, headers, text: data = '{}' } = event;
    const runs = started.map((workflow) =>
      this.#state.begin(executing(workflow), {
        event: { id, name, data, ts, ...(headers !== undefined && { headers }) },
        ...{ triggerKind: 'event', tags, session },
      }),
    );
    return { eventId: event.id, runIds: runs.map((run) => run.id), event };
  }

  /** Records an event, which waits may look back at. It starts and wakes no run by that alone. */
  log(message: SentMessage): Incoming {
    const event = incoming(message, `event_${this.#log.length + 1}`, this.#state.nowMs);
    this.#log.push(event);
    return event;
  }

  /** Sends an event from outside. */
  send(message: SentMessage): { eventId: string; runIds: string[]; woke: number } {
    const { event, ...sent } = this.record(message);
    return { ...sent, woke: event === undefined ? 0 : this.deliver(event) };
  }

  /** Wakes the runs that wait for an event, and cancels runs. Returns how many woke. */
  deliver(event: Incoming): number {
    const { runs } = this.#state;
    const woken = runs.filter((run) => !run.isOver && this.#wake(run, event));
    for (const run of runs) this.#cancelBy(run, event);
    return woken.length;
  }

  #wake(run: Run, event: Incoming): boolean {
    const waits = run.open.filter(
      (row) =>
        row.op === 'WaitForEvent' &&
        row.status === 'waiting' &&
        row.eventName === event.name &&
        (row.runAfterMs === undefined || row.runAfterMs > event.atMs) &&
        this.#satisfies(event, row),
    );
    for (const row of waits) this.#state.endStep(run, row, { output: memoOfEvent(event) });
    return waits.length > 0;
  }

  #cancelBy(run: Run, event: Incoming): void {
    const { executes, start, id } = run;
    if (run.isOver || !('workflow' in executes) || start.event.id === event.id) return;
    if (event.targetApp !== undefined && event.targetApp !== executes.app) return;
    const { tags, session } = start;
    const seen = {
      ...{ id, input: JSON.parse(start.event.data) as unknown },
      ...(tags !== undefined && { tags }),
      ...(session !== undefined && { session }),
    };
    const { guards } = this.#cast;
    const rules = cancelGuards(executes.workflow, event.name);
    if (!rules.some((guard) => guard === undefined || guards.holds(guard, guardEvent(event), seen))) return;
    const message = `cancelled by event ${event.name} (${event.id})`;
    this.#state.finish(run, 'cancelled', { error: { name: 'CancelledByEventError', message } });
  }
}
