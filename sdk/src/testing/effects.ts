import { asDeclared } from '../json/asDeclared.ts';
import type { EmitOpcode, InferEmbed, InferText, RunWorkflowOpcode, WebhookOpcode } from '../protocol.ts';
import { type Cast, type Events, executing } from './events.ts';
import type { Incoming } from './incoming.ts';
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

/** Performs the changes that steps cause outside of their runs. */
export class Effects {
  readonly emitted: EmittedEvent[] = [];
  readonly webhooks: SentWebhook[] = [];
  readonly scores: RecordedScore[] = [];
  readonly calls: ModelCall[] = [];
  readonly #state: State;
  readonly #cast: Cast;
  readonly #events: Events;

  constructor(state: State, cast: Cast, events: Events) {
    this.#state = state;
    this.#cast = cast;
    this.#events = events;
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
    if (!this.#events.hasAddressee(message)) return fail(row, 'event names an unregistered workflow');
    const { eventId, runIds, event } = this.#events.record(message);
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

/** A refused side effect fails its step for good. The handler may catch the error. */
function fail(row: StepRow, message: string): undefined {
  Object.assign(row, asDeclared<Partial<StepRow>>({ status: 'failed', error: { message } }));
}
