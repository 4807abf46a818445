import type { EngineContext } from '../context.ts';
import { KeyedPayload, type StartCandidate } from '../flow/index.ts';
import { flowOf, hasKeys } from '../flow/policies/index.ts';
import { newId } from '../ids.ts';
import { RawJson, readJson } from '../json/index.ts';
import type { Definition, ProjectSnapshot } from '../model/index.ts';
import type { RunRow } from '../runs/index.ts';
import type { Fork } from './sql/forkRuns.ts';
import { loadInputs } from './sql/loadInputs.ts';

/** The ended run that is forked. */
export type ForkSource = Pick<RunRow, 'id' | 'app' | 'workflow' | 'runner' | 'onFailureOf'>;

export interface ForkChange {
  /** Replaces the input. */
  input?: RawJson | undefined;
  /** Copy the settled steps before this index. Only for a single source. */
  boundary?: number | undefined;
  /** Whether the fork is the whole call. It is refused if its `singleton` is taken. */
  isAlone?: boolean;
}

/** A fork on its way through flow control. */
export type ForkCandidate = StartCandidate & { fork: Omit<Fork, 'singleton' | 'startAt'> };

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
      const payload = payloads.get(source.id) ?? new KeyedPayload(input);
      candidates.push(candidateOf(projectId, { source, definition, laneId, payload }));
    });
  }
  return candidates;
}

interface Planned {
  source: ForkSource;
  definition: Definition;
  laneId: number;
  payload: KeyedPayload;
}

function candidateOf(projectId: string, { source, definition, laneId, payload }: Planned): ForkCandidate {
  const { app, name: workflow, version } = definition;
  const runId = newId();
  const origin = isFollowOn(source) ? 'followOn' : 'fork';
  const { gates, ...shape } = flowOf(definition, payload, { projectId, origin });
  return {
    run: { runId, projectId, app, workflow },
    gates: gates ?? {},
    withheld: undefined,
    startAt: undefined,
    singleton: undefined,
    fork: { ...shape, sourceId: source.id, runId, version, laneId },
  };
}

const isFollowOn = ({ onFailureOf }: ForkSource): boolean => onFailureOf !== null;

/**
 * The payloads in which policies look up their keys; none are read if no policy has a key. A
 * follow-on run's payload is that of the failed run.
 */
async function payloadsOf(
  ctx: EngineContext,
  projectId: string,
  known: readonly { source: ForkSource; definition: Definition }[],
  input: RawJson | undefined,
): Promise<Map<string, KeyedPayload>> {
  const keyed = known.filter(({ definition }) => hasKeys(definition));
  if (keyed.length === 0) return new Map();
  const sources = new Map(keyed.map(({ source }) => [source.id, source]));
  const rows = await loadInputs(ctx.db, { projectId, runIds: [...sources.keys()] });
  return new Map(
    rows.map((row) => {
      const source = sources.get(row.id);
      const given = input ?? RawJson.trusted(row.input);
      const data = source && isFollowOn(source) ? readJson(given.text).raw('event', 'data') : given;
      return [row.id, new KeyedPayload(data)];
    }),
  );
}
