import { statement } from '../../db/statement.ts';
import { nowUs } from '../gcra.ts';
import { debited, tokenPolicy } from '../tokenBucket.ts';

interface Params {
  projectId: string;
  app: string;
  workflow: string;
  /** The run that spent them: it knows its scope from its start, unless the policy is younger. */
  runId: string;
  spent: number;
  tokens: number;
  perMs: number;
  now: Date | null;
}

/**
 * Takes what a run's AI steps have spent out of its bucket. In the transaction that records the spend, as the last lock of it:
 * who debits the same bucket waits for no more than that commit.
 */
export const debitTokens = statement<Params, never>({
  name: 'debitTokens',
  writes: true,
  text: `
    insert into flow_rate as f (project_id, policy, app, workflow, key, arrival_us)
    select $2::uuid, '${tokenPolicy}', $3::text, $4::text, coalesce((select token_key from run_work where run_id = $5::uuid), ''),
      ${debited({ tat: '0', now: nowUs('$1'), perMs: '$8::numeric', tokens: '$7::numeric', count: '$6::numeric' })}
    on conflict (project_id, policy, app, workflow, key) do update set arrival_us =
      ${debited({ tat: 'f.arrival_us', now: nowUs('$1'), perMs: '$8::numeric', tokens: '$7::numeric', count: '$6::numeric' })}
  `,
  values: ({ projectId, app, workflow, runId, spent, tokens, perMs, now }) => [
    now,
    projectId,
    app,
    workflow,
    runId,
    spent,
    tokens,
    perMs,
  ],
});
