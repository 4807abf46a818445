import { KeyedPayload, type Origin } from '../flow/index.ts';
import { flowOf } from '../flow/policies/index.ts';
import { newId } from '../ids.ts';
import type { RawJson } from '../json/index.ts';
import type { Definition, LaneMaker } from '../model/index.ts';
import type { NewRun } from './newRun.ts';

/** The fields of a start. The other fields of the run come from the definition. */
export type StartOf = Pick<
  NewRun,
  'triggerKind' | 'eventName' | 'eventId' | 'session' | 'runner' | 'depth' | 'tags' | 'input'
> &
  Partial<Pick<NewRun, 'dedupe' | 'dedupeId' | 'parent' | 'onFailureOf' | 'events' | 'envelope' | 'receivedAt'>> & {
    /** Decides which policies may withhold the start. */
    origin: Origin;
    /** The payload in which policies look up their keys. Default: the input. */
    keyed?: RawJson | undefined;
  };

/** Prepares one new run per definition, with its lane, its queue columns and its gates. */
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
    if (laneId === undefined) throw new Error('a lane was not created');
    const { app, name: workflow, version } = definition;
    const { parent, onFailureOf, dedupe, events } = start;
    return {
      ...start,
      ...{ parent, onFailureOf, dedupe, events },
      ...flowOf(definition, payload, { projectId, origin }),
      ...{ runId: newId(), projectId, app, workflow, version, laneId },
      ...{ singleton: undefined, startAt: undefined },
    };
  });
}
