import { asDeclared } from '../json/asDeclared.ts';
import { report } from './opcodeText.ts';
import type { StepWork } from './pass.ts';
import { changedKind, hasKeys } from './saved.ts';

/** A rating of the run. Further fields are stored with it. */
export interface Score {
  name: string;
  value: number | boolean | string;
  [detail: string]: unknown;
}

export function scoreWork(score: Score): StepWork<{ scoreId: string }> {
  return {
    kind: 'Score',
    read(saved, name) {
      if (hasKeys(saved, 'scoreId')) return asDeclared(saved);
      throw changedKind(name, 'a score');
    },
    perform: (name, id) => report({ op: 'Score', id, name, data: undefined }, true, { data: score }),
  };
}
