import type { ReactNode } from 'react';
import { Facts, Meter, Panel } from '../../design/index.ts';

/** The ceiling of the project: how many runs of all workflows execute at once. */
export function Ceiling({ ceiling }: { ceiling: { inUse: number; limit: number } }): ReactNode {
  return (
    <Panel title="Ceiling of the project">
      <Facts
        facts={[
          [
            'Runs that execute now',
            <Meter key="ceiling" label="Ceiling of the project" value={ceiling.inUse} limit={ceiling.limit} />,
          ],
          ['Set by', 'the operator, for all workflows together'],
        ]}
      />
    </Panel>
  );
}
