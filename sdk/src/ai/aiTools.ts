import { type AiStepInfo, type AiSurroundings, aiWork } from '../execute/aiStep.ts';
import type { StepWork } from '../execute/pass.ts';
import { bodyStep, type RunArguments, type StepOptions } from '../execute/runStep.ts';
import type { Jsonify } from '../json/jsonify.ts';
import { StepNames } from '../stepId.ts';
import { type AgentAnswer, type AgentRequest, agent } from './agentStep.ts';
import type { ToolSchema } from './agentTool.ts';
import { type EmbedRequest, embed } from './embedStep.ts';
import { type Generated, type GenerateRequest, generateWork } from './generateStep.ts';
import type { InputOfSchema, JsonSchema, TypedSchema } from './schema.ts';

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

  /**
   * Calls a model from the service, with the service's key, and returns the answer. The run is
   * parked meanwhile, and no process of yours waits. The answer's `object` fits `output`.
   *
   * Throws an error named `InferenceError` if the provider refused the request or the attempts are
   * spent, `InvalidOutputError` if the answer does not fit `output`, and `InferenceUnknownError`
   * with `onUnknown: 'fail'`. Fails the run with a `BudgetError` if the run has reached its `cap`.
   *
   * @example
   * ```ts
   * const { object } = await step.ai.generate('classify', {
   *   model: 'claude-sonnet-4-5',
   *   prompt: `Is this urgent? ${event.data.text}`,
   *   output: z.object({ urgent: z.boolean() }),
   * });
   * ```
   */
  generate<Schema extends TypedSchema>(
    id: string,
    request: GenerateRequest & { output: Schema },
  ): Promise<Generated<InputOfSchema<Schema>>>;
  /** The same, with a JSON Schema, whose type you declare: `generate<Ticket>(…)`. */
  generate<Output = unknown>(id: string, request: GenerateRequest & { output: JsonSchema }): Promise<Generated<Output>>;
  /** The same, for text or tool calls. */
  generate(id: string, request: GenerateRequest & { output?: undefined }): Promise<Generated>;

  /**
   * Turns texts into vectors, from the service, and returns them in the order of `values`. Each
   * batch is a step: `id` for a single batch, else `id/1`, `id/2`, side by side. No values: no
   * step, and `[]`.
   *
   * @example
   * ```ts
   * const request = { model: 'text-embedding-3-small', values: texts };
   * const vectors = await step.ai.embed('index', request);
   * ```
   */
  embed(id: string, request: EmbedRequest): Promise<number[][]>;

  /**
   * Runs an agent: calls the model, executes the tools that it asks for, and tells it the results,
   * until it asks for none. Each call of the model and of a tool is a step, so an agent survives
   * any crash.
   *
   * The model is told of a tool's error, of a denial, and of edited arguments. A tool that throws a
   * `NonRetriableError` ends the run. Throws a `MaxTurnsError` if the model still calls tools after
   * `maxTurns` calls, and the errors of `generate`.
   *
   * @example
   * ```ts
   * const { text } = await step.ai.agent('support', {
   *   model: 'claude-sonnet-4-5',
   *   prompt: event.data.question,
   *   tools: {
   *     refund: {
   *       description: 'Refunds an order.',
   *       inputSchema: z.object({ orderId: z.string(), cents: z.number() }),
   *       approval: { risk: 'high' },
   *       execute: ({ orderId, cents }) => refund(orderId, cents),
   *     },
   *   },
   * });
   * ```
   */
  agent<Schemas extends Record<string, ToolSchema>, Schema extends TypedSchema>(
    id: string,
    request: AgentRequest<Schemas> & { output: Schema },
  ): Promise<AgentAnswer<InputOfSchema<Schema>>>;
  /** The same, with a JSON Schema for the last answer. */
  agent<Schemas extends Record<string, ToolSchema>>(
    id: string,
    request: AgentRequest<Schemas> & { output: JsonSchema },
  ): Promise<AgentAnswer<unknown>>;
  /** The same, for text. */
  agent<Schemas extends Record<string, ToolSchema>>(
    id: string,
    request: AgentRequest<Schemas> & { output?: undefined },
  ): Promise<AgentAnswer>;
}

/** `take` runs a step of the pass. */
export function aiTools(take: <T>(id: string, work: StepWork<T>) => Promise<T>, surroundings: AiSurroundings): AiTools {
  const names = new StepNames();
  return {
    agent: (id: string, request: AgentRequest) => agent<never>(id, request, { take, surroundings, names }),
    wrap: (id: string, ...args: RunArguments) => take(id, aiWork(bodyStep(id, args, surroundings), surroundings)),
    generate: (id: string, request: GenerateRequest & { output?: unknown }) =>
      take(id, generateWork<never>(id, request, surroundings)),
    embed: (id, request) => embed(id, request, { take, surroundings }),
  };
}
