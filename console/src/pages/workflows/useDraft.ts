import { useEffect, useRef, useState } from 'react';

interface DraftOptions<Value> {
  /** Takes the draft over, once it has stayed the same for a while. */
  commit: (value: Value) => void;
  afterMs: number;
  /** The draft waits longer. */
  isHeld: boolean;
}

/**
 * A value that changes often, such as by a slider, and what is made of it less often. Another
 * `value` from outside replaces the draft. The values are compared by identity.
 */
export function useDraft<Value>(
  value: Value,
  { commit, afterMs, isHeld }: DraftOptions<Value>,
): [draft: Value, setDraft: (draft: Value) => void] {
  const [draft, setDraft] = useState(value);
  const committed = useRef(value);
  const latest = useRef(commit);
  latest.current = commit;
  useEffect(() => {
    if (value === committed.current) return;
    committed.current = value;
    setDraft(value);
  }, [value]);
  useEffect(() => {
    if (draft === committed.current || isHeld) return;
    const timer = setTimeout(() => {
      committed.current = draft;
      latest.current(draft);
    }, afterMs);
    return () => clearTimeout(timer);
  }, [draft, afterMs, isHeld]);
  return [draft, setDraft];
}
