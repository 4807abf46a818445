/** The counts of a bulk call. */
interface BulkCounts {
  /** Its entry in the audit log. */
  readonly id?: string;
  /** All runs that match, counted up to 100,000. */
  readonly matched: number;
  /** Matches that the call does not apply to: unfinished for a replay, ended for a cancellation. */
  readonly skipped: number;
  readonly failed: number;
  /** The reasons of the failed ones. */
  readonly failures: readonly { readonly reason: string; readonly count: number }[];
  /** Whether more match than the 1000 of one call. */
  readonly capped: boolean;
}

export interface BulkReplay extends BulkCounts {
  readonly replayed: number;
}

export interface BulkCancel extends BulkCounts {
  /** Without the children of cancelled runs. */
  readonly cancelled: number;
}

/** The kinds of calls that are audited. */
export type ControlActionKind =
  | 'cancel'
  | 'pause'
  | 'resume'
  | 'replay'
  | 'retry_from_step'
  | 'bulk_replay'
  | 'bulk_cancel'
  | 'approve'
  | 'deny'
  | 'retire_workflow'
  | 'restore_workflow'
  | 'create_webhook_endpoint'
  | 'update_webhook_endpoint'
  | 'delete_webhook_endpoint'
  | 'disable_webhook_endpoint'
  | 'create_webhook_source'
  | 'update_webhook_source'
  | 'delete_webhook_source'
  | 'rotate_webhook_secret'
  | 'redeliver_webhook'
  | 'bulk_redeliver'
  | 'send_test_webhook'
  | 'replay_webhook_delivery'
  | 'create_project'
  | 'update_project'
  | 'rotate_project_secrets'
  | 'create_api_key'
  | 'revoke_api_key'
  | 'set_provider_key'
  | 'remove_provider_key';

/** An entry of the audit log (2.13). */
export interface ControlAction {
  readonly id: string;
  readonly action: ControlActionKind;
  /** The changed run; absent for a bulk call, and for a workflow. */
  readonly runId?: string;
  /** The run that the call created. */
  readonly newRunId?: string;
  /** The name of the calling key. */
  readonly actor?: string;
  /** The first repeated step, a bulk call's filter and counts, or a workflow. */
  readonly detail?: unknown;
  readonly createdAt: string;
}
