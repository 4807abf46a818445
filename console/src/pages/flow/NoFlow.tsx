import type { ReactNode } from 'react';
import { Code, Empty, Panel } from '../../design/index.ts';

/** The text where no workflow has a policy that holds anything back. */
export function NoFlow(): ReactNode {
  return (
    <Panel title="Flow" hasHiddenTitle>
      <Empty title="Nothing is held back">
        <p>A workflow limits itself by fields of its definition, such as this one:</p>
        <Code
          what="definition"
          text={`hf.workflow(
  { id: 'sync customer', triggers: [{ event: 'customer.changed' }], concurrency: { limit: 5, key: 'region' } },
  async ({ event, step }) => { /* … */ },
);`}
        />
      </Empty>
    </Panel>
  );
}
