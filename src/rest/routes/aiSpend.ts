import { bucketWidth, text, timestamp } from '../declare/parameters.ts';
import { documentRoute } from '../declare/route.ts';

const figures = 'calls tokensIn tokensOut tokens cost cacheHits cacheEligible unknown';

/** 4.4 */
export const aiSpend = documentRoute({
  method: 'GET',
  path: '/ai/spend',
  scope: 'read',
  group: 'runs',
  summary: 'Get the spend of AI steps: total, by time, by model, by workflow',
  parameters: {
    app: text('Only calls of this app.'),
    workflow: text('Only calls of this workflow.'),
    model: text('Only calls of exactly this model.'),
    since: timestamp('Only calls recorded at or after this time.'),
    until: timestamp('Only calls recorded before this time.'),
    bucket: bucketWidth,
  },
  document: /* GraphQL */ `
    query AiSpend(
      $app: String, $workflow: String, $model: String, $since: DateTime, $until: DateTime, $bucket: Int
    ) {
      aiSpend(app: $app, workflow: $workflow, model: $model, since: $since, until: $until, bucket: $bucket) { ...AiSpend }
    }
    fragment AiSpend on AiSpend {
      totals { ...AiSpendTotals }
      byHour { ...AiSpendByHour }
      byModel { ...AiSpendByModel }
      byWorkflow { ...AiSpendByWorkflow }
    }
    fragment AiSpendTotals on AiSpendTotals { ${figures} avgLatencyMs }
    fragment AiSpendByHour on AiSpendByHour { bucket ${figures} }
    fragment AiSpendByModel on AiSpendByModel { model ${figures} avgLatencyMs }
    fragment AiSpendByWorkflow on AiSpendByWorkflow { app workflow ${figures} }`,
  variables: ({ query }) => query,
  success: { status: 200, at: ['aiSpend'] },
});
