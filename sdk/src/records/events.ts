import type { Gates } from './starts.ts';

/** The effect of an event on one workflow: the run that started, or the gate that withheld it. */
export interface TriggerOutcome extends Gates {
  readonly app: string;
  readonly workflow: string;
  readonly runId?: string;
}

/** The answer to an event: what it started and woke. */
export interface SentEvent extends Gates {
  /** The id of the recorded event. For a repeat (`dedupeId`), the id of the first event. */
  readonly eventId: string;
  /** The run of the first entry in `triggered`; absent if a gate withheld it. */
  readonly runId?: string;
  /** How many waiting runs the event woke. */
  readonly woke: number;
  readonly triggered: readonly TriggerOutcome[];
  readonly suspended?: boolean;
}

/** An event of the log, with the runs that it started and woke (4.3). Times are RFC 3339, UTC. */
export interface LoggedEvent<Data = unknown> {
  readonly id: string;
  readonly name: string;
  /** The app that published it. */
  readonly app: string;
  /** Absent if it was sent without data. */
  readonly data?: Data;
  readonly tags?: Readonly<Record<string, string>>;
  /** The headers of the sender that a webhook source exposes, by name in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly session?: string;
  readonly dedupeId?: string;
  readonly targetApp?: string;
  /** The runner to which the started runs are pinned. */
  readonly runner?: string;
  readonly source: 'api' | 'webhook' | 'emit';
  /** The run that emitted it. */
  readonly sourceRunId?: string;
  readonly receivedAt: string;
  /** An outcome for each workflow that matched. */
  readonly triggered: readonly TriggerOutcome[];
  /** How many waiting runs it woke. */
  readonly woke: number;
  readonly wokeRuns: readonly string[];
  /** Set if the project was suspended, so that no run started. */
  readonly suspended?: boolean;
}
