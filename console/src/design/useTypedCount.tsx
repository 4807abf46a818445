import { type ReactNode, useState } from 'react';
import { Field } from './Field.tsx';

/** From so many things on, a person types their number before a call acts on them. */
const typedFrom = 100;

interface TypedCount {
  /** Why the call may not be made yet. */
  refusal: string | undefined;
  /** Where the number is typed; false while it need not be. */
  field: ReactNode;
}

/**
 * Holds a bulk call back until its preview has a count, and until the person has typed a large one.
 * `nothing` is the reason where the count is 0.
 */
export function useTypedCount(count: number | undefined, nothing: string): TypedCount {
  const [typed, setTyped] = useState('');
  if (count === undefined) return { refusal: 'the preview is loading', field: false };
  if (count === 0) return { refusal: nothing, field: false };
  if (count < typedFrom) return { refusal: undefined, field: false };
  return {
    refusal: typed.trim() === String(count) ? undefined : 'type the number first',
    field: (
      <Field
        label={`Type ${count} to confirm`}
        inputMode="numeric"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    ),
  };
}
