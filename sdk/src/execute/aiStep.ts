import { BudgetError } from '../errors.ts';
import { asDeclared } from '../json/asDeclared.ts';
import type { Jsonify } from '../json/jsonify.ts';
import { type AiAllowance, type AiUsage, capReached } from '../protocol.ts';
import { type Report, report, reportFailure } from './opcodeText.ts';
import type { StepWork } from './pass.ts';
import { callBody, type RunArguments, type StepInfo, type StepSurroundings, stepInfo } from './runStep.ts';
import { UsageMeter } from './usageMeter.ts';

/** What the body of an AI step gets. */
export interface AiStepInfo extends StepInfo {
  /**
   * Tells what a model call used up. Call it for each call of the step: numbers add up, and the
   * last model named counts. What was reported counts also when the body throws afterwards.
   */
  report(usage: AiUsage): void;
}

/**
 * Steps that call models. What they report is what limits on spend go by (`cap`, `budget`,
 * `tokenThrottle`).
 */
export interface AiTools {
  /**
   * Runs `body` like `step.run`, as a step that calls a model. Where the run has reached its `cap`,
   * the body is not called, and the run fails with a `BudgetError`. How long it took is measured,
   * unless `report` tells.
   *
   * @example const answer = await step.ai.wrap('answer', async ({ report }) => { const { model,
   * usage, text } = await callModel(question); report({ model, tokensIn: usage.input, tokensOut:
   * usage.output, cost: priceOf(model, usage) }); return text; });
   */
  wrap<T>(id: string, body: (info: AiStepInfo) => T): Promise<Jsonify<Awaited<T>>>;
  /** The same, with an `input` that is recorded with the step and handed to `body`. */
  wrap<Input, T>(
    id: string,
    options: { input: Input },
    body: (input: Input, info: AiStepInfo) => T,
  ): Promise<Jsonify<Awaited<T>>>;
}

export interface AiSurroundings extends StepSurroundings {
  /** What the run may spend; undefined where the workflow has no cap. */
  readonly ai: AiAllowance | undefined;
  warn(step: string, message: string): void;
}

export function aiWork(args: RunArguments<AiStepInfo>, surroundings: AiSurroundings): StepWork<never> {
  return {
    kind: 'StepRun',
    read: (data) => asDeclared(data),
    async perform(name, id) {
      const reason = surroundings.ai && capReached(surroundings.ai);
      if (reason !== undefined) throw new BudgetError(reason);
      return metered(name, id, args, surroundings);
    },
  };
}

/** What was used up is reported however the step ends: it was paid for. */
async function metered(
  name: string,
  id: string,
  args: RunArguments<AiStepInfo>,
  surroundings: AiSurroundings,
): Promise<Report> {
  const meter = new UsageMeter();
  const info: AiStepInfo = {
    ...stepInfo(name, id, surroundings),
    report(usage) {
      const refused = meter.add(usage);
      if (refused.length > 0)
        surroundings.warn(name, `usage that cannot be meant does not count: ${refused.join(', ')}`);
    },
  };
  try {
    const payloads = await callBody(args, info);
    return report({ op: 'StepRun', id, name, ...meter.report }, true, payloads);
  } catch (cause) {
    return reportFailure(name, id, cause, meter.report);
  }
}
