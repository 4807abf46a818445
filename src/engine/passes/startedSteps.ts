import { type StartedStep, startedLimit } from '@holdfast/sdk/protocol';
import type { Memo } from './memo.ts';

/** The index and the attempt of a step (2.5). */
export interface StepNumbers {
  index: number;
  attempt: number;
}

interface Told extends StepNumbers {
  /** The claim under which the step was told of. */
  claimNo: number;
}

/**
 * The steps of a held run that its runner told of before their results. Each keeps the index under
 * which it was shown.
 */
export class StartedSteps {
  /** Absent for most runs: their steps are short. */
  #told: Map<string, Told> | undefined;

  get size(): number {
    return this.#told?.size ?? 0;
  }

  /**
   * Numbers a step that a runner executes. Undefined: it was told of under this claim, its result
   * is known, or too many were told of.
   */
  begin(
    { id, position }: StartedStep,
    memo: Memo,
    { claimNo, now }: { claimNo: number; now: Date },
  ): StepNumbers | undefined {
    this.#told ??= new Map();
    const before = this.#told.get(id);
    if (before?.claimNo === claimNo || !memo.accepts(id, now)) return undefined;
    if (!before && this.#told.size >= startedLimit) return undefined;
    const known = memo.get(id);
    const attempt = known ? known.attempt + 1 : 1;
    const index = known?.index ?? before?.index ?? this.#reserve(memo, position);
    this.#told.set(id, { index, attempt, claimNo });
    return { index, attempt };
  }

  /** Numbers the steps of an answer, in order. A new step takes the first index that is free. */
  numbering(memo: Memo): (stepId: string) => StepNumbers {
    const reserved = this.size > 0 ? this.#reserved() : undefined;
    let next = memo.nextIndex;
    return (stepId) => {
      const known = memo.get(stepId);
      if (known) return { index: known.index, attempt: known.attempt + 1 };
      const told = this.#told?.get(stepId);
      if (told) return { index: told.index, attempt: 1 };
      while (reserved?.has(next)) next += 1;
      return { index: next++, attempt: 1 };
    };
  }

  /** Forgets the steps whose results are in the memo. */
  advance(memo: Memo): void {
    if (!this.#told) return;
    for (const stepId of this.#told.keys()) if (memo.get(stepId)) this.#told.delete(stepId);
  }

  #reserved(): Set<number> {
    return new Set([...(this.#told?.values() ?? [])].map(({ index }) => index));
  }

  /** The index that the answer will give to a new step, as its runner expects. */
  #reserve(memo: Memo, position: number | undefined): number {
    const reserved = this.#reserved();
    let index =
      position === undefined
        ? Math.max(memo.nextIndex, ...[...reserved].map((taken) => taken + 1))
        : memo.nextIndex + position;
    while (reserved.has(index)) index += 1;
    return index;
  }
}
