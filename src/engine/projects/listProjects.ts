import type { EngineContext } from '../context.ts';
import { invalid, notFound } from '../errors.ts';
import { isId } from '../ids.ts';
import { pageSize } from './fields.ts';
import type { Project } from './project.ts';
import { findProject } from './sql/findProject.ts';
import { listProjectRows } from './sql/listProjectRows.ts';

export interface ProjectPage {
  /** Id of the last project of the page before. */
  after?: string | undefined;
  /** 1 to 1000, 100 by default. */
  limit?: number | undefined;
}

/** Projects, oldest first. */
export async function listProjects(ctx: EngineContext, { after, limit }: ProjectPage = {}): Promise<Project[]> {
  if (after !== undefined && !isId(after)) throw invalid('after: must be the id of a project');
  return listProjectRows(ctx.db, { after, limit: pageSize(limit, { byDefault: 100, max: 1000 }) });
}

/** One project by its id or its name. Throws `notFound`. */
export async function getProject(ctx: EngineContext, ref: string): Promise<Project> {
  const [project] = await findProject(ctx.db, isId(ref) ? { id: ref } : { name: ref });
  if (!project) throw notFound('project not found');
  return project;
}
