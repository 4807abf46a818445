import { forbidden, invalid } from '../../engine/errors.ts';
import type { Question, ToolCall } from '../declare/tool.ts';
import { type Bound, open, type Sealed, seal } from './seal.ts';

/** The form of a question: its message, and its members. */
export interface Form {
  message: string;
  properties: Record<string, unknown>;
}

/** Asks the person. The state binds the answer to this call. */
export function ask(
  call: ToolCall,
  { message, properties }: Form,
  bound: Bound & Partial<Omit<Sealed, 'id'>>,
): { ask: Question } {
  const state = seal(call, 'ask', { until: undefined, since: undefined, ...bound }).text;
  return { ask: { message, form: { type: 'object', properties, required: Object.keys(properties) }, state } };
}

/** What the person answered. */
export interface PersonsAnswer {
  sealed: Sealed;
  content: Readonly<Record<string, unknown>>;
}

const notAccepted = 'the person did not agree: nothing was changed';

/**
 * The person's answer; undefined in the first round. Throws `invalid` if its state was altered, and
 * `forbidden` unless the person sent the form.
 */
export function personsAnswer(call: ToolCall, bound: Bound): PersonsAnswer | undefined {
  const { answers, state } = call.asking;
  if (state === undefined && answers === undefined) return undefined;
  if (state === undefined) throw invalid('requestState is required with the answer of the person');
  const sealed = open(call, 'ask', state, bound);
  const answer: unknown = answers?.['answer'];
  const content: unknown = memberOf(answer, 'action') === 'accept' ? memberOf(answer, 'content') : undefined;
  if (typeof content !== 'object' || content === null) throw forbidden(notAccepted);
  return { sealed, content: { ...content } };
}

/** Throws `forbidden` unless the person ticked the box. */
export function requireYes({ content }: PersonsAnswer): void {
  if (content['confirm'] !== true) throw forbidden(notAccepted);
}

export const refuseAnswer = (): Error => forbidden(notAccepted);

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
