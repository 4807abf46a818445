import { usageIn } from '../ai/foundUsage.ts';
import type { InferSurroundings } from '../ai/generateStep.ts';
import { providerDelayMs } from '../ai/providerError.ts';
import { plainTextResults } from '../ai/textResult.ts';
import { BudgetError, NotJsonError } from '../errors.ts';
import { asDeclared } from '../json/asDeclared.ts';
import { type AiUsage, capReached } from '../protocol.ts';
import { type Report, report, reportFailure, retryOf } from './opcodeText.ts';
import type { StepWork } from './pass.ts';
import { type BodyStep, callBody, type StepInfo, type StepSurroundings, stepInfo } from './runStep.ts';
import { UsageMeter } from './usageMeter.ts';

/** The argument of an AI step's body. */
export interface AiStepInfo extends StepInfo {
  /**
   * Reports the usage of one model call. Numbers of several calls are added up, and the last model
   * counts. Usage counts even if the body throws afterwards. Without any report, the step reports
   * what it finds in the result of the body.
   */
  report(usage: AiUsage): void;
}

export interface AiSurroundings extends StepSurroundings, InferSurroundings {
  warn(step: string, message: string): void;
}

export function aiWork(step: BodyStep<AiStepInfo>, surroundings: AiSurroundings): StepWork<never> {
  return {
    kind: 'StepRun',
    retry: step.retry,
    read: (data) => asDeclared(data),
    async perform(name, id) {
      const reason = surroundings.ai && capReached(surroundings.ai);
      if (reason !== undefined) throw new BudgetError(reason);
      return metered(name, id, step, surroundings);
    },
  };
}

/** Reports the usage even if the step throws, because the calls were paid for. */
async function metered(
  name: string,
  id: string,
  step: BodyStep<AiStepInfo>,
  surroundings: AiSurroundings,
): Promise<Report> {
  const meter = new UsageMeter(surroundings.aiDefaults.prices);
  const info: AiStepInfo = {
    ...stepInfo(name, id, surroundings),
    report(usage) {
      const refused = meter.add(usage);
      if (refused.length > 0) surroundings.warn(name, `invalid usage fields are ignored: ${refused.join(', ')}`);
    },
  };
  try {
    const { input, data } = await callBody(step, info);
    addFound(meter, data);
    if (isStream(data)) {
      throw new NotJsonError(
        `the body of step "${name}" returned a stream: read it to its end, and return what it gave`,
      );
    }
    return report({ op: 'StepRun', id, name, ...meter.report }, true, { input, data: plainTextResults(data) });
  } catch (cause) {
    // An error such as `NoObjectGeneratedError` has the usage of the call that was paid for.
    addFound(meter, cause);
    return reportFailure(name, id, cause, { retry: step.retry, ...delayOf(cause), ...meter.report });
  }
}

/** A stream of a provider's client, or a result of `streamText`. */
const isStream = (data: unknown): boolean =>
  typeof data === 'object' &&
  data !== null &&
  (Symbol.asyncIterator in data || ('textStream' in data && !Object.hasOwn(data, 'textStream')));

/** The usage found in a result counts only if the body reported none. */
function addFound(meter: UsageMeter, value: unknown): void {
  if (meter.isEmpty) for (const usage of usageIn(value)) meter.add(usage);
}

/** The delay that a provider asked for, unless the error says itself what follows. */
function delayOf(cause: unknown): { retryAfterMs?: number } {
  const retryAfterMs = Object.keys(retryOf(cause)).length === 0 ? providerDelayMs(cause) : undefined;
  return retryAfterMs === undefined ? {} : { retryAfterMs };
}
