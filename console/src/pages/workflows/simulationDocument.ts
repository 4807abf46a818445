import { graphql } from '../../data/graphql.ts';

export const simulationDocument = graphql(`
  query Simulation(
    $app: String!
    $workflow: String!
    $flowControl: JSON
    $concurrencyCeiling: Int
    $since: DateTime
    $until: DateTime
  ) {
    simulateFlow(
      app: $app
      workflow: $workflow
      flowControl: $flowControl
      concurrencyCeiling: $concurrencyCeiling
      since: $since
      until: $until
    ) {
      since
      until
      isCapped
      gates {
        policy
        withheld
        delayed
        medianMs
        longestMs
      }
      starts {
        at
        outcome
        simulatedRun
        startedAt
        activeMs
        bufferedMs
        spacedMs
        queuedMs
      }
    }
  }
`);
