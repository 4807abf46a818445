import { int, rowset, statement, uuid } from '../../db/index.ts';

interface Row {
  runId: string;
  stepIndex: number;
  claimNo: number;
}

/** The calls that ended, or that were claimed again. */
export const lostCalls = statement<Row>('lostCalls').reads({
  params: { calls: rowset({ runId: uuid, stepIndex: int, claimNo: int }) },
  text: `
    select k.run_id, k.step_index, k.claim_no
    from $calls as k
    left join lateral (
      select claim_no from inference_call c where c.run_id = k.run_id and c.step_index = k.step_index
    ) c on true
    where c.claim_no is distinct from k.claim_no
  `,
});
