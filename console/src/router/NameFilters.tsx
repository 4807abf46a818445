import type { ReactNode } from 'react';
import { useKnownNames } from '../data/knownNames.ts';
import { TextFilter } from '../design/TextFilter.tsx';

interface NameFiltersProps {
  search: { app?: string | undefined; workflow?: string | undefined };
  onChange: (change: { app?: string | undefined; workflow?: string | undefined }) => void;
  /** The names that the list can be filtered by. */
  by: readonly ('app' | 'workflow')[];
}

/** Filters by app and workflow, which suggest the registered names; workflows are of the app. */
export function NameFilters({ search: { app, workflow }, onChange, by }: NameFiltersProps): ReactNode {
  const { apps, workflows } = useKnownNames(app);
  return (
    <>
      {by.includes('app') && (
        <TextFilter label="App" value={app} suggestions={apps} onSet={(value) => onChange({ app: value })} />
      )}
      {by.includes('workflow') && (
        <TextFilter
          label="Workflow"
          value={workflow}
          suggestions={workflows}
          onSet={(value) => onChange({ workflow: value })}
        />
      )}
    </>
  );
}
