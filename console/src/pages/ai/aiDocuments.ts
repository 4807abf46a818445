import { graphql } from '../../data/graphql.ts';

export const spendDocument = graphql(`
  query Spend($app: String, $workflow: String, $model: String, $since: DateTime!, $bucket: Int!) {
    aiSpend(app: $app, workflow: $workflow, model: $model, since: $since, bucket: $bucket) {
      totals {
        calls
        cost
        tokens
        tokensIn
        tokensOut
        cacheEligible
        cacheHits
        unknown
        avgLatencyMs
      }
      byHourAndModel {
        bucket
        model
        calls
        tokens
        cost
      }
      byModel {
        model
        calls
        cost
        tokensIn
        tokensOut
        cacheEligible
        cacheHits
        unknown
      }
      byWorkflow {
        app
        workflow
        calls
        cost
        tokens
      }
    }
  }
`);

export const spendersDocument = graphql(`
  query Spenders($app: String, $workflow: String, $model: String, $since: DateTime!) {
    aiSpend(app: $app, workflow: $workflow, model: $model, since: $since) {
      bySession(limit: 10) {
        session
        calls
        cost
        tokens
      }
      byRun(limit: 10) {
        runId
        calls
        cost
        tokens
        run {
          workflow
          status
          createdAt
        }
      }
    }
  }
`);

export const aiBudgetsDocument = graphql(`
  query AiBudgets($app: String, $workflow: String) {
    flowState(app: $app, workflow: $workflow) {
      budgets {
        app
        workflow
        cost
        maxCost
        tokens
        maxTokens
        windowMs
        paused
        warnedAt
        exceededAt
        resumesAt
      }
    }
  }
`);
