import type { EngineContext } from '../context.ts';
import { errorCode } from '../db/index.ts';
import { HoldfastError, invalid, notFound } from '../errors.ts';
import { isId, newId } from '../ids.ts';
import { pageSize } from '../paging/index.ts';
import { checkCeiling, checkName, type Project } from './project.ts';
import { changeProject } from './sql/changeProject.ts';
import { findProject } from './sql/findProject.ts';
import { insertProject } from './sql/insertProject.ts';
import { listProjectRows } from './sql/listProjectRows.ts';

export interface NewProject {
  name: string;
  /** Runs that may execute at once; default 0, no limit. */
  concurrencyCeiling?: number | undefined;
}

const projectNameInUse = (): HoldfastError => new HoldfastError('conflict', 'project name already in use');

/** Creates a project. Throws `invalid` naming the field, or `conflict` if the name is taken. */
export async function createProject(ctx: EngineContext, input: NewProject): Promise<Project> {
  const { name, concurrencyCeiling = 0 } = input;
  checkName('name', name);
  checkCeiling(concurrencyCeiling);
  const [project] = await insertProject(ctx.db, { id: newId(), name, concurrencyCeiling });
  if (!project) throw projectNameInUse();
  ctx.log.info({ projectId: project.id, name }, 'project created');
  return project;
}

const defaultName = 'default';

/** The project `default`, created if missing. Many processes may call it at once. */
export async function ensureDefaultProject(ctx: EngineContext): Promise<Project> {
  const byName = { name: defaultName };
  const [known] = await findProject(ctx.db, byName);
  if (known) return known;
  const [created] = await insertProject(ctx.db, { id: newId(), name: defaultName, concurrencyCeiling: 0 });
  const [project] = created ? [created] : await findProject(ctx.db, byName);
  if (!project) throw new Error('the default project was renamed while it was being created');
  return project;
}

export interface ProjectPage {
  /** The id of the last project of the previous page. */
  after?: string | undefined;
  /** 1 to 1000; default 100. */
  limit?: number | undefined;
}

/** Projects, oldest first. */
export async function listProjects(ctx: EngineContext, { after, limit }: ProjectPage = {}): Promise<Project[]> {
  if (after !== undefined && !isId(after)) throw invalid('after: must be the id of a project');
  return listProjectRows(ctx.db, { after, limit: pageSize(limit, 'limit') });
}

/** A project by its id or name. Throws `notFound`. */
export async function getProject(ctx: EngineContext, ref: string): Promise<Project> {
  const [project] = await findProject(ctx.db, isId(ref) ? { id: ref } : { name: ref });
  if (!project) throw notFound('project not found');
  return project;
}

export interface ProjectChange {
  id: string;
  name?: string | undefined;
  concurrencyCeiling?: number | undefined;
  /** A suspended project starts no runs (8). */
  suspended?: boolean | undefined;
}

/**
 * Changes the given fields of a project. After the commit, no process decides by the old values.
 * Throws `invalid` naming the field, `notFound`, or `conflict` if the name is taken.
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
    // The name is the only unique column that a change can violate.
    if (errorCode(error) === '23505') throw projectNameInUse();
    throw error;
  }
}
