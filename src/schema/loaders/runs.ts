import type DataLoader from 'dataloader';
import type { EngineContext } from '../../engine/context.ts';
import {
  type LogFrameRow,
  type RelatedRun,
  type RunRow,
  type ScoreRow,
  selectChildRuns,
  selectReplayRuns,
  selectRunLogs,
  selectRunPayloads,
  selectRunRows,
  selectRunScores,
} from '../../engine/runs/index.ts';
import type { AnswerMeter } from './answerMeter.ts';
import {
  byId,
  type ColumnKey,
  groupBy,
  limitKey,
  loadById,
  loadColumns,
  perArguments,
  type RelatedKey,
  readPayloads,
} from './batch.ts';

export type RunPayload = 'input' | 'result' | 'error';
export interface LogsKey extends RelatedKey {
  from: number;
}

export interface RunLoaders {
  run: DataLoader<string, RunRow | undefined>;
  runPayload: DataLoader<ColumnKey<string, RunPayload>, string | null | undefined, string>;
  logs: DataLoader<LogsKey, LogFrameRow[] | undefined, string>;
  children: DataLoader<RelatedKey, RelatedRun[] | undefined, string>;
  replays: DataLoader<RelatedKey, RelatedRun[] | undefined, string>;
}

/**
 * Loaders of runs and what hangs off them. Logs carry no project: whoever loads them has got their
 * run, of this project.
 */
export function createRunLoaders(engine: EngineContext, projectId: string, meter: AnswerMeter): RunLoaders {
  const { db } = engine;
  return {
    run: loadById(async (ids) => new Map((await selectRunRows(db, { projectId, ids })).map((row) => [row.id, row]))),
    runPayload: loadColumns<string, RunPayload, string | null>(byId, async (ids, wants) => {
      const wanted = { input: wants('input'), result: wants('result'), error: wants('error') };
      const rows = await readPayloads(meter, (maxBytes) =>
        selectRunPayloads(db, { projectId, ids, ...wanted, maxBytes }),
      );
      return new Map(rows.map((row) => [row.id, row]));
    }),
    logs: perArguments(
      ({ from, limit }) => `${from} ${limit}`,
      async (runIds, { from, limit }) => {
        const pageBytes = engine.settings.limits.pageMaxBytes;
        const rows = await readPayloads(meter, (maxBytes) =>
          selectRunLogs(db, { runIds, from, limit, pageBytes, maxBytes }),
        );
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
  /** Of a run of this project. */
  runScores: DataLoader<RelatedKey, ScoreRow[] | undefined, string>;
}

export const createScoreLoaders = ({ db }: EngineContext, projectId: string, meter: AnswerMeter): ScoreLoaders => ({
  runScores: perArguments(limitKey, async (runIds, { limit }) => {
    const rows = await readPayloads(meter, (maxBytes) => selectRunScores(db, { projectId, runIds, limit, maxBytes }));
    return groupBy(rows, (row) => row.runId);
  }),
});
