import type { InferSurroundings } from '../ai/generateStep.ts';
import { BudgetError } from '../errors.ts';
import { asDeclared } from '../json/asDeclared.ts';
import { type AiUsage, capReached } from '../protocol.ts';
import { type Report, report, reportFailure } from './opcodeText.ts';
import type { StepWork } from './pass.ts';
import { type BodyStep, callBody, type StepInfo, type StepSurroundings, stepInfo } from './runStep.ts';
import { UsageMeter } from './usageMeter.ts';

/** The argument of an AI step's body. */
export interface AiStepInfo extends StepInfo {
  /**
   * Reports the usage of one model call. Numbers of several calls are added up, and the last model
   * counts. Usage counts even if the body throws afterwards.
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
  const meter = new UsageMeter();
  const info: AiStepInfo = {
    ...stepInfo(name, id, surroundings),
    report(usage) {
      const refused = meter.add(usage);
      if (refused.length > 0) surroundings.warn(name, `invalid usage fields are ignored: ${refused.join(', ')}`);
    },
  };
  try {
    const payloads = await callBody(step, info);
    return report({ op: 'StepRun', id, name, ...meter.report }, true, payloads);
  } catch (cause) {
    return reportFailure(name, id, cause, { retry: step.retry, ...meter.report });
  }
}
