import { statement } from '../../db/index.ts';
import { nowUs } from '../gcra.ts';
import { debited, tokenPolicy } from '../tokenBucket.ts';

const inForce = { perMs: 'per_ms', tokens: 'tokens', count: '$6::numeric' };

interface Params {
  projectId: string;
  app: string;
  workflow: string;
  /** The run that spent them: it knows its scope from its start, unless the policy is younger. */
  runId: string;
  spent: number;
  now: Date | null;
}

/**
 * Takes what a run's AI steps have spent out of its bucket, if the workflow has one in force. In the transaction that records the spend,
 * as the last lock of it: who debits the same bucket waits for no more than that commit. After `keepPolicies`: a registration that changes
 * the bucket has come before, or carries over what this writes.
 */
export const debitTokens = statement<Params, never>({
  name: 'debitTokens',
  writes: true,
  text: `
    with bucket as materialized (
      select (flow_control -> '${tokenPolicy}' ->> 'tokens')::numeric as tokens,
        (flow_control -> '${tokenPolicy}' ->> 'perMs')::numeric as per_ms
      from workflow
      where project_id = $2::uuid and app = $3::text and name = $4::text and (flow_control -> '${tokenPolicy}') is not null
    )
    insert into flow_rate as f (project_id, policy, app, workflow, key, arrival_us)
    select $2::uuid, '${tokenPolicy}', $3::text, $4::text, coalesce((select token_key from run_work where run_id = $5::uuid), ''),
      ${debited({ tat: '0', now: nowUs('$1'), ...inForce })}
    from bucket
    on conflict (project_id, policy, app, workflow, key) do update set arrival_us = (
      select ${debited({ tat: 'f.arrival_us', now: nowUs('$1'), ...inForce })} from bucket)
  `,
  values: ({ projectId, app, workflow, runId, spent, now }) => [now, projectId, app, workflow, runId, spent],
});
