import { asDecimal } from '../../flow/policies/index.ts';
import { type StepSendRow, shownSends } from '../sql/readStepSends.ts';

/** What an outcome adds to the step's `ai` block. The ledger gives the rest. */
export interface StepAi {
  warnings?: readonly string[] | undefined;
  finishReason?: string | undefined;
  /** Absent: the call is not eligible for the cache. */
  cacheHit?: boolean | undefined;
}

/** The `ai` block and the `usage` of a step (2.5). Both are JSON texts. */
export interface StepJournal {
  ai: string;
  /** Undefined: nothing was sent that may have been billed. */
  usage: string | undefined;
}

interface Called {
  provider: string;
  model: string;
}

/**
 * Composes what a step tells of its model call: its sends, and the sum of their spend. A figure
 * that no send reported is absent, which is not zero. An answer of the cache has spent nothing.
 */
export function stepJournal(called: Called, sends: readonly StepSendRow[], outcome: StepAi): StepJournal {
  const { warnings = [], finishReason, cacheHit } = outcome;
  const ai = {
    ...shownCall(called, sends.slice(-shownSends)),
    warnings: warnings.length > 0 ? warnings : undefined,
    finishReason,
    cacheHit,
  };
  const isHit = cacheHit === true && sends.length === 0;
  const hasSpent = isHit || sends.some(({ isBilled }) => isBilled);
  const tokensIn = isHit ? 0 : total(sends.map((send) => send.billedIn));
  const tokensOut = isHit ? 0 : total(sends.map((send) => send.billedOut));
  const latencyMs = total(sends.map((send) => send.latencyMs));
  const cost = total(sends.map((send) => send.cost));
  return {
    ai: JSON.stringify(ai),
    usage: hasSpent
      ? JSON.stringify({ model: called.model, tokensIn, tokensOut, cost, latencyMs, cacheHit })
      : undefined,
  };
}

/** A send as a step shows it. Without an outcome, it is under way. */
export type ShownSend = Pick<
  StepSendRow,
  'number' | 'outcome' | 'startedAt' | 'ms' | 'status' | 'requestId' | 'tokensIn' | 'tokensOut' | 'error'
>;

/** The part of the `ai` block that is known while the step waits. */
export const shownCall = ({ provider, model }: Called, sends: readonly ShownSend[]) => ({
  provider,
  model,
  sends: sends.map(shown),
});

const shown = (send: ShownSend) => ({
  number: send.number,
  outcome: send.outcome ?? undefined,
  at: send.startedAt,
  ms: send.ms === null ? undefined : Math.round(send.ms),
  status: send.status ?? undefined,
  requestId: send.requestId ?? undefined,
  tokensIn: send.tokensIn ?? undefined,
  tokensOut: send.tokensOut ?? undefined,
  error: send.error ?? undefined,
});

function total(figures: readonly (number | null)[]): number | undefined {
  const known = figures.filter((figure) => figure !== null);
  return known.length === 0 ? undefined : asDecimal(known.reduce((sum, figure) => sum + figure, 0));
}
