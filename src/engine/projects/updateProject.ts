import type { EngineContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { isId } from '../ids.ts';
import { projectNameInUse } from './createProject.ts';
import { checkCeiling, checkName } from './fields.ts';
import type { Project } from './project.ts';
import { changeProject } from './sql/changeProject.ts';

export interface ProjectChange {
  id: string;
  name?: string | undefined;
  concurrencyCeiling?: number | undefined;
  /** A suspended project starts no runs (8). */
  suspended?: boolean | undefined;
}

/**
 * Changes what is given of a project; from the commit on no process decides by the old values. Throws `invalid` naming
 * the field, `notFound`, or `conflict` when the name is taken.
 */
export async function updateProject(ctx: EngineContext, change: ProjectChange): Promise<Project> {
  const { id, name, concurrencyCeiling, suspended } = change;
  if (name !== undefined) checkName('name', name);
  if (concurrencyCeiling !== undefined) checkCeiling(concurrencyCeiling);
  if (!isId(id)) throw notFound('project not found');
  const project = await apply(ctx, change);
  ctx.bus.emit('registry.changed', { projectId: id });
  ctx.log.info({ projectId: id, name, concurrencyCeiling, suspended }, 'project changed');
  return project;
}

async function apply(ctx: EngineContext, change: ProjectChange): Promise<Project> {
  try {
    const [project] = await changeProject(ctx.db, { ...change, now: ctx.clock.sql() });
    if (!project) throw notFound('project not found');
    return project;
  } catch (error) {
    if (isUniqueViolation(error)) throw projectNameInUse();
    throw error;
  }
}

/** PostgreSQL's code for a broken unique constraint; the name is the only one that a change can break. */
const isUniqueViolation = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '23505';
