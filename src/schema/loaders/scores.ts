import type DataLoader from 'dataloader';
import type { EngineContext } from '../../engine/context.ts';
import { type ScoreRow, selectRunScores } from '../../engine/runs/index.ts';
import type { AnswerMeter } from './answerMeter.ts';
import { groupBy, limitKey, perArguments, type RelatedKey } from './batch.ts';
import { readPayloads } from './readPayloads.ts';

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
