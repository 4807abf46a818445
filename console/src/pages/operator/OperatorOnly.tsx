import type { ReactNode } from 'react';
import { Empty } from '../../design/index.ts';
import { useSession } from '../../session/session.ts';

/** The pages of the operator; another key reads why it sees none of them. */
export function OperatorOnly({ children }: { children: ReactNode }): ReactNode {
  const { viewer } = useSession();
  if (viewer?.kind === 'OPERATOR') return children;
  return (
    <Empty title="This page needs the operator key">
      <p>
        Projects and their keys belong to the operator of the service. Sign out and paste the operator key; it stands in{' '}
        <code>keys.json</code> of the service’s data folder.
      </p>
    </Empty>
  );
}
