import type DataLoader from 'dataloader';
import type { EngineContext } from '../../engine/context.ts';
import {
  countRunSteps,
  type LogFrameRow,
  type RelatedRun,
  type RunRow,
  type StepPayloads,
  type StepRow,
  selectChildRuns,
  selectReplayRuns,
  selectRunLogs,
  selectRunPayloads,
  selectRunRows,
  selectRunSteps,
  selectStepPayloads,
} from '../../engine/runs/reads/index.ts';
import type { AnswerMeter } from '../answerMeter.ts';
import { groupBy, loadById } from './batch.ts';
import { type ColumnKey, loadColumns } from './columns.ts';
import { limitKey, perArguments, type RelatedKey } from './perArguments.ts';

export type RunPayload = 'input' | 'result' | 'error';
export type StepPayload = 'input' | 'output' | 'error' | 'ai';

/** The texts of one column of a run's steps, by `stepKey`. */
export type StepTexts = ReadonlyMap<string, string | null>;

export const stepKey = ({ index, attempt }: Pick<StepRow, 'index' | 'attempt'>): string => `${index}.${attempt}`;

export interface LogsKey extends RelatedKey {
  from: number;
}

export interface RunLoaders {
  run: DataLoader<string, RunRow | undefined>;
  runPayload: DataLoader<ColumnKey<RunPayload>, string | null | undefined, string>;
  stepCount: DataLoader<string, number | undefined>;
  steps: DataLoader<string, StepRow[] | undefined>;
  stepPayloads: DataLoader<ColumnKey<StepPayload>, StepTexts | undefined, string>;
  logs: DataLoader<LogsKey, LogFrameRow[] | undefined, string>;
  children: DataLoader<RelatedKey, RelatedRun[] | undefined, string>;
  replays: DataLoader<RelatedKey, RelatedRun[] | undefined, string>;
}

/**
 * Loaders of runs and what hangs off them. Steps and logs carry no project: whoever loads them has got their run, which is
 * of this project.
 */
export function createRunLoaders({ db }: EngineContext, projectId: string, meter: AnswerMeter): RunLoaders {
  return {
    run: loadById(async (ids) => new Map((await selectRunRows(db, { projectId, ids })).map((row) => [row.id, row]))),
    runPayload: loadColumns<RunPayload, string | null>(async (ids, wants) => {
      const wanted = { input: wants('input'), result: wants('result'), error: wants('error') };
      const rows = await selectRunPayloads(db, { projectId, ids, ...wanted });
      meter.load(rows.flatMap(({ input, result, error }) => [input, result, error]));
      return new Map(rows.map((row) => [row.id, row]));
    }),
    stepCount: loadById(async (runIds) => {
      return new Map((await countRunSteps(db, { runIds })).map((row) => [row.runId, row.steps]));
    }),
    steps: loadById(async (runIds) => groupBy(await selectRunSteps(db, { runIds }), (row) => row.runId)),
    stepPayloads: loadColumns<StepPayload, StepTexts>(async (runIds, wants) => {
      const wanted = { input: wants('input'), output: wants('output'), error: wants('error'), ai: wants('ai') };
      const rows = await selectStepPayloads(db, { runIds, ...wanted });
      meter.load(rows.flatMap(({ input, output, error, ai }) => [input, output, error, ai]));
      return textsByRun(rows);
    }),
    logs: perArguments(
      ({ from, limit }) => `${from} ${limit}`,
      async (runIds, { from, limit }) => groupBy(await selectRunLogs(db, { runIds, from, limit }), (row) => row.runId),
    ),
    children: perArguments(limitKey, async (ids, { limit }) =>
      groupBy(await selectChildRuns(db, { projectId, ids, limit }), (row) => row.of),
    ),
    replays: perArguments(limitKey, async (ids, { limit }) =>
      groupBy(await selectReplayRuns(db, { projectId, ids, limit }), (row) => row.of),
    ),
  };
}

function textsByRun(rows: readonly StepPayloads[]): Map<string, Readonly<Record<StepPayload, StepTexts>>> {
  const texts = (of: readonly StepPayloads[], column: StepPayload): StepTexts =>
    new Map(of.map((row) => [stepKey(row), row[column]]));
  const byRun = new Map<string, Readonly<Record<StepPayload, StepTexts>>>();
  for (const [runId, of] of groupBy(rows, (row) => row.runId)) {
    byRun.set(runId, {
      input: texts(of, 'input'),
      output: texts(of, 'output'),
      error: texts(of, 'error'),
      ai: texts(of, 'ai'),
    });
  }
  return byRun;
}
