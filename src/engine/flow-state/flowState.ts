import { type BudgetState, readBudgets } from '../budgets/index.ts';
import type { EngineContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { keyOfScope, readTokenBuckets, type TokenBucketState } from '../flow/index.ts';
import { hasUnsupportedCharacter } from '../json/index.ts';
import { countExecuting } from './sql/countExecuting.ts';
import { listBuffers } from './sql/listBuffers.ts';
import { listDelayed } from './sql/listDelayed.ts';
import { listScopes } from './sql/listScopes.ts';
import { listUnkeyed } from './sql/listUnkeyed.ts';

/** How many runs execute in a scope of `concurrency`, and how many wait for it. */
export interface ScopeState {
  app: string;
  workflow: string;
  /** The value at the policy's key; undefined for the whole workflow. */
  key: string | undefined;
  limit: number;
  inUse: number;
  waiting: number;
}

export interface DebounceState {
  app: string;
  workflow: string;
  /** Starts that wait for quiet. */
  pending: number;
  nextFireAt: Date;
}

export interface BatchState {
  app: string;
  workflow: string;
  /** Events that wait for company. */
  buffered: number;
  oldestAt: Date;
}

export interface ThrottleState {
  app: string;
  workflow: string;
  key: string | undefined;
  /** Turns that lie ahead, those included that nobody will take because their run was cancelled. */
  delayed: number;
  nextStartAt: Date;
}

/** What waits where, now (4.9). Lists are bounded. */
export interface FlowState {
  /** The project's ceiling; 0 is unlimited. */
  concurrency: { limit: number; inUse: number };
  scopes: ScopeState[];
  debounce: DebounceState[];
  batch: BatchState[];
  throttle: ThrottleState[];
  tokenThrottle: TokenBucketState[];
  budgets: BudgetState[];
}

interface Question {
  projectId: string;
  /** Only workflows of this name. */
  workflow: string | undefined;
}

const maxRows = 1000;
const maxGatedSlots = 2_000;

/** A queue is counted up to this. */
const maxWaiting = 1_000_000;

/**
 * The live state of flow control of a project (4.9): lists of at most 1000, what is fullest first.
 * Throws `notFound`.
 */
export async function readFlowState(ctx: EngineContext, question: Question): Promise<FlowState> {
  const { projectId, workflow } = question;
  if (workflow !== undefined && hasUnsupportedCharacter(workflow)) return nothingOf(ctx, projectId);
  const [[project], scopes, buffers, delayed, tokenThrottle, budgets] = await Promise.all([
    countExecuting(ctx.db, { projectId }),
    readScopes(ctx, question),
    listBuffers(ctx.db, { projectId, workflow, limit: 2 * maxRows }),
    listDelayed(ctx.db, { projectId, workflow, limit: maxRows, now: ctx.clock.sql() }),
    readTokenBuckets(ctx, question),
    readBudgets(ctx, question),
  ]);
  if (!project) throw notFound('project not found');
  const ofPolicy = (policy: string) => buffers.filter((row) => row.policy === policy).slice(0, maxRows);
  return {
    concurrency: { limit: project.limit, inUse: project.inUse },
    scopes,
    debounce: ofPolicy('debounce').map((row) => ({
      app: row.app,
      workflow: row.workflow,
      pending: row.buffers,
      nextFireAt: row.firstFlushAt,
    })),
    batch: ofPolicy('batch').map((row) => ({
      app: row.app,
      workflow: row.workflow,
      buffered: row.items,
      oldestAt: row.oldestAt,
    })),
    throttle: delayed.map((row) => ({
      app: row.app,
      workflow: row.workflow,
      key: keyOfScope(row.key),
      delayed: row.delayed,
      nextStartAt: row.nextStartAt,
    })),
    tokenThrottle,
    budgets,
  };
}

/** Of a workflow whose name no column can hold there is nothing to tell. */
async function nothingOf(ctx: EngineContext, projectId: string): Promise<FlowState> {
  const [project] = await countExecuting(ctx.db, { projectId });
  if (!project) throw notFound('project not found');
  const concurrency = { limit: project.limit, inUse: project.inUse };
  return { concurrency, scopes: [], debounce: [], batch: [], throttle: [], tokenThrottle: [], budgets: [] };
}

/**
 * The one scope of a policy without a key is told of even when it is empty; of others there is no
 * end.
 */
async function readScopes(ctx: EngineContext, { projectId, workflow }: Question): Promise<ScopeState[]> {
  const bounds = { maxGated: maxGatedSlots, maxCount: maxWaiting, limit: maxRows };
  const [rows, unkeyed] = await Promise.all([
    listScopes(ctx.db, { projectId, workflow, ...bounds }),
    listUnkeyed(ctx.db, { projectId, workflow, limit: maxRows }),
  ]);
  const scopes = rows.map((row) => ({
    app: row.app,
    workflow: row.workflow,
    key: row.key === null ? undefined : keyOfScope(row.key),
    limit: row.limit,
    inUse: row.inUse,
    waiting: row.waiting,
  }));
  const isIdle = ({ app, workflow: name }: { app: string; workflow: string }): boolean =>
    !scopes.some((scope) => scope.key === undefined && scope.app === app && scope.workflow === name);
  const idle = unkeyed.filter(isIdle).map((each) => ({ ...each, key: undefined, inUse: 0, waiting: 0 }));
  return [...scopes, ...idle].slice(0, maxRows);
}
