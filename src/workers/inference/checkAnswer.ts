import type { InferRequest, Json, JsonSchema, ModelAnswer } from '../../engine/inference/index.ts';
import type { Problem } from './reask.ts';

export interface CheckedAnswer {
  /** The answer as JSON that fits the schema of its request. */
  object?: Json | undefined;
  /** Empty: the answer fits, or there is no schema. */
  problems: Problem[];
}

/** Tells where a value does not fit a schema. */
export type FindProblems = (schema: JsonSchema, value: Json) => Problem[];

/**
 * Reads an answer as the JSON that its request asked for. A turn with tool calls is no answer yet.
 */
export function checkAnswer(request: InferRequest, answer: ModelAnswer, findProblems: FindProblems): CheckedAnswer {
  if (request.kind === 'embed' || answer.kind === 'embed' || request.schema === undefined) return { problems: [] };
  if ((answer.toolCalls ?? []).length > 0) return { problems: [] };
  const value = jsonIn(answer.text ?? '');
  if (value === undefined) return { problems: [{ path: '', keyword: 'is not JSON' }] };
  const problems = findProblems(request.schema, value);
  return problems.length === 0 ? { object: value, problems } : { problems };
}

/** Models like to put JSON into a fence. */
const fenced = /^```(?:json)?\s*\n([\s\S]*)\n```$/i;

function jsonIn(text: string): Json | undefined {
  const trimmed = text.trim();
  try {
    return JSON.parse(fenced.exec(trimmed)?.[1] ?? trimmed);
  } catch {
    return undefined;
  }
}
