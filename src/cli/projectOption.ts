import type { EngineContext } from '../engine/context.ts';
import { HoldfastError } from '../engine/errors.ts';
import { ensureDefaultProject, getProject, type Project } from '../engine/projects/index.ts';
import { CliError } from './cliError.ts';

/**
 * The project that an option names, by id or name. `default` is there as soon as it is asked for.
 */
export async function findProject(engine: EngineContext, ref: string): Promise<Project> {
  if (ref === 'default') return ensureDefaultProject(engine);
  try {
    return await getProject(engine, ref);
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    throw new CliError(
      `there is no project ${JSON.stringify(ref)}: "holdfast projects list" shows those that there are`,
    );
  }
}
