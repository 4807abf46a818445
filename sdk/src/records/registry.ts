import type { FlowControl } from '../flowControl.ts';

/** A workflow as its runners registered it (4.2). Times are RFC 3339, UTC. */
export interface RegisteredWorkflow {
  readonly name: string;
  readonly app: string;
  readonly maxAttempts: number;
  readonly backoff: 'exponential' | 'fixed' | 'linear';
  /** Absent: an event with its name starts it. */
  readonly triggers?: readonly { readonly event?: string; readonly if?: string; readonly cron?: string }[];
  /** Whether it has a schedule. */
  readonly scheduled: boolean;
  readonly schedules?: readonly {
    readonly cron: string;
    readonly nextFireAt: string;
    readonly lastFiredAt?: string;
    /** When it was due while the project was suspended, and started no run. */
    readonly lastRefusedAt?: string;
    /** Whether it is overdue. */
    readonly isStale: boolean;
  }[];
  readonly flowControl?: Readonly<FlowControl>;
  readonly steps?: readonly { readonly name: string; readonly description?: string; readonly hidden?: boolean }[];
  /** How many milliseconds a run may take. */
  readonly maxDuration?: number;
  readonly cancelOn?: readonly { readonly event: string; readonly if?: string }[];
  readonly onFailure: boolean;
  /** The hash of the definition. */
  readonly version: string;
  readonly registeredAt: string;
  readonly updatedAt: string;
  /** Since when its events and schedules start no runs. */
  readonly retiredAt?: string;
  /** The key that retired it; absent if the service did. */
  readonly retiredBy?: string;
}

/** An app that has registered workflows (4.9). */
export interface RegisteredApp {
  readonly name: string;
  readonly createdAt: string;
}

/** A process that executes workflows (4.9). */
export interface RegisteredRunner {
  readonly runnerId: string;
  readonly app: string;
  readonly url: string;
  /** `connect` for a socket, else the HTTP framework. */
  readonly framework?: string;
  readonly runtime?: string;
  readonly language?: string;
  readonly sdkName?: string;
  readonly version?: string;
  readonly region?: string;
  /** Passes that it executes at once. */
  readonly maxInFlight: number;
  readonly workflows: readonly string[];
  readonly lastSeenAt: string;
  /** Only live runners get work. */
  readonly live: boolean;
}
