import type { EngineContext } from '../engine/context.ts';
import { HoldfastError } from '../engine/errors.ts';
import { ensureDefaultProject, getProject, type Project } from '../engine/projects/index.ts';
import { CliError } from './cliError.ts';

/** Finds the project of an option by id or name. Creates the project `default` if it is missing. */
export async function findProject(engine: EngineContext, ref: string): Promise<Project> {
  if (ref === 'default') return ensureDefaultProject(engine);
  try {
    return await getProject(engine, ref);
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    throw new CliError(`project ${JSON.stringify(ref)} not found: "holdfast projects list" lists all`);
  }
}
