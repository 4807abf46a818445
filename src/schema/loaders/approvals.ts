import type DataLoader from 'dataloader';
import {
  type ApprovalRow,
  selectApprovalPayloads,
  selectApprovalRows,
  selectRunApprovals,
} from '../../engine/approvals/index.ts';
import type { EngineContext } from '../../engine/context.ts';
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

export type ApprovalPayload = 'args' | 'editedArgs';

export interface ApprovalLoaders {
  approval: DataLoader<string, ApprovalRow | undefined>;
  approvalPayload: DataLoader<ColumnKey<string, ApprovalPayload>, string | null | undefined, string>;
  /** Of a run of this project. */
  runApprovals: DataLoader<RelatedKey, ApprovalRow[] | undefined, string>;
}

export const createApprovalLoaders = (
  { db }: EngineContext,
  projectId: string,
  meter: AnswerMeter,
): ApprovalLoaders => ({
  approval: loadById(async (ids) => {
    return new Map((await selectApprovalRows(db, { projectId, ids })).map((row) => [row.id, row]));
  }),
  approvalPayload: loadColumns<string, ApprovalPayload, string | null>(byId, async (ids, wants) => {
    const wanted = { args: wants('args'), editedArgs: wants('editedArgs') };
    const rows = await readPayloads(meter, (maxBytes) =>
      selectApprovalPayloads(db, { projectId, ids, ...wanted, maxBytes }),
    );
    return new Map(rows.map((row) => [row.id, row]));
  }),
  runApprovals: perArguments(limitKey, async (runIds, { limit }) =>
    groupBy(await selectRunApprovals(db, { projectId, runIds, limit }), (row) => row.runId),
  ),
});
