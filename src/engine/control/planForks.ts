import type { StartCandidate } from '../admission/index.ts';
import type { EngineContext } from '../context.ts';
import { gatesOf, hasKeys, KeyedPayload, shapeOf } from '../flow/index.ts';
import { newId } from '../ids.ts';
import { RawJson, readJson } from '../json/index.ts';
import type { Definition } from '../registry/definition.ts';
import type { ProjectSnapshot } from '../registry/registry.ts';
import type { ForkChange, ForkSource } from './fork.ts';
import type { Fork } from './sql/forkRuns.ts';
import { loadInputs } from './sql/loadInputs.ts';

/** A fork on its way through flow control. */
export type ForkCandidate = StartCandidate & { fork: Omit<Fork, 'place' | 'startAt'> };

/** Inputs are up to 1 MiB each. */
const inputsAtOnce = 20;

/** Prepares a new run for each source whose workflow is registered, on the definition in force. */
export async function planForks(
  ctx: EngineContext,
  snapshot: ProjectSnapshot,
  sources: readonly ForkSource[],
  { input }: ForkChange,
): Promise<ForkCandidate[]> {
  const { projectId } = snapshot;
  const known = sources.flatMap((source) => {
    const definition = snapshot.workflow(source.app, source.workflow);
    return definition ? [{ source, definition }] : [];
  });
  const laneIds = await ctx.lanes.ensure(
    known.map(({ source: { app, workflow, runner } }) => ({ projectId, app, workflow, runner: runner ?? '' })),
  );
  const candidates: ForkCandidate[] = [];
  for (let from = 0; from < known.length; from += inputsAtOnce) {
    const page = known.slice(from, from + inputsAtOnce);
    const payloads = await payloadsOf(ctx, projectId, page, input);
    page.forEach(({ source, definition }, position) => {
      const laneId = laneIds[from + position];
      if (laneId === undefined) throw new Error('a lane was not made');
      const { payload, isFollowOn } = payloads.get(source.id) ?? {
        payload: new KeyedPayload(input),
        isFollowOn: false,
      };
      candidates.push(candidateOf(projectId, { source, definition, laneId, payload, isFollowOn }));
    });
  }
  return candidates;
}

interface Planned {
  source: ForkSource;
  definition: Definition;
  laneId: number;
  payload: KeyedPayload;
  isFollowOn: boolean;
}

function candidateOf(projectId: string, { source, definition, laneId, payload, isFollowOn }: Planned): ForkCandidate {
  const { app, name: workflow, version } = definition;
  const runId = newId();
  const shape = shapeOf(projectId, definition, payload);
  return {
    run: { runId, projectId, app, workflow },
    gates: gatesOf(definition, payload, isFollowOn ? 'followOn' : 'fork') ?? {},
    withheld: undefined,
    startAt: undefined,
    place: undefined,
    fork: { ...shape, sourceId: source.id, runId, version, laneId },
  };
}

/** Where policies look up their keys; nothing is read where none has a key. A follow-on run's is that of the failed run. */
async function payloadsOf(
  ctx: EngineContext,
  projectId: string,
  known: readonly { source: ForkSource; definition: Definition }[],
  input: RawJson | undefined,
): Promise<Map<string, { payload: KeyedPayload; isFollowOn: boolean }>> {
  const keyed = known.filter(({ definition }) => hasKeys(definition));
  if (keyed.length === 0) return new Map();
  const rows = await loadInputs(ctx.db, { projectId, runIds: keyed.map(({ source }) => source.id) });
  return new Map(
    rows.map((row) => {
      const isFollowOn = row.on_failure_of !== null;
      const given = input ?? RawJson.trusted(row.input);
      const data = isFollowOn ? readJson(given.text).raw('event', 'data') : given;
      return [row.id, { payload: new KeyedPayload(data), isFollowOn }];
    }),
  );
}
