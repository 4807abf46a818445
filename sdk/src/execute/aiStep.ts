import { BudgetError } from '../errors.ts';
import { asDeclared } from '../json/asDeclared.ts';
import type { Jsonify } from '../json/jsonify.ts';
import { type AiAllowance, type AiUsage, capReached } from '../protocol.ts';
import { type Report, report, reportFailure } from './opcodeText.ts';
import type { StepWork } from './pass.ts';
import {
  type BodyStep,
  callBody,
  type StepInfo,
  type StepOptions,
  type StepSurroundings,
  stepInfo,
} from './runStep.ts';
import { UsageMeter } from './usageMeter.ts';

/** The argument of an AI step's body. */
export interface AiStepInfo extends StepInfo {
  /**
   * Reports the usage of one model call. Numbers of several calls are added up, and the last model
   * counts. Usage counts even if the body throws afterwards.
   */
  report(usage: AiUsage): void;
}

/**
 * Steps that call models. The limits on spend (`cap`, `budget`, `tokenThrottle`) use what they
 * report.
 */
export interface AiTools {
  /**
   * Runs `body` like `step.run`, as a step that calls a model. Measures the latency unless `report`
   * gives it. Throws a `BudgetError` without calling `body`, and fails the run, if the run has
   * reached its `cap`.
   *
   * @example
   * ```ts
   * const answer = await step.ai.wrap('answer', async ({ report }) => {
   *   const { model, usage, text } = await callModel(question);
   *   report({ model, tokensIn: usage.input, tokensOut: usage.output, cost: price(model, usage) });
   *   return text;
   * });
   * ```
   */
  wrap<T>(id: string, body: (info: AiStepInfo) => T): Promise<Jsonify<Awaited<T>>>;
  /** The same, with an `input` that is recorded with the step and passed to `body`. */
  wrap<Input, T>(
    id: string,
    options: StepOptions & { input: Input },
    body: (input: Input, info: AiStepInfo) => T,
  ): Promise<Jsonify<Awaited<T>>>;
  /** The same, with limits of its own. */
  wrap<T>(id: string, options: StepOptions, body: (info: AiStepInfo) => T): Promise<Jsonify<Awaited<T>>>;
}

export interface AiSurroundings extends StepSurroundings {
  /** The run's limits and spend; undefined if the workflow has no `cap`. */
  readonly ai: AiAllowance | undefined;
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
