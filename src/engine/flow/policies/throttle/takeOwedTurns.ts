import type { EngineContext } from '../../../context.ts';
import type { Queryable } from '../../../db/index.ts';
import { keepPolicies } from '../../index.ts';
import { dueTurns } from './sql/dueTurns.ts';
import { giveTurns } from './sql/giveTurns.ts';
import { takeTurnsLock } from './sql/takeTurnsLock.ts';
import { turnsOf } from './throttle.ts';

type Due = Awaited<ReturnType<typeof dueTurns>>[number];

const pageSize = 500;

/**
 * Starts that their callers delayed take their turns when they are due, so a thousand starts for
 * the same time are spaced, too. The policy in force decides. Without one, the run starts at once.
 * Answers how many took their turns; call again while a page is full.
 */
export async function takeOwedTurns(ctx: EngineContext): Promise<number> {
  const due = await dueOf(ctx, ctx.db);
  let taken = 0;
  for (const projectId of new Set(due.map((run) => run.projectId))) {
    try {
      taken += await takeOf(ctx, projectId);
    } catch (error) {
      // The timers of all projects follow these turns, so none may stop them.
      ctx.log.warn({ error, projectId }, 'giving delayed starts their turns failed: retrying later');
    }
  }
  return taken;
}

const dueOf = (ctx: EngineContext, db: Queryable): Promise<Due[]> =>
  dueTurns(db, { limit: pageSize, now: ctx.clock.sql() });

/**
 * Locks policies, rates and runs, in the order of `carryOver`. The starts are read again under the
 * lock of the project, because another scheduler may have given them their turns meanwhile.
 */
function takeOf(ctx: EngineContext, projectId: string): Promise<number> {
  return ctx.db.transaction(async (tx) => {
    const [lock] = await takeTurnsLock(tx, { projectId });
    if (!lock?.isTaken) return 0;
    const due = (await dueOf(ctx, tx)).filter((run) => run.projectId === projectId);
    if (due.length === 0) return 0;
    await keepPolicies(tx, { workflows: due });
    const snapshot = await ctx.registry.snapshotWithin(tx, projectId);
    const policyOf = ({ app, workflow }: Due) => snapshot.workflow(app, workflow)?.flowControl?.throttle;
    const asks = due.flatMap((run) => {
      const policy = policyOf(run);
      return policy ? [{ candidate: { run }, policy: { ...policy, scope: run.scope } }] : [];
    });
    const turns = [
      ...due.flatMap((run) => (policyOf(run) ? [] : [{ runId: run.runId, at: undefined }])),
      ...(await turnsOf({ ctx, tx }, asks)).map(({ ask, at }) => ({ runId: ask.candidate.run.runId, at })),
    ];
    const given = await giveTurns(tx, { turns, now: ctx.clock.sql() });
    tx.afterCommit(() => {
      const first = Math.min(...given.map(({ startAt }) => startAt.getTime()));
      if (given.length > 0) ctx.bus.emit('work.due', { inMs: Math.max(0, first - ctx.clock.now().getTime()) });
    });
    return given.length;
  });
}
