import type { Rendered } from './messages.ts';
import { type FullTurn, frame, inputText } from './turn.ts';

const finishReasons = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
};

/** OpenAI's chat completions, which others speak, too. */
export function renderChat(turn: FullTurn, { withUsage }: { withUsage: boolean }): Rendered {
  const { model, pieces, reasoning, toolCalls = [], finish } = turn;
  const head = { id: 'chatcmpl-fake', created: 1_700_000_000, model };
  const chunk = (delta: object, finish_reason: string | null = null): string =>
    frame({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] });
  const calls = toolCalls.map(({ id, name, input }) => ({
    id,
    type: 'function',
    function: { name, arguments: inputText(input) },
  }));
  const [first = { content: '' }, ...others] = [
    ...(reasoning ? [{ reasoning_content: reasoning.text }] : []),
    ...pieces.map((content) => ({ content })),
    ...calls.flatMap(callDeltas),
  ];
  const usage = usageOf(turn);
  const message = {
    role: 'assistant',
    content: pieces.length > 0 ? pieces.join('') : null,
    ...(reasoning ? { reasoning_content: reasoning.text } : {}),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  return {
    opening: [chunk({ role: 'assistant', content: '' }), chunk(first)],
    rest: [
      ...others.map((delta) => chunk(delta)),
      chunk({}, finishReasons[finish]),
      ...(withUsage ? [frame({ ...head, object: 'chat.completion.chunk', choices: [], usage })] : []),
      frame('[DONE]'),
    ],
    document: {
      ...head,
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason: finishReasons[finish] }],
      usage,
    },
    errorFrame: (error) => frame({ error }),
  };
}

/** A call comes in three pieces: its name, and its arguments in halves. */
function callDeltas(call: { id: string; type: string; function: { name: string; arguments: string } }, index: number) {
  const { name, arguments: input } = call.function;
  const half = Math.ceil(input.length / 2);
  return [
    { tool_calls: [{ index, id: call.id, type: call.type, function: { name, arguments: '' } }] },
    ...[input.slice(0, half), input.slice(half)].map((piece) => ({
      tool_calls: [{ index, function: { arguments: piece } }],
    })),
  ];
}

function usageOf({ usage }: FullTurn): object {
  const prompt = usage.input + (usage.cacheRead ?? 0);
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.output,
    total_tokens: prompt + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead ?? 0 },
    completion_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
  };
}
