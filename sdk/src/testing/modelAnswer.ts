import { describeError } from '../execute/opcodeText.ts';
import { asDeclared } from '../json/asDeclared.ts';
import { encodeJson } from '../json/encode.ts';
import type { InferAnswer, InferEmbed, InferPart, InferText, InferToolCall, InferVectors } from '../protocol.ts';
import type { ModelCall } from './effects.ts';
import { type Fakes, fakedValue } from './fakes.ts';
import { nextAttemptInMs } from './retry.ts';
import type { StepEnd } from './state.ts';

/** How the step of a model call ends, by its fake. An error is a failed attempt of the step. */
export async function endOfModelCall({ run, row, request }: ModelCall, fakes: Fakes): Promise<StepEnd> {
  const found = fakes.get(row.name);
  if (found === undefined) return { error: { name: 'InferenceError', message: 'inference is not configured' } };
  try {
    const answer = modelAnswer(request, await fakedValue(found.fake, row.attempt, request));
    row.usage = asDeclared(answer.usage);
    return { output: encodeJson(answer) };
  } catch (cause) {
    return { error: describeError(cause), retryInMs: nextAttemptInMs(run.retry, row.attempt) };
  }
}

const noUsage = { tokensIn: 0, tokensOut: 0 };

/** The memo of a model call, from what a fake gave: a text, an object, vectors, or an answer. */
function modelAnswer(request: InferText | InferEmbed, given: unknown): InferAnswer | InferVectors {
  return request.kind === 'embed' ? vectorsOf(request, given) : answerOf(request, given);
}

function answerOf({ model, schema }: InferText, given: unknown): InferAnswer {
  const said = partOf(given, schema !== undefined);
  const text = said.text ?? ('object' in said ? JSON.stringify(said.object) : undefined);
  const calls = said.toolCalls ?? [];
  return {
    model,
    finishReason: calls.length > 0 ? 'tool-calls' : 'stop',
    usage: noUsage,
    content: [...(text === undefined ? [] : [{ type: 'text' as const, text }]), ...calls.map(callPart)],
    ...(text !== undefined && { text }),
    ...said,
  };
}

/** A bare object is the `object` of an answer to a request with a schema. */
function partOf(given: unknown, hasSchema: boolean): Partial<InferAnswer> {
  if (!hasSchema) return typeof given === 'string' ? { text: given } : asDeclared(given);
  const isAnswer =
    typeof given === 'object' &&
    given !== null &&
    ('object' in given || 'toolCalls' in given || 'finishReason' in given);
  return isAnswer ? asDeclared(given) : { object: given };
}

const callPart = ({ id, name, input }: InferToolCall): InferPart => ({ type: 'tool_call', id, name, input });

function vectorsOf({ model }: InferEmbed, given: unknown): InferVectors {
  const vectors = asDeclared<readonly (readonly number[])[]>(given);
  const embeddings = vectors.map((vector) => Buffer.from(Float32Array.from(vector).buffer).toString('base64'));
  return { embeddings, dimensions: vectors[0]?.length ?? 0, model, usage: { tokensIn: 0 } };
}
