import {
  type InferRequest,
  type Message,
  type Problem,
  reaskRequest,
  type TextAnswer,
  type TextRequest,
} from '../../engine/inference/index.ts';

const maxPathLength = 200;

/**
 * Why an answer was not taken, for the error of a step. It must not repeat what stands in the
 * request. So only messages of our own are told, and of the schema only keywords.
 */
export function reasonOf(problems: readonly Problem[]): string {
  const [first] = problems;
  if (first?.keyword === 'json') return first.message;
  if (first?.keyword === 'schema') return `the answer could not be checked against the schema: ${first.message}`;
  const places = problems.map(({ path, keyword }) => `${path.slice(0, maxPathLength) || 'top level'}: ${keyword}`);
  return `the answer does not fit the schema (${places.join('; ')})`;
}

/** The messages that ask for an answer again: the answer, and what is wrong with it. */
export const askAgain = (request: TextRequest, answer: TextAnswer, problems: readonly Problem[]): Message[] =>
  reaskRequest(request, answer, problems).messages.slice(request.messages.length);

/**
 * A request is sealed as the runner sent it. Messages that asked again follow after this character,
 * which no JSON text contains. So the original request stays what it was, for the cache too.
 */
const separator = '\0';

export function joinReasks(text: string, messages: readonly Message[]): string {
  const { data, reasks } = splitReasks(text);
  return `${data}${separator}${JSON.stringify([...reasks, ...messages])}`;
}

/** The `data` of the opcode, and the messages that asked again. */
export function splitReasks(text: string): { data: string; reasks: Message[] } {
  const at = text.indexOf(separator);
  if (at < 0) return { data: text, reasks: [] };
  // Written by `joinReasks`, and sealed since.
  const reasks: Message[] = JSON.parse(text.slice(at + 1));
  return { data: text.slice(0, at), reasks };
}

export const withReasks = <Request extends InferRequest>(request: Request, reasks: readonly Message[]): Request =>
  request.kind === 'text' && reasks.length > 0 ? { ...request, messages: [...request.messages, ...reasks] } : request;
