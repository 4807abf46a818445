import { asDeclared } from '../json/asDeclared.ts';
import type { EmitOpcode, InferEmbed, InferText, RunWorkflowOpcode, WebhookOpcode } from '../protocol.ts';
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

/** An event that a run sent. */
export interface EmittedEvent {
  readonly id: string;
  readonly run: Run;
  readonly step: string;
  readonly name: string;
  readonly data?: unknown;
  readonly tags?: Readonly<Record<string, string>>;
  readonly session?: string;
  readonly dedupeId?: string;
  readonly targetApp?: string;
}

export interface SentWebhook {
  readonly id: string;
  readonly run: Run;
  readonly step: string;
  readonly url: string;
  readonly data?: unknown;
}

export interface RecordedScore {
  readonly id: string;
  readonly run: Run;
  readonly step: string;
  readonly data: unknown;
}

/** A model call that waits for its answer. */
export interface ModelCall {
  readonly run: Run;
  readonly row: StepRow;
  readonly request: InferText | InferEmbed;
}

const dedupeWindowMs = 86_400_000;
/** The last events of a name that a wait looks back at. */
const lookBackWindow = 1_000;

/** What the world knows of workflows: those of the test, and fakes of children. */
export interface Cast {
  readonly workflows: readonly AnyWorkflow[];
  readonly children: Fakes;
  readonly guards: Guards;
}

/** Performs the changes that steps cause outside of their runs, and delivers events. */
export class Effects {
  readonly emitted: EmittedEvent[] = [];
  readonly webhooks: SentWebhook[] = [];
  readonly scores: RecordedScore[] = [];
  readonly calls: ModelCall[] = [];
  /** All events of the world, in order. */
  readonly #log: Incoming[] = [];
  readonly #state: State;
  readonly #cast: Cast;
  readonly #dedupes = new Map<string, { id: string; untilMs: number }>();

  constructor(state: State, cast: Cast) {
    this.#state = state;
    this.#cast = cast;
  }

  /** Ends a wait that looks back, if the log holds an event for it. */
  lookBack(run: Run, { row, sideEffect }: Effect): void {
    if (sideEffect?.op !== 'WaitForEvent' || sideEffect.sinceMs === undefined) return;
    const { sinceMs } = sideEffect;
    const named = this.#log.filter(({ name }) => name === row.eventName).slice(-lookBackWindow);
    const found = named.find(
      (event) => event.atMs >= sinceMs && event.id !== run.start.event.id && this.#satisfies(event, row),
    );
    if (found !== undefined)
      Object.assign(row, { status: 'succeeded', runAfterMs: undefined, output: memoOfEvent(found) });
  }

  #satisfies(event: Incoming, { eventIf }: StepRow): boolean {
    return eventIf === undefined || this.#cast.guards.holds(eventIf, guardEvent(event));
  }

  /** Completes the row of an effect. Returns the event that is to be delivered after the commit. */
  perform(run: Run, { row, sideEffect }: Effect): Incoming | undefined {
    if (sideEffect !== undefined) return this.#perform(run, row, sideEffect);
    return undefined;
  }

  #perform(run: Run, row: StepRow, effect: SideEffect): Incoming | undefined {
    const { name: step } = row;
    switch (effect.op) {
      case 'Emit':
        return this.#emit(run, row, effect);
      case 'RunWorkflow':
        this.#startChild(run, row, effect);
        return undefined;
      case 'Approval': {
        const { tool, data, risk, policy, summary, context, escalatesTo, timeoutMs, onTimeout } = effect;
        const { nowMs: requestedMs, questions } = this.#state;
        questions.push({
          ...{ id: `approval_${questions.length + 1}`, run, row, step, tool, args: JSON.stringify(data ?? null) },
          ...{ risk: risk ?? 'unspecified', escalatesTo: escalatesTo ?? '', onTimeout: onTimeout ?? 'escalate' },
          ...{
            status: 'pending',
            requestedMs,
            expiresMs: timeoutMs === undefined ? undefined : requestedMs + timeoutMs,
          },
          ...(policy !== undefined && { policy }),
          ...(summary !== undefined && { summary }),
          ...(context !== undefined && { context }),
        });
        return undefined;
      }
      case 'Webhook': {
        const { webhookUrl: url, data }: WebhookOpcode = effect;
        const id = `delivery_${this.webhooks.length + 1}`;
        this.webhooks.push({ id, run, step, url, ...(data !== undefined && { data }) });
        row.output = JSON.stringify({ deliveryId: id });
        return undefined;
      }
      case 'Score': {
        const id = `score_${this.scores.length + 1}`;
        this.scores.push({ id, run, step, data: effect.data });
        row.output = JSON.stringify({ scoreId: id });
        return undefined;
      }
      case 'WaitForEvent':
        return undefined;
      case 'Infer':
        this.calls.push({ run, row, request: effect.data });
        return undefined;
    }
  }

  #emit(
    run: Run,
    row: StepRow,
    { eventName: name, data, dedupeId, targetApp, tags, session }: EmitOpcode,
  ): Incoming | undefined {
    const message = { name, data, dedupeId, targetApp, tags, session };
    if (!this.#hasAddressee(message)) return fail(row, 'event names an unregistered workflow');
    const { eventId, runIds, event } = this.#record(message);
    row.output = JSON.stringify({ eventId, runIds });
    if (event === undefined) return undefined;
    this.emitted.push({
      ...{ id: eventId, run, step: row.name, name },
      ...(data !== undefined && { data }),
      ...(tags !== undefined && { tags }),
      ...(session !== undefined && { session }),
      ...(dedupeId !== undefined && { dedupeId }),
      ...(targetApp !== undefined && { targetApp }),
    });
    return event;
  }

  /** An event to an app needs a workflow there that it starts, or whose runs it cancels. */
  #hasAddressee({ name, targetApp }: SentMessage): boolean {
    if (targetApp === undefined) return true;
    const { guards, workflows } = this.#cast;
    const event = incoming({ name }, 'none', this.#state.nowMs);
    const theirs = workflows.filter(({ app }) => app === targetApp);
    return theirs.some((each) => starts(each, event, guards) || cancelGuards(each, event.name).length > 0);
  }

  /** Records an event and the runs that it starts. `event` is absent for a duplicate. */
  #record(message: SentMessage): { eventId: string; runIds: string[]; event?: Incoming } {
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
    const { event, ...sent } = this.#record(message);
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

  #startChild(parent: Run, row: StepRow, { childName, childApp, childData, childTags }: RunWorkflowOpcode): void {
    const executes = this.#child(parent, childName, childApp);
    if (executes === undefined) {
      const where = childApp === undefined ? '' : ` in app ${childApp}`;
      fail(row, `workflow ${childName} is not registered${where}: give it in \`workflows\`, or a fake in \`children\``);
      return;
    }
    const { session, tags } = parent.start;
    const child = this.#state.begin(executes, {
      event: {
        name: executes.name,
        data: JSON.stringify(childData === undefined ? {} : childData),
        ts: new Date(this.#state.nowMs).toISOString(),
      },
      ...{ triggerKind: 'event', session, parent: { run: parent, step: row.name, attempt: row.attempt } },
      tags: tags === undefined && childTags === undefined ? undefined : { ...tags, ...childTags },
    });
    row.childRunId = child.id;
  }

  /** Without an app, the parent's own comes first, then any other, by name. */
  #child(parent: Run, name: string, app: string | undefined): Executes | undefined {
    const fake = this.#cast.children.get(name);
    if (fake !== undefined) return { app: app ?? parent.executes.app, name, ...fake };
    const named = this.#cast.workflows.filter((each) => each.name === name && (app === undefined || each.app === app));
    const workflow = named.find((each) => each.app === parent.executes.app) ?? named[0];
    return workflow && executing(workflow);
  }
}

export const executing = (workflow: AnyWorkflow): Executes => ({ app: workflow.app, name: workflow.name, workflow });

/** A refused side effect fails its step for good. The handler may catch the error. */
function fail(row: StepRow, message: string): undefined {
  Object.assign(row, asDeclared<Partial<StepRow>>({ status: 'failed', error: { message } }));
}
