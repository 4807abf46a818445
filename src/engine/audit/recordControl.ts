import type { EngineContext } from '../context.ts';
import { newId } from '../ids.ts';
import { insertControlAction } from './sql/insertControlAction.ts';

/** 2.13 */
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
] as const;

export type ControlActionKind = (typeof controlActions)[number];

export interface ControlEntry {
  projectId: string;
  action: ControlActionKind;
  runId?: string | undefined;
  newRunId?: string | undefined;
  /** The name of the key that asked. */
  actor: string | undefined;
  detail?: unknown;
}

/** Writes down what a call did. Best effort: a failed audit write never fails the action (4.6). */
export async function recordControl(ctx: EngineContext, entry: ControlEntry): Promise<void> {
  const { projectId, action, runId, newRunId, actor, detail } = entry;
  try {
    await insertControlAction(ctx.db, {
      id: newId(),
      projectId,
      action,
      runId,
      newRunId,
      actor,
      detail: detail === undefined ? undefined : JSON.stringify(detail),
      now: ctx.clock.sql(),
    });
  } catch (error) {
    ctx.log.warn({ error, action, runId }, 'an audit entry was lost');
  }
}
