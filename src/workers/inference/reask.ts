import type { InferRequest, Message, TextAnswer } from '../../engine/inference/index.ts';

/** Where an answer does not fit its schema, and which keyword says so. */
export interface Problem {
  /** A JSON pointer into the answer; empty: the answer itself. */
  path: string;
  keyword: string;
}

/** Problems that a model or an error is told of. */
const maxProblems = 10;
const maxPathLength = 200;

export const problemsText = (problems: readonly Problem[]): string =>
  problems.slice(0, maxProblems).map(problemText).join('; ');

const problemText = ({ path, keyword }: Problem): string =>
  `${path === '' ? 'the answer' : path.slice(0, maxPathLength)}: ${keyword}`;

/** The messages that ask for an answer again: the answer, and what is wrong with it. */
export function askAgain(answer: TextAnswer, problems: readonly Problem[]): Message[] {
  const told = problems.slice(0, maxProblems).map((problem) => `- ${problemText(problem)}`);
  const text = [
    'Your answer does not fit the JSON Schema:',
    ...told,
    'Answer again, with JSON that fits and nothing else.',
  ];
  const wrong: Message[] = answer.content.length > 0 ? [{ role: 'assistant', content: answer.content }] : [];
  return [...wrong, { role: 'user', content: [{ type: 'text', text: text.join('\n') }] }];
}

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
