import { instant, numeric, statement, text, uuid } from '../../../../db/index.ts';
import { nowUs } from '../../../index.ts';
import { debited, tokenPolicy } from '../tokenBucket.ts';

const inForce = { perMs: 'per_ms', tokens: 'tokens', count: '$spent' };

/**
 * Takes the tokens that a run's AI steps have spent out of its bucket, if the workflow has one in
 * force. It is the last lock of the transaction that records the spend, so other debits of the
 * bucket wait for that commit only. It comes after `keepPolicies`: a registration that changes the
 * bucket has come before, or carries this debit over.
 */
export const debitTokens = statement<never>('debitTokens').writes({
  params: {
    now: instant,
    projectId: uuid,
    app: text,
    workflow: text,
    /** The run that spent them: it knows its scope from its start, unless the policy is younger. */
    runId: uuid,
    spent: numeric,
  },
  text: `
    with bucket as materialized (
      select (flow_control -> '${tokenPolicy}' ->> 'tokens')::numeric as tokens,
        (flow_control -> '${tokenPolicy}' ->> 'perMs')::numeric as per_ms
      from workflow
      where project_id = $projectId and app = $app and name = $workflow and (flow_control -> '${tokenPolicy}') is not null
    )
    insert into flow_rate as f (project_id, policy, app, workflow, key, arrival_us)
    select $projectId, '${tokenPolicy}', $app, $workflow, coalesce((select token_key from run_work where run_id = $runId), ''),
      ${debited({ tat: '0', now: nowUs, ...inForce })}
    from bucket
    on conflict (project_id, policy, app, workflow, key) do update set arrival_us = (
      select ${debited({ tat: 'f.arrival_us', now: nowUs, ...inForce })} from bucket)
  `,
});
