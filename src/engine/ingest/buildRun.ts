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
  Partial<
    Pick<
      NewRun,
      | 'dedupe'
      | 'dedupeId'
      | 'parent'
      | 'onFailureOf'
      | 'events'
      | 'envelope'
      | 'receivedAt'
      | 'startedBy'
      | 'notBefore'
      | 'ttlMs'
    >
  > & {
    /** Decides which policies may withhold the start. */
    origin: Origin;
    /** The payload in which policies look up their keys. Default: the input. */
    keyed?: RawJson | undefined;
  };

/** All fields are named, also the optional ones. */
type Complete<T> = { [Key in keyof Required<T>]: T[Key] };

/** Prepares one new run per definition, with its lane, its queue columns and its gates. */
export async function buildRuns(
  { lanes }: { lanes: LaneMaker },
  projectId: string,
  definitions: readonly Definition[],
  start: StartOf,
): Promise<NewRun[]> {
  if (definitions.length === 0) return [];
  const laneIds = await lanes.ensure(
    definitions.map(({ app, name }) => ({ projectId, app, workflow: name, runner: start.runner ?? '' })),
  );
  const payload = new KeyedPayload(start.keyed ?? start.input);
  return definitions.map((definition, position) => {
    const laneId = laneIds[position];
    if (laneId === undefined) throw new Error('a lane was not created');
    const flow = flowOf(definition, payload, { projectId, origin: start.origin });
    // One literal: spreads would allocate ten times as much, in every start.
    const run: Complete<NewRun> = {
      runId: newId(),
      projectId,
      app: definition.app,
      workflow: definition.name,
      version: definition.version,
      laneId,
      triggerKind: start.triggerKind,
      eventName: start.eventName,
      eventId: start.eventId,
      dedupeId: start.dedupeId,
      dedupe: start.dedupe,
      session: start.session,
      runner: start.runner,
      depth: start.depth,
      tags: start.tags,
      input: start.input,
      receivedAt: start.receivedAt,
      events: start.events,
      envelope: start.envelope,
      startedBy: start.startedBy,
      parent: start.parent,
      onFailureOf: start.onFailureOf,
      slot: flow.slot,
      slotScope: flow.slotScope,
      shiftMs: flow.shiftMs,
      tokenScope: flow.tokenScope,
      maxDurationMs: flow.maxDurationMs,
      cancellable: flow.cancellable,
      gates: flow.gates,
      singleton: undefined,
      notBefore: start.notBefore,
      ttlMs: start.ttlMs,
      startAt: start.notBefore,
      owedTurn: undefined,
    };
    return run;
  });
}
