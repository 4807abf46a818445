import { type ReactNode, useEffect, useState } from 'react';
import { later, Skeleton } from '../design/index.ts';
import { showLater } from './indentLater.ts';
import { loadEditor } from './loadEditor.ts';

const DiffView = later(() => loadEditor(() => import('./DiffView.tsx')));

interface DiffProps {
  before: string;
  after: string;
  /** What is compared: `changes of the arguments`. */
  what: string;
}

/** Long texts are indented in the worker. No string is cut: the difference may stand in its end. */
const showing = { isIndented: true, isWhole: true };

/** What differs between two payloads, line by line of their indented texts. */
export function Diff({ before, after, what }: DiffProps): ReactNode {
  const [shown, setShown] = useState<{ before: string; after: string }>();
  useEffect(() => {
    let isCurrent = true;
    void Promise.all([showLater(before, showing), showLater(after, showing)]).then(([one, other]) => {
      if (isCurrent) setShown({ before: one.text, after: other.text });
    });
    return () => {
      isCurrent = false;
    };
  }, [before, after]);
  if (!shown) return <Skeleton rows={2} />;
  return <DiffView before={shown.before} after={shown.after} label={what} meanwhile={<Skeleton rows={2} />} />;
}
