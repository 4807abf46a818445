import type DataLoader from 'dataloader';
import {
  type ApprovalPayloads,
  type ApprovalRow,
  selectApprovalHeads,
  selectApprovalPayloads,
  selectApprovalRows,
  selectRunApprovals,
  selectStepApprovals,
} from '../../engine/approvals/index.ts';
import type { EngineContext } from '../../engine/context.ts';
import type { AnswerMeter } from './answerMeter.ts';
import { groupBy, limitKey, loadById, loadEach, perArguments, type RelatedKey } from './batch.ts';
import { HeadLoader } from './payloadHeads.ts';
import { byIds, PayloadLoader } from './payloadLoader.ts';

export type ApprovalPayload = 'args' | 'editedArgs';

interface StepRef {
  runId: string;
  index: number;
}

const stepRefName = ({ runId, index }: StepRef): string => `${runId} ${index}`;

export interface ApprovalLoaders {
  approval: DataLoader<string, ApprovalRow | undefined>;
  approvalPayload: PayloadLoader<string, ApprovalPayload, ApprovalPayloads, string | null>;
  approvalHead: HeadLoader<{ id: string }, ApprovalPayload>;
  /** By run; the run must be of this project. */
  runApprovals: DataLoader<RelatedKey, ApprovalRow[] | undefined, string>;
  /** By step. */
  stepApproval: DataLoader<StepRef, ApprovalRow | undefined, string>;
}

export const createApprovalLoaders = (
  { db }: EngineContext,
  projectId: string,
  meter: AnswerMeter,
): ApprovalLoaders => ({
  approval: loadById(async (ids) => {
    return new Map((await selectApprovalRows(db, { projectId, ids })).map((row) => [row.id, row]));
  }),
  approvalPayload: new PayloadLoader(
    meter,
    byIds(['args', 'editedArgs'], (ids, wanted, maxBytes) =>
      selectApprovalPayloads(db, { projectId, ids, ...wanted, maxBytes }),
    ),
  ),
  approvalHead: new HeadLoader(
    meter,
    ({ id }) => id,
    (wanted) => selectApprovalHeads(db, { projectId, wanted }),
  ),
  stepApproval: loadEach(async (steps) => {
    const rows = await selectStepApprovals(db, { projectId, steps });
    return new Map(rows.map((row) => [stepRefName({ runId: row.runId, index: row.stepIndex }), row]));
  }, stepRefName),
  runApprovals: perArguments(limitKey, async (runIds, { limit }) =>
    groupBy(await selectRunApprovals(db, { projectId, runIds, limit }), (row) => row.runId),
  ),
});
