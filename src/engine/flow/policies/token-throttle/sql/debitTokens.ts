import { instant, numeric, statement, text, uuid } from '../../../../db/index.ts';
import { nowUs } from '../../../index.ts';
import { debited, tokenPolicy } from '../tokenBucket.ts';

const inForce = { perMs: 'per_ms', tokens: 'tokens', count: '$spent' };

/**
 * Debits the tokens of a run's AI steps from its bucket, if the workflow has one. The bucket is the
 * last lock of the transaction that records the spend. So other debits wait only for that commit.
 * `keepPolicies` precedes it: a registration that changes the bucket has committed before, or
 * carries this debit over.
 */
export const debitTokens = statement<never>('debitTokens').writes({
  params: {
    now: instant,
    projectId: uuid,
    app: text,
    workflow: text,
    /**
     * The run that spent the tokens. Its row has the scope, unless the policy is newer than the
     * run.
     */
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
