import type { ReactNode } from 'react';
import { Empty } from '../design/index.ts';

/** The text for an address without a page. */
export function NotFound(): ReactNode {
  return (
    <Empty title="There is no page at this address">
      <p>The link may be cut. The navigation and the search (Ctrl K) lead to every page.</p>
    </Empty>
  );
}
