import { isNear } from '../knownFields.ts';
import type { Fakes } from './fakes.ts';
import type { StepRow } from './memo.ts';
import { kindNames } from './recordedKind.ts';

/** Kinds of steps that fakes replace. */
const takesFakes: ReadonlySet<StepRow['op']> = new Set(['StepRun', 'Infer']);

/**
 * Describes the unused fakes that a step of the test most likely should have used. Others may
 * belong to a branch that the handler did not take.
 */
export function misplacedFakes(fakes: Fakes, rows: readonly StepRow[]): string[] {
  return fakes.unused.flatMap((name) => {
    const own = rows.find((row) => row.name === name);
    if (own && !takesFakes.has(own.op))
      return [`no step of the test used the fake "${name}": fakes do not apply to ${kindNames[own.op]}`];
    const meant = rows.find((row) => takesFakes.has(row.op) && !fakes.has(row.name) && isMeant(name, row.name));
    if (meant === undefined) return [];
    return [
      `no step of the test used the fake "${name}"; perhaps it is meant for "${meant.name}", which ran without a fake`,
    ];
  });
}

/** Whether two names are nearly the same, or one is a part of the other. */
function isMeant(name: string, step: string): boolean {
  const [shorter = '', longer = ''] = [name, step].sort((a, b) => a.length - b.length);
  return isNear(step, name) || (shorter.length >= minPartLength && longer.includes(shorter));
}

const minPartLength = 3;
