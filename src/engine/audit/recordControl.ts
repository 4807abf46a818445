import type { EngineContext } from '../context.ts';
import type { Queryable } from '../db/index.ts';
import { newId } from '../ids.ts';
import { RawJson } from '../json/index.ts';
import type { CallOrigin } from '../origin.ts';
import { insertControlAction } from './sql/insertControlAction.ts';

/** The actions of the audit log (2.13). */
export const controlActions = [
  'cancel',
  'pause',
  'resume',
  'replay',
  'retry_from_step',
  'bulk_replay',
  'bulk_cancel',
  'approve',
  'deny',
  'retire_workflow',
  'restore_workflow',
  'create_webhook_endpoint',
  'update_webhook_endpoint',
  'delete_webhook_endpoint',
  'disable_webhook_endpoint',
  'create_webhook_source',
  'update_webhook_source',
  'delete_webhook_source',
  'rotate_webhook_secret',
  'redeliver_webhook',
  'bulk_redeliver',
  'send_test_webhook',
  'replay_webhook_delivery',
  'create_project',
  'update_project',
  'rotate_project_secrets',
  'create_api_key',
  'revoke_api_key',
  'set_provider_key',
  'remove_provider_key',
] as const;
export type ControlAction = (typeof controlActions)[number];

export interface ControlRecord {
  projectId: string;
  action: ControlAction;
  /** The affected run. */
  runId?: string | undefined;
  /** The run that a fork made. */
  newRunId?: string | undefined;
  /** The runs that a bulk call made or cancelled. */
  runIds?: readonly string[] | undefined;
  /** The name of the caller's key. */
  actor?: string | undefined;
  /** Details of the action: the step resumed from, or a bulk call's filter and counts. */
  detail?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Writes an action into the audit log, and returns the id of the entry. Best effort (4.6): call it
 * after the commit of the action. A failure is logged and never thrown: then there is no id.
 */
export async function recordControl(ctx: EngineContext, record: ControlRecord): Promise<string | undefined> {
  try {
    return await recordControlWithin(ctx, ctx.db, record);
  } catch (error) {
    const { projectId, action, runId } = record;
    ctx.log.warn({ err: error, projectId, action, runId }, 'recording an action in the audit log failed');
    return undefined;
  }
}

/** Writes an action of the service itself into the audit log, within its transaction. */
export async function recordControlWithin(
  ctx: EngineContext,
  db: Queryable,
  { projectId, action, runId, newRunId, runIds = [], actor, detail }: ControlRecord,
): Promise<string> {
  const told = ctx.origin ? { ...detail, ...originOf(ctx.origin) } : detail;
  const text = told && RawJson.of(told).text;
  const id = newId();
  await insertControlAction(db, {
    id,
    projectId,
    action,
    runId,
    newRunId,
    runIds,
    actor,
    detail: text,
    now: ctx.clock.sql(),
  });
  return id;
}

/** 5.7: an agent's action names its client. */
const originOf = ({ via, client: { name, version }, asked }: CallOrigin): Record<string, unknown> => ({
  via,
  ...(asked && { askedPerson: true }),
  client: { ...(name !== undefined && { name }), ...(version !== undefined && { version }) },
});
