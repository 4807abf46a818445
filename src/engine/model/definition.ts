import type { Backoff, FlowControl, StepManifestEntry } from '@holdfast/sdk/protocol';

export interface EventTrigger {
  /** As declared. A final `*` matches any rest. */
  event: string;
  if?: string | undefined;
}

export interface CronTrigger {
  cron: string;
}

export type Trigger = EventTrigger | CronTrigger;

export interface ResolvedRetry {
  maxAttempts: number;
  backoff: Backoff;
  initialDelayMs: number;
  maxDelayMs: number;
}

/** A validated definition with its defaults filled in (2.1). */
export interface Definition {
  name: string;
  app: string;
  /** SHA-256 of the canonical definition. */
  version: string;
  retry: ResolvedRetry;
  onFailure: boolean;
  /** As declared. Undefined for the implicit trigger: an event of the workflow's name. */
  triggers: Trigger[] | undefined;
  flowControl: FlowControl | undefined;
  steps: StepManifestEntry[] | undefined;
  /** How long a run may take; undefined: without limit. */
  maxDurationMs: number | undefined;
  /** The events that cancel unfinished runs. */
  cancelOn: EventTrigger[] | undefined;
  /** Whether its triggers and schedules are asleep (R3). Default: false. */
  isRetired?: boolean;
}
