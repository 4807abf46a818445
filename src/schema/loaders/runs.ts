import type DataLoader from 'dataloader';
import { type RunUsage, sumRunUsage } from '../../engine/ai/index.ts';
import type { EngineContext } from '../../engine/context.ts';
import { diagnoseRuns, type RunDiagnosis, type RunWait, readWaiting } from '../../engine/diagnosis/index.ts';
import { type LaneState, readRunLanes } from '../../engine/inference/index.ts';
import {
  type FoundLogRow,
  type LogQuery,
  type RelatedRun,
  type RunPayloads,
  type RunRow,
  readLogs,
  readWaits,
  type ScoreRow,
  selectChildRuns,
  selectReplayRuns,
  selectRunHeads,
  selectRunPayloads,
  selectRunRows,
  selectRunScores,
  selectRunSeqs,
  type WaitingFor,
} from '../../engine/runs/index.ts';
import type { AnswerMeter } from './answerMeter.ts';
import { groupBy, limitKey, loadById, loadEach, perArguments, type RelatedKey } from './batch.ts';
import { HeadLoader } from './payloadHeads.ts';
import { byIds, PayloadLoader, readPayloads } from './payloadLoader.ts';

export type RunPayload = 'input' | 'result' | 'error';
export type LogsKey = RelatedKey & LogQuery;

export interface RunLoaders {
  run: DataLoader<string, RunRow | undefined>;
  /** Why a run does not execute; undefined if it does. */
  waitingFor: DataLoader<string, WaitingFor | undefined>;
  /** All causes for which a run does not move; undefined if it executes or has ended. */
  waiting: DataLoader<string, RunWait[] | undefined>;
  diagnosis: DataLoader<RunRow, RunDiagnosis | undefined, string>;
  /** The lane in which the call of a run waits; undefined if it has none. */
  inferenceLane: DataLoader<string, LaneState | undefined>;
  /** What the model calls of a run used; undefined if it made none. */
  runUsage: DataLoader<string, RunUsage | undefined>;
  /** The number of the last frame of a run. */
  runSeq: DataLoader<string, number | undefined>;
  runPayload: PayloadLoader<string, RunPayload, RunPayloads, string | null>;
  runHead: HeadLoader<{ id: string }, 'input' | 'result'>;
  logs: DataLoader<LogsKey, FoundLogRow[] | undefined, string>;
  children: DataLoader<RelatedKey, RelatedRun[] | undefined, string>;
  replays: DataLoader<RelatedKey, RelatedRun[] | undefined, string>;
}

/**
 * Loaders of runs and of rows that belong to runs. Logs and waits carry no project: their run was
 * loaded before, and is of this project.
 */
export function createRunLoaders(engine: EngineContext, projectId: string, meter: AnswerMeter): RunLoaders {
  const { db } = engine;
  return {
    run: loadById(async (ids) => new Map((await selectRunRows(db, { projectId, ids })).map((row) => [row.id, row]))),
    waitingFor: loadById((ids) => readWaits(db, ids)),
    waiting: loadById((runIds) => readWaiting(engine, { projectId, runIds })),
    diagnosis: loadEach(
      (runs) => diagnoseRuns(engine, { projectId, runs }),
      ({ id }) => id,
    ),
    inferenceLane: loadById((runIds) => readRunLanes(engine, { projectId, runIds })),
    runUsage: loadById(
      async (runIds) => new Map((await sumRunUsage(db, { projectId, runIds })).map((row) => [row.runId, row])),
    ),
    runSeq: loadById(
      async (ids) => new Map((await selectRunSeqs(db, { projectId, ids })).map(({ id, seq }) => [id, seq])),
    ),
    runPayload: new PayloadLoader(
      meter,
      byIds(['input', 'result', 'error'], (ids, wanted, maxBytes) =>
        selectRunPayloads(db, { projectId, ids, ...wanted, maxBytes }),
      ),
    ),
    runHead: new HeadLoader(
      meter,
      ({ id }) => id,
      (wanted) => selectRunHeads(db, { projectId, wanted }),
    ),
    logs: perArguments(
      ({ runId: _, ...query }) => JSON.stringify(query),
      async (runIds, query) => {
        const rows = await readPayloads(meter, (maxBytes) => readLogs(engine, runIds, query, maxBytes));
        return groupBy(rows, (row) => row.runId);
      },
    ),
    children: perArguments(limitKey, async (ids, { limit }) =>
      groupBy(await selectChildRuns(db, { projectId, ids, limit }), (row) => row.of),
    ),
    replays: perArguments(limitKey, async (ids, { limit }) =>
      groupBy(await selectReplayRuns(db, { projectId, ids, limit }), (row) => row.of),
    ),
  };
}

export interface ScoreLoaders {
  /** By run; the run must be of this project. */
  runScores: DataLoader<RelatedKey, ScoreRow[] | undefined, string>;
}

export const createScoreLoaders = ({ db }: EngineContext, projectId: string, meter: AnswerMeter): ScoreLoaders => ({
  runScores: perArguments(limitKey, async (runIds, { limit }) => {
    const rows = await readPayloads(meter, (maxBytes) => selectRunScores(db, { projectId, runIds, limit, maxBytes }));
    return groupBy(rows, (row) => row.runId);
  }),
});
