import type { EngineContext } from '../context.ts';
import { countWork, type WorkCount } from './sql/countWork.ts';

/** Unfinished runs of all projects by the state of their work, and by what they wait for. For operators: it reads the whole queue. */
export const queueDepths = (ctx: EngineContext): Promise<WorkCount[]> => countWork(ctx.db, { now: ctx.clock.sql() });
