import { useMemo } from 'react';
import { graphql } from './graphql.ts';
import { useRead } from './queries.ts';

export const knownNamesDocument = graphql(`
  query KnownNames {
    workflowPage(first: 100) {
      nodes {
        app
        name
      }
    }
  }
`);

/** Names to choose from, sorted and once each. */
export interface KnownNames {
  apps: string[];
  workflows: string[];
}

/** The apps of the workflows, and the names of the workflows: of all apps, or of one. */
export const namesOf = (known: readonly { app: string; name: string }[], app?: string): KnownNames => ({
  apps: [...new Set(known.map((each) => each.app))].sort(),
  workflows: [...new Set(known.flatMap((each) => (app === undefined || each.app === app ? each.name : [])))].sort(),
});

/** Names of registered workflows and their apps, from the first 100. None before they are read. */
export function useKnownNames(app?: string): KnownNames {
  const { data } = useRead(knownNamesDocument, {});
  return useMemo(() => namesOf(data?.workflowPage.nodes ?? [], app), [data, app]);
}
