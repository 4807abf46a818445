import { type ReactNode, useEffect } from 'react';
import { Button, Empty } from '../design/index.ts';

/** A page that cannot be shown: its code is gone after a deploy, or it has a defect. */
export function PageFailure({ error }: { error: unknown }): ReactNode {
  const message = error instanceof Error ? error.message : String(error);
  const isOldTab = /dynamically imported module|module script|preload CSS/i.test(message);
  useEffect(() => {
    if (!isOldTab) console.error(error);
  }, [error, isOldTab]);
  return (
    <Empty
      title={isOldTab ? 'The console has a newer version' : 'This page failed'}
      actions={
        <Button kind="primary" onClick={() => location.reload()}>
          Reload
        </Button>
      }
    >
      <p>
        {isOldTab
          ? 'This tab is older than the service. Reload it: the address stays.'
          : `Other pages still work. The reason: ${message}`}
      </p>
    </Empty>
  );
}
