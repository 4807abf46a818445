import { randomUUID } from 'node:crypto';
import type { AiStepInfo } from '../execute/aiStep.ts';
import type { StepOptions } from '../execute/runStep.ts';
import { currentSteps } from '../execute/scope.ts';
import type { StepTools } from '../execute/stepTools.ts';
import { asDeclared } from '../json/asDeclared.ts';
import { fromCarried, toCarried } from './carried.ts';
import type { CallParams, CallResult, EmbedCall, GenerateCall, StreamCall, StreamResult } from './models.ts';
import { type RecordedPart, recordStream, replayStream } from './recordedStream.ts';
import { reportedUsage } from './usage.ts';

export interface DurableOptions extends StepOptions {
  /**
   * The id of the steps. Default: `ai.generate`, `ai.stream` and `ai.embed`. A repeated id counts:
   * `ai.generate`, `ai.generate:1`.
   */
  id?: string | undefined;
}

/** A middleware for language models and for embedding models of the AI SDK. */
export interface DurableMiddleware {
  readonly specificationVersion: 'v3';
  wrapGenerate<P extends CallParams, R extends CallResult>(call: GenerateCall<P, R>): Promise<R>;
  wrapStream<P extends CallParams, R extends object>(call: StreamCall<P, R>): Promise<R>;
  wrapEmbed<P extends CallParams, R extends CallResult>(call: EmbedCall<P, R>): Promise<R>;
}

/**
 * Makes the calls of a model durable. Inside of a run each call is a step, with its usage; later
 * passes return the saved answer. Outside of a run a call passes through. The step decides on
 * retries, so a failing call is made `maxAttempts` times in all. Throws a `NestedStepError` inside
 * the body of a step.
 *
 * @example
 * ```ts
 * const model = wrapLanguageModel({ model: openai('gpt-5'), middleware: durable() });
 * const embedder = wrapEmbeddingModel({ model: openai.embedding('…'), middleware: durable() });
 * ```
 */
export function durable(options: DurableOptions = {}): DurableMiddleware {
  const { id, ...limits } = options;
  /** Makes a call as a step of the run. Its body returns what `toCarried` can carry. */
  const step = async <T>(steps: StepTools, kind: string, body: (info: AiStepInfo) => Promise<T>): Promise<T> =>
    fromCarried(await steps.ai.wrap(id ?? kind, limits, async (info) => toCarried(await body(info))));

  return {
    specificationVersion: 'v3',
    async wrapGenerate({ doGenerate, params, model }) {
      const steps = currentSteps();
      if (steps === undefined) return doGenerate();
      return step(steps, 'ai.generate', async ({ report, signal }) => {
        const result = await model.doGenerate(withSignal(params, signal));
        report(reportedUsage(result.usage, result.response?.modelId ?? model.modelId));
        return identified(withoutBodies(result), model.modelId);
      });
    },
    async wrapStream({ doStream, params, model }) {
      const steps = currentSteps();
      if (steps === undefined) return doStream();
      const { parts, ...rest } = await step(steps, 'ai.stream', async ({ report, signal }) => {
        const result = await model.doStream(withSignal(params, signal));
        const { stream, response } = asDeclared<StreamResult>(result);
        const parts = await recordStream(stream, model.modelId, ({ usage }, modelId) =>
          report(reportedUsage(usage, modelId)),
        );
        return { parts, ...(response !== undefined && { response: withoutBody(response) }) };
      });
      return asDeclared({ ...rest, stream: replayStream(asDeclared<RecordedPart[]>(parts)) });
    },
    async wrapEmbed({ doEmbed, params, model }) {
      const steps = currentSteps();
      if (steps === undefined) return doEmbed();
      return step(steps, 'ai.embed', async ({ report, signal }) => {
        const result = await model.doEmbed(withSignal(params, signal));
        report(reportedUsage(result.usage, model.modelId));
        return withoutBodies(result);
      });
    },
  };
}

/** The call ends when its caller gives up, and when the step does. */
function withSignal<P extends CallParams>(params: P, signal: AbortSignal): P {
  const { abortSignal } = params;
  return { ...params, abortSignal: abortSignal === undefined ? signal : AbortSignal.any([abortSignal, signal]) };
}

/** The bodies hold the prompt, and the answer once more. */
function withoutBodies<R extends CallResult>(result: R): R {
  const { request: _request, response, ...rest } = result;
  return asDeclared({ ...rest, ...(response !== undefined && { response: withoutBody(response) }) });
}

function withoutBody(response: NonNullable<CallResult['response']>): object {
  const { body: _body, ...rest } = response;
  return rest;
}

/** The AI SDK would otherwise make up the id and the time anew in each pass. */
function identified<R extends CallResult>(result: R, modelId: string): R {
  return { ...result, response: { id: randomUUID(), timestamp: new Date(), modelId, ...defined(result.response) } };
}

function defined(fields: object | undefined): object {
  return Object.fromEntries(Object.entries(fields ?? {}).filter(([, value]) => value !== undefined));
}
