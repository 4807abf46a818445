import { lazy, type ReactNode, Suspense } from 'react';
import { Skeleton } from '../design/index.ts';
import { indentJson } from './indentJson.ts';

const DiffView = lazy(() => import('./DiffView.tsx'));

interface DiffProps {
  before: string;
  after: string;
  /** What is compared: `changes of the arguments`. */
  what: string;
}

/** What differs between two payloads, line by line of their indented texts. */
export function Diff({ before, after, what }: DiffProps): ReactNode {
  return (
    <Suspense fallback={<Skeleton rows={2} />}>
      <DiffView before={indentJson(before)} after={indentJson(after)} label={what} />
    </Suspense>
  );
}
