const reasons = ['skipped', 'dropped', 'debounced', 'batched', 'deduped', 'suspended'] as const;

/** Why a start made no run (4.2, 4.3): the word by which the answer tells it. */
export const withheldBy = (answer: Readonly<Record<string, unknown>>): string =>
  reasons.filter((reason) => answer[reason] === true).join(', ');
