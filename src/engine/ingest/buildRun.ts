import { gatesOf, KeyedPayload, type Origin, shapeOf } from '../flow/index.ts';
import { newId } from '../ids.ts';
import type { RawJson } from '../json/index.ts';
import type { Definition, LaneMaker } from '../model/index.ts';
import type { NewRun } from './newRun.ts';

/** What a start has of its own; the rest follows from the definition. */
export type StartOf = Pick<
  NewRun,
  'triggerKind' | 'eventName' | 'eventId' | 'session' | 'runner' | 'depth' | 'tags' | 'input'
> &
  Partial<Pick<NewRun, 'dedupe' | 'parent' | 'onFailureOf' | 'events' | 'receivedAt'>> & {
    /** Decides which policies may hold the start back. */
    origin: Origin;
    /** Where policies look up their keys; undefined: in the input. */
    keyed?: RawJson | undefined;
  };

/**
 * Prepares one new run per definition, each with its lane, its place in the queue and the gates
 * that it has to pass.
 */
export async function buildRuns(
  { lanes }: { lanes: LaneMaker },
  projectId: string,
  definitions: readonly Definition[],
  { origin, keyed, ...start }: StartOf,
): Promise<NewRun[]> {
  if (definitions.length === 0) return [];
  const laneIds = await lanes.ensure(
    definitions.map(({ app, name }) => ({ projectId, app, workflow: name, runner: start.runner ?? '' })),
  );
  const payload = new KeyedPayload(keyed ?? start.input);
  return definitions.map((definition, position) => {
    const laneId = laneIds[position];
    if (laneId === undefined) throw new Error('a lane was not made');
    const { app, name: workflow, version } = definition;
    const { parent, onFailureOf, dedupe, events } = start;
    return {
      ...start,
      ...{ parent, onFailureOf, dedupe, events },
      ...shapeOf(projectId, definition, payload),
      ...{ runId: newId(), projectId, app, workflow, version, laneId },
      ...{ gates: gatesOf(definition, payload, origin), place: undefined, startAt: undefined },
    };
  });
}
