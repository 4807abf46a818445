import type { EngineContext } from '../context.ts';
import { newId } from '../ids.ts';
import type { NewRun } from '../ingest/index.ts';
import type { Definition } from '../registry/definition.ts';

/** What a start has of its own; the rest follows from the definition. */
export type StartOf = Pick<
  NewRun,
  'triggerKind' | 'eventName' | 'eventId' | 'session' | 'runner' | 'depth' | 'tags' | 'input'
> &
  Partial<Pick<NewRun, 'dedupe' | 'parent' | 'onFailureOf'>>;

/** Prepares one new run per definition, each with its lane. */
export async function buildRuns(
  ctx: EngineContext,
  projectId: string,
  definitions: readonly Definition[],
  start: StartOf,
): Promise<NewRun[]> {
  if (definitions.length === 0) return [];
  const laneIds = await ctx.lanes.ensure(
    definitions.map(({ app, name }) => ({ projectId, app, workflow: name, runner: start.runner ?? '' })),
  );
  return definitions.map((definition, position) => {
    const laneId = laneIds[position];
    if (laneId === undefined) throw new Error('a lane was not made');
    const { app, name: workflow, version } = definition;
    const links = { parent: start.parent, onFailureOf: start.onFailureOf, dedupe: start.dedupe };
    return { ...start, ...links, runId: newId(), projectId, app, workflow, version, laneId };
  });
}
