import {
  checkObject,
  type InferRequest,
  type Json,
  type ModelAnswer,
  type Problem,
} from '../../engine/inference/index.ts';

export interface CheckedAnswer {
  /** The answer as JSON that fits the schema of its request. */
  object?: Json | undefined;
  /** Empty: the answer fits, or there is no schema. */
  problems: Problem[];
  /** Parts of the schema that were not checked. */
  skipped: string[];
}

const unchecked: CheckedAnswer = { problems: [], skipped: [] };

/** Reads an answer as the JSON that its request asked for. A turn with tool calls is no answer. */
export function checkAnswer(request: InferRequest, answer: ModelAnswer): CheckedAnswer {
  if (request.kind === 'embed' || answer.kind === 'embed' || request.schema === undefined) return unchecked;
  if ((answer.toolCalls ?? []).length > 0) return unchecked;
  const checked = checkObject(request.schema, answer.text ?? '');
  const { skipped } = checked;
  return checked.fits ? { object: checked.object, problems: [], skipped } : { problems: checked.problems, skipped };
}
