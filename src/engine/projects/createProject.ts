import type { EngineContext } from '../context.ts';
import { HoldfastError } from '../errors.ts';
import { newId } from '../ids.ts';
import { checkCeiling, checkName } from './fields.ts';
import type { Project } from './project.ts';
import { findProject } from './sql/findProject.ts';
import { insertProject } from './sql/insertProject.ts';

export interface NewProject {
  name: string;
  /** Runs that may execute at once; 0, the default, is unlimited. */
  concurrencyCeiling?: number | undefined;
}

export const projectNameInUse = (): HoldfastError => new HoldfastError('conflict', 'project name already in use');

/** Creates a project. Throws `invalid` naming the field, or `conflict` when the name is taken. */
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

/** The project `default`, created unless it exists. Any number of processes may call it at once. */
export async function ensureDefaultProject(ctx: EngineContext): Promise<Project> {
  const byName = { name: defaultName };
  const [known] = await findProject(ctx.db, byName);
  if (known) return known;
  const [created] = await insertProject(ctx.db, { id: newId(), name: defaultName, concurrencyCeiling: 0 });
  const [project] = created ? [created] : await findProject(ctx.db, byName);
  if (!project) throw new Error('the default project was renamed while it was being created');
  return project;
}
