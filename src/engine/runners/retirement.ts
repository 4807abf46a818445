import type { EngineContext } from '../context.ts';
import type { Queryable } from '../db/index.ts';
import { notFound } from '../errors.ts';
import {
  awake,
  type LockedWorkflow,
  lockWorkflows,
  putRetirements,
  type Retirement,
  type Service,
  settled,
} from '../registry/index.ts';
import { bumpRegistry } from './sql/bumpRegistry.ts';
import { findService } from './sql/findService.ts';
import { findUnsettled } from './sql/findUnsettled.ts';

const pageSize = 1000;

export interface WorkflowRef {
  app: string;
  name: string;
}

interface Named {
  projectId: string;
  workflows: readonly WorkflowRef[];
}

/** Decides what a workflow becomes; undefined if it stays. */
type Decide = (workflow: LockedWorkflow, service: Service) => Retirement | undefined;

/**
 * Locks the workflows, then looks for their live runners, then stores the decisions (T4). Returns
 * the locked workflows, and whether any fell asleep or woke.
 */
async function changeWithin(ctx: EngineContext, tx: Queryable, { projectId, workflows }: Named, decide: Decide) {
  const locked = await lockWorkflows(tx, { projectId, workflows });
  const { runnerLivenessMs: livenessMs } = ctx.settings;
  const workflowIds = locked.map(({ id }) => id);
  const rows = await findService(tx, { workflowIds, livenessMs, now: ctx.clock.sql() });
  const service = new Map(rows.map((row) => [row.id, row]));
  const changes = locked.flatMap((workflow) => {
    const known = service.get(workflow.id);
    const next = known && decide(workflow, known);
    return next ? [{ workflow, next }] : [];
  });
  const now = rows[0]?.now ?? new Date();
  return { locked, changes, hasMoved: await putRetirements(tx, changes, now) };
}

/** Like `changeWithin`, in a transaction of its own. */
function change(ctx: EngineContext, named: Named, decide: Decide) {
  const { projectId } = named;
  return ctx.db.transaction(async (tx) => {
    const changed = await changeWithin(ctx, tx, named, decide);
    if (changed.hasMoved) {
      await bumpRegistry(tx, { projectId });
      tx.afterCommit(() => {
        ctx.bus.emit('registry.changed', { projectId });
        ctx.bus.emit('work.due', { inMs: 0 });
      });
    }
    return changed;
  });
}

/**
 * Retires the workflows that runners dropped from their lists, unless another live runner serves
 * them (T2). For a registration, within its transaction. Returns the retired ones.
 */
export async function retireDropped(ctx: EngineContext, tx: Queryable, dropped: Named): Promise<WorkflowRef[]> {
  if (dropped.workflows.length === 0) return [];
  const { changes } = await changeWithin(ctx, tx, dropped, ({ retiredAt }, { isServed, now }) =>
    retiredAt || isServed ? undefined : { ...awake, retiredAt: now },
  );
  return changes.map(({ workflow: { app, name } }) => ({ app, name }));
}

/**
 * Judges the workflows of all projects by the live runners, at most a page: notes since when a
 * workflow is unserved, retires it after `workflowRetireMs`, and wakes it if it is served.
 */
export async function settleWorkflows(ctx: EngineContext): Promise<{ changed: number; again: boolean }> {
  const { workflowRetireMs: retireMs, runnerLivenessMs: livenessMs } = ctx.settings;
  const rows = await findUnsettled(ctx.db, { retireMs, livenessMs, limit: pageSize, now: ctx.clock.sql() });
  let changed = 0;
  for (const projectId of new Set(rows.map((row) => row.projectId))) {
    const workflows = rows.filter((row) => row.projectId === projectId);
    const { changes } = await change(ctx, { projectId, workflows }, (workflow, service) =>
      settled(workflow, service, retireMs),
    );
    changed += changes.length;
    for (const { workflow, next } of changes) announce(ctx, projectId, workflow, next);
  }
  return { changed, again: changed > 0 && rows.length === pageSize };
}

function announce({ log }: EngineContext, projectId: string, workflow: LockedWorkflow, next: Retirement): void {
  const fields = { projectId, app: workflow.app, workflow: workflow.name };
  if (next.retiredAt) log.info(fields, 'workflow retired: no live runner serves it');
  else if (workflow.retiredAt) log.info(fields, 'workflow woken: a live runner serves it');
}

/** A choice by hand. */
export interface HandCall extends WorkflowRef {
  projectId: string;
  /** The name of the caller's key. */
  actor: string | undefined;
}

/**
 * Retires a workflow by hand. While a live runner serves it, the choice is held: only a hand wakes
 * it again. A retired workflow stays as it is. Throws `notFound`. Returns whether it was changed.
 */
export const retireByHand = (ctx: EngineContext, call: HandCall): Promise<boolean> =>
  changeByHand(ctx, call, ({ retiredAt, heldByHand }, { isServed, now }) =>
    retiredAt && (heldByHand || !isServed)
      ? undefined
      : { ...awake, retiredAt: retiredAt ?? now, retiredBy: call.actor ?? null, heldByHand: isServed },
  );

/**
 * Restores a retired workflow by hand. If no live runner serves it, the choice is held: it stays
 * awake until a runner has served it. Throws `notFound`. Returns whether it was changed.
 */
export const restoreByHand = (ctx: EngineContext, call: HandCall): Promise<boolean> =>
  changeByHand(ctx, call, ({ retiredAt }, { isServed }) =>
    retiredAt ? { ...awake, heldByHand: !isServed } : undefined,
  );

async function changeByHand(ctx: EngineContext, { projectId, app, name }: HandCall, decide: Decide): Promise<boolean> {
  const { locked, changes } = await change(ctx, { projectId, workflows: [{ app, name }] }, decide);
  if (locked.length === 0) throw notFound(`workflow ${name} is not registered in app ${app}`);
  return changes.length > 0;
}
