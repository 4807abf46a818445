import type DataLoader from 'dataloader';
import type { EngineContext } from '../../engine/context.ts';
import {
  type ChildCounts,
  countChildRuns,
  type RelatedRun,
  selectBatchEvents,
  selectFailureHandlers,
  selectRootRuns,
  selectStartedRuns,
} from '../../engine/runs/index.ts';
import { groupBy, limitKey, loadById, perArguments, type RelatedKey } from './batch.ts';

/** Children of a run that are counted, at most. */
export const maxCountedChildren = 10_000;

export interface RunLinkLoaders {
  /** The id of the run at the top of the parents of a run. */
  rootRun: DataLoader<string, string | undefined>;
  failureHandler: DataLoader<RelatedKey, RelatedRun[] | undefined, string>;
  startedRuns: DataLoader<RelatedKey, RelatedRun[] | undefined, string>;
  /** The events of a batch, by run. */
  batchEvents: DataLoader<RelatedKey, { eventId: string }[] | undefined, string>;
  /** One child more than are counted tells that there are more. */
  childCounts: DataLoader<string, ChildCounts | undefined>;
}

/** Loaders of runs, events and counts that belong to runs of this project. */
export function createRunLinkLoaders({ db }: EngineContext, projectId: string): RunLinkLoaders {
  const related = (select: typeof selectStartedRuns) =>
    perArguments(limitKey, async (ids, { limit }) =>
      groupBy(await select(db, { projectId, ids, limit }), (row) => row.of),
    );
  return {
    rootRun: loadById(
      async (ids) => new Map((await selectRootRuns(db, { projectId, ids })).map(({ of, id }) => [of, id])),
    ),
    failureHandler: related(selectFailureHandlers),
    startedRuns: related(selectStartedRuns),
    batchEvents: perArguments(limitKey, async (ids, { limit }) =>
      groupBy(await selectBatchEvents(db, { projectId, ids, limit }), (row) => row.runId),
    ),
    childCounts: loadById(async (ids) => {
      const rows = await countChildRuns(db, { projectId, ids, limit: maxCountedChildren + 1 });
      return new Map(rows.map((row) => [row.runId, row]));
    }),
  };
}
