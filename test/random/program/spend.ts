import { type AiAllowance, capReached, type StepError } from '@holdfast/sdk/protocol';
import type { Program } from './program.ts';

/** Steps call a model if a policy counts their spend. */
export const spends = ({ flow }: Pick<Program, 'flow'>): boolean =>
  Boolean(flow?.cap ?? flow?.budget ?? flow?.tokenThrottle);

/** What each attempt of a step reports. */
export const usageOf = (name: string): { tokensIn: number; tokensOut: number } => ({
  tokensIn: 10,
  tokensOut: Number(/\d+$/.exec(name)?.[0] ?? 0) % 3,
});

export const tokensOf = (name: string): number => usageOf(name).tokensIn + usageOf(name).tokensOut;

/** Whether its runner refuses calls as the SDK does. Otherwise the service must. */
const isHonest = ({ maxAttempts }: Program): boolean => maxAttempts % 2 === 1;

/** Why a step is not executed, if its run may not spend more. */
export function refusalOf(program: Program, allowance: AiAllowance | undefined): StepError | undefined {
  const message = program.flow?.cap && isHonest(program) && allowance ? capReached(allowance) : undefined;
  return message === undefined ? undefined : { name: 'BudgetError', message };
}
