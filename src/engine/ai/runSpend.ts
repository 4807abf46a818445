import type { AiAllowance, FlowControl } from '@holdfast/sdk/protocol';
import type { Queryable } from '../db/index.ts';
import { asDecimal } from '../flow/policies/index.ts';
import { sumRunSpend } from './sql/sumRunSpend.ts';
import type { Usage } from './usage.ts';

/** The spend of a run's AI steps. */
export interface RunSpend {
  /** Input and output tokens. */
  tokens: number;
  /** USD; undefined until a call was priced. */
  cost: number | undefined;
}

export type Cap = NonNullable<FlowControl['cap']>;

/** A run's cap, and the spend that counts towards it (2.2 `cap`). */
export interface CappedSpend {
  cap: Cap;
  spend: RunSpend;
}

export const noSpend: RunSpend = Object.freeze({ tokens: 0, cost: undefined });

/** The spend including these calls. */
export function withCalls(
  { tokens, cost }: RunSpend,
  calls: readonly Pick<Usage, 'tokensIn' | 'tokensOut' | 'cost'>[],
): RunSpend {
  const spend: RunSpend = { tokens, cost };
  for (const call of calls) {
    spend.tokens += (call.tokensIn ?? 0) + (call.tokensOut ?? 0);
    if (call.cost !== undefined) spend.cost = asDecimal((spend.cost ?? 0) + call.cost);
  }
  return spend;
}

/** The allowance in each invoke (`ctx.ai`). */
export const allowanceOf = ({ cap, spend }: CappedSpend): AiAllowance => ({
  tokens: spend.tokens,
  cost: spend.cost,
  maxTokens: cap.maxTokens,
  maxCost: cap.maxCost,
});

/** The spend of each run. Runs without a call are omitted. */
export async function readRunSpends(db: Queryable, runIds: readonly string[]): Promise<Map<string, RunSpend>> {
  const rows = runIds.length === 0 ? [] : await sumRunSpend(db, { runIds });
  return new Map(rows.map(({ runId, tokens, cost }) => [runId, { tokens, cost: cost ?? undefined }]));
}
