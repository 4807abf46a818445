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

/** The text for an operator or a platform key that has chosen no project. */
export function NoProject(): ReactNode {
  return (
    <Empty title="Choose a project">
      <p>The key manages projects. The button in the header opens one, and then its runs show here.</p>
    </Empty>
  );
}
