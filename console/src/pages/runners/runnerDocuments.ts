import { graphql } from '../../data/graphql.ts';

export const runnersDocument = graphql(`
  query Runners($app: String) {
    runners(app: $app) {
      ...RunnerRow
    }
  }
  fragment RunnerRow on Runner {
    id
    app
    runnerId
    live
    lastSeenAt
    sdkName
    version
    runtime
    framework
    language
    region
    maxInFlight
    inFlight
    transport
    registeredAt
    workflows
    url
  }
`);

export const appsDocument = graphql(`
  query AppsOfRunners {
    appPage(first: 100) {
      nodes {
        name
      }
    }
  }
`);
