import type DataLoader from 'dataloader';
import {
  type ApprovalRow,
  selectApprovalPayloads,
  selectApprovalRows,
  selectRunApprovals,
} from '../../engine/approvals/reads/index.ts';
import type { EngineContext } from '../../engine/context.ts';
import type { AnswerMeter } from '../answerMeter.ts';
import { groupBy, loadById } from './batch.ts';
import { type ColumnKey, loadColumns } from './columns.ts';
import { limitKey, perArguments, type RelatedKey } from './perArguments.ts';

export type ApprovalPayload = 'args' | 'editedArgs';

export interface ApprovalLoaders {
  approval: DataLoader<string, ApprovalRow | undefined>;
  approvalPayload: DataLoader<ColumnKey<ApprovalPayload>, string | null | undefined, string>;
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
  approvalPayload: loadColumns<ApprovalPayload, string | null>(async (ids, wants) => {
    const wanted = { args: wants('args'), editedArgs: wants('editedArgs') };
    const rows = await selectApprovalPayloads(db, { projectId, ids, ...wanted });
    meter.load(rows.flatMap(({ args, editedArgs }) => [args, editedArgs]));
    return new Map(rows.map((row) => [row.id, row]));
  }),
  runApprovals: perArguments(limitKey, async (runIds, { limit }) =>
    groupBy(await selectRunApprovals(db, { projectId, runIds, limit }), (row) => row.runId),
  ),
});
