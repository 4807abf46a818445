import { BudgetError } from '../errors.ts';
import { OversizeError, opcodeLimitBytes, type Report, report, reportFailure } from '../execute/opcodeText.ts';
import type { StepWork } from '../execute/pass.ts';
import { changedKind, hasKeys } from '../execute/saved.ts';
import { asDeclared } from '../json/asDeclared.ts';
import { encodeJson } from '../json/encode.ts';
import { checkFields } from '../misuse.ts';
import {
  type AiAllowance,
  capReached,
  type InferAnswer,
  type InferEmbed,
  type InferText,
  type InferTool,
} from '../protocol.ts';
import type { AiDefaults } from './aiDefaults.ts';
import { checkPrompt, checkRequestFields, checkTools } from './checkRequest.ts';
import { type JsonSchema, jsonSchemaOf, type TypedSchema } from './schema.ts';

/** A tool that the model may ask for. The handler executes it and sends the result back. */
export interface GenerateTool extends Omit<InferTool, 'inputSchema'> {
  inputSchema: TypedSchema | JsonSchema;
}

/** A model request. Either `prompt` or `messages` is required. */
export interface GenerateRequest extends Omit<InferText, 'kind' | 'model' | 'schema' | 'tools'> {
  /** Default: `ai.model` of `new Holdfast()`. */
  model?: string | undefined;
  tools?: readonly GenerateTool[] | undefined;
}

/** The answer of a model, as JSON. */
export interface Generated<Output = never> extends Omit<InferAnswer, 'object'> {
  /**
   * The answer to a request with `output`; it fits the schema. Absent if the model called tools, or
   * if a filter stopped it: see `finishReason`.
   */
  object?: Output;
}

/** The part of a pass that a model call reads. */
export interface InferSurroundings {
  /** The run's limits and spend; undefined if the workflow has no `cap`. */
  readonly ai: AiAllowance | undefined;
  readonly aiDefaults: AiDefaults;
}

export function generateWork<Answer>(
  step: string,
  request: GenerateRequest & { output?: unknown },
  surroundings: InferSurroundings,
): StepWork<Answer> {
  return {
    kind: 'Infer',
    read(saved, name) {
      if (hasKeys(saved, 'finishReason')) return asDeclared(saved);
      throw changedKind(name, 'a model call');
    },
    perform: (name, id) => inferReport(name, id, textRequest(step, request, surroundings.aiDefaults), surroundings),
  };
}

/**
 * Reports a model call, which the service makes. Throws a `BudgetError` if the run has reached its
 * cap; the service checks again before it calls. A request that is too large fails only its step,
 * as the service fails a malformed one.
 */
export function inferReport(
  name: string,
  id: string,
  data: InferText | InferEmbed,
  { ai }: Pick<InferSurroundings, 'ai'>,
): Report {
  const reason = ai && capReached(ai);
  if (reason !== undefined) throw new BudgetError(reason);
  try {
    return report({ op: 'Infer', id, name }, false, { data });
  } catch (cause) {
    if (!(cause instanceof OversizeError)) throw cause;
    return reportFailure(name, id, oversized(name, data), { retry: { maxAttempts: 1 } });
  }
}

/** Names the field that takes most of the request; of a list, the item if it alone is too large. */
function oversized(step: string, data: object): Error {
  let { field, value, bytes } = largest(
    Object.entries(data).map(([name, value]) => [name === 'schema' ? 'output' : name, value]),
  );
  if (Array.isArray(value)) {
    const item = largest(value.map((each, index) => [`${field}[${index}]`, each]));
    if (item.bytes > opcodeLimitBytes) ({ field, value, bytes } = item);
  }
  const error = new Error(`${field}: has ${bytes} bytes; the request of step "${step}" may have ${opcodeLimitBytes}`);
  error.name = 'InferenceError';
  return error;
}

function largest(fields: readonly (readonly [string, unknown])[]): { field: string; value: unknown; bytes: number } {
  const sized = fields.map(([field, value]) => ({ field, value, bytes: Buffer.byteLength(encodeJson(value) ?? '') }));
  return sized.reduce((one, other) => (other.bytes > one.bytes ? other : one));
}

function textRequest(step: string, request: GenerateRequest & { output?: unknown }, defaults: AiDefaults): InferText {
  checkFields(request, `step "${step}" needs a request, such as { model: '…', prompt: '…' }`);
  checkRequestFields(step, request);
  checkPrompt(step, request);
  checkTools(step, request);
  const { output, tools, ...rest } = request;
  return {
    ...rest,
    ...defaults.complete(step, request),
    ...(tools !== undefined && { tools: tools.map((tool) => toolOf(step, tool)) }),
    ...(output !== undefined && { schema: jsonSchemaOf(asDeclared(output), `the output of step "${step}"`) }),
  };
}

function toolOf(step: string, tool: GenerateTool): InferTool {
  return {
    ...tool,
    inputSchema: jsonSchemaOf(tool.inputSchema, `the inputSchema of tool "${tool.name}" of step "${step}"`),
  };
}
