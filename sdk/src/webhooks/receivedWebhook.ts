import type { StepError } from '../protocol.ts';
import type { RunStatus } from '../records/runs.ts';

/** A run as a webhook describes it. Times are RFC 3339, UTC. */
export interface WebhookRun<Status extends RunStatus = RunStatus> {
  readonly id: string;
  readonly app: string;
  readonly workflow: string;
  /** As of the change that the webhook tells of. */
  readonly status: Status;
  readonly triggerKind: 'event' | 'cron' | 'manual';
  readonly eventName?: string;
  readonly eventId?: string;
  readonly tags?: Readonly<Record<string, string>>;
  /** Of a run that has succeeded. Absent if its handler returned nothing. */
  readonly result?: unknown;
  /** Of a run that has failed. */
  readonly error?: StepError;
  readonly createdAt: string;
  readonly startedAt?: string;
  readonly endedAt?: string;
  readonly durationMs?: number;
}

/** A step that has ended, as a webhook describes it. */
export interface WebhookStep<Status extends 'succeeded' | 'failed' | 'skipped'> {
  readonly name: string;
  /** Its place in the execution order, from 0. */
  readonly index: number;
  /** The attempt that ended it, from 1. */
  readonly attempt: number;
  readonly status: Status;
  /** The result; for a skipped step, the reason. */
  readonly output?: unknown;
  readonly error?: StepError;
  readonly durationMs: number;
}

interface Webhook<Kind extends string, Run extends WebhookRun> {
  /** The delivery. All of its attempts have the same id: drop an id that you have seen. */
  readonly id: string;
  readonly kind: Kind;
  /** The time of the change. RFC 3339, UTC. */
  readonly ts: string;
  readonly run: Run;
  /** A sample that somebody asked for. No run or step has changed. */
  readonly test?: true;
}

export type RunSucceededWebhook = Webhook<'run.succeeded', WebhookRun<'succeeded'>>;
export type RunFailedWebhook = Webhook<'run.failed', WebhookRun<'failed'>>;
export type RunCancelledWebhook = Webhook<'run.cancelled', WebhookRun<'cancelled'>>;

export interface StepSucceededWebhook extends Webhook<'step.succeeded', WebhookRun> {
  readonly step: WebhookStep<'succeeded'>;
}

export interface StepFailedWebhook extends Webhook<'step.failed', WebhookRun> {
  readonly step: WebhookStep<'failed'>;
}

export interface StepSkippedWebhook extends Webhook<'step.skipped', WebhookRun> {
  readonly step: WebhookStep<'skipped'>;
}

/**
 * The body of a webhook of the service, by its `kind`. Later services may send further kinds to
 * endpoints that ask for them: ignore a kind that you do not know.
 */
export type ReceivedWebhook =
  | RunSucceededWebhook
  | RunFailedWebhook
  | RunCancelledWebhook
  | StepSucceededWebhook
  | StepFailedWebhook
  | StepSkippedWebhook;
