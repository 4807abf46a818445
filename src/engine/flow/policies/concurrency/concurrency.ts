import { z } from 'zod';
import type { EngineContext } from '../../../context.ts';
import { notFound } from '../../../errors.ts';
import {
  count,
  digestOf,
  key,
  keyOfScope,
  maxStateRows,
  ofScope,
  type Policy,
  policyState,
  type ScopeKey,
} from '../../index.ts';
import { countExecuting } from './sql/countExecuting.ts';
import { listScopes } from './sql/listScopes.ts';
import { listUnkeyed } from './sql/listUnkeyed.ts';

/** The digest of a `concurrency` scope. */
export const slotOf = (projectId: string, app: string, workflow: string, scope: ScopeKey): string =>
  digestOf('concurrency', projectId, app, workflow, scope);

const maxGatedSlots = 2_000;

/** The maximum count of a queue. */
const maxWaiting = 1_000_000;

const state = policyState({
  field: 'scopes',
  description: 'Those in which something executes or waits, and those of policies without a key.',
  row: z
    .object({
      ...ofScope,
      limit: z.number(),
      inUse: z.number().describe('Executing runs.'),
      waiting: z.number().describe('Runs that could continue, but do not execute yet.'),
    })
    .meta({ title: 'FlowScopeState', description: 'A scope of `concurrency`.' }),
  async read(ctx, { projectId, workflow, app }) {
    const bounds = { maxGated: maxGatedSlots, maxCount: maxWaiting, limit: maxStateRows };
    const [rows, unkeyed] = await Promise.all([
      listScopes(ctx.db, { projectId, workflow, app, ...bounds }),
      listUnkeyed(ctx.db, { projectId, workflow, app, limit: maxStateRows }),
    ]);
    const scopes = rows.map((row) => ({ ...row, key: row.key === null ? undefined : keyOfScope(row.key) }));
    const isIdle = (idle: { app: string; workflow: string }): boolean =>
      !scopes.some((scope) => scope.key === undefined && scope.app === idle.app && scope.workflow === idle.workflow);
    const idleScopes = unkeyed.filter(isIdle).map((each) => ({ ...each, key: undefined, inUse: 0, waiting: 0 }));
    return [...scopes, ...idleScopes].slice(0, maxStateRows);
  },
});

/** 2.2 `concurrency`: the claim counts the executing runs of each scope, its slot. */
export const concurrency = {
  settings: z.strictObject({ limit: count, key }).meta({ title: 'FlowConcurrency' }),
  queued: ({ scope }, { projectId, app, workflow }) => ({
    slot: slotOf(projectId, app, workflow, scope),
    slotScope: scope,
  }),
  state,
} satisfies Policy<'concurrency'>;

/** A project's ceiling on executing runs, and how many execute now. 0: no ceiling. */
export interface CeilingState {
  limit: number;
  inUse: number;
}

/** Throws `notFound`. */
export async function readCeiling({ db }: EngineContext, projectId: string): Promise<CeilingState> {
  const [project] = await countExecuting(db, { projectId });
  if (!project) throw notFound('project not found');
  return { limit: project.limit, inUse: project.inUse };
}
