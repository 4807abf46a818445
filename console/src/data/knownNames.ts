import { useMemo } from 'react';
import { graphql } from './graphql.ts';
import { useRead } from './queries.ts';

export const knownNamesDocument = graphql(`
  query KnownNames($app: String) {
    apps: suggestions(kind: APP, limit: 1000)
    workflows: suggestions(kind: WORKFLOW, app: $app, limit: 1000)
  }
`);

/** Names to choose from, sorted and once each. */
export interface KnownNames {
  apps: string[];
  workflows: string[];
}

/** Apps, and names of workflows: of all apps, or of one. None before they are read. */
export function useKnownNames(app?: string): KnownNames {
  const { data, isOld } = useRead(knownNamesDocument, { app });
  // The workflows may still be those of another app.
  return useMemo(
    () => ({ apps: data?.apps.toSorted() ?? [], workflows: isOld ? [] : (data?.workflows.toSorted() ?? []) }),
    [data, isOld],
  );
}
