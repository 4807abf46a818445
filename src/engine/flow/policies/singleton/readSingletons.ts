import type { EngineContext } from '../../../context.ts';
import { plannedRead } from '../../../longRead.ts';
import { Conditions } from '../../../paging/index.ts';
import { maxStateRows, type StateQuestion } from '../../index.ts';

/** An unfinished run that holds a `singleton`. */
export interface SingletonHolder {
  app: string;
  workflow: string;
  runId: string;
  /** When the run was created. */
  since: Date;
}

/** Holders that are examined: `run_work_singleton_idx` has neither app nor workflow. */
export const maxSingletons = 10_000;

/** Runs that hold a singleton, the oldest first, of the first `maxSingletons` that are found. */
export async function readSingletons(
  ctx: EngineContext,
  { projectId, workflow, app }: StateQuestion,
): Promise<SingletonHolder[]> {
  const where = new Conditions();
  const project = `${where.parameter(projectId)}::uuid`;
  where.add(`run.project_id = ${project}`);
  where.equal('run.workflow', workflow);
  where.equal('run.app', app);
  if (where.impossible) return [];
  const text = `
    select run.app, run.workflow, run.id as run_id, run.created_at as since
    from (
      select run_id from run_work where project_id = ${project} and singleton is not null limit ${maxSingletons}
    ) holder
    join run on run.id = holder.run_id
    where ${where.text} order by run.created_at, run.id limit ${maxStateRows}`;
  return plannedRead<SingletonHolder>(ctx, { text, values: where.values });
}
