import { type FullTurn, frame, inputText } from './turn.ts';

/** What a format makes of a turn. `opening` frames come before the first piece of the answer. */
export interface Rendered {
  opening: string[];
  rest: string[];
  document: unknown;
  errorFrame(error: { type: string; message: string }): string;
}

const stopReasons = { stop: 'end_turn', length: 'max_tokens', 'tool-calls': 'tool_use', 'content-filter': 'refusal' };

/** Anthropic's Messages. */
export function renderMessages(turn: FullTurn): Rendered {
  const { usage, model, finish } = turn;
  const counted = {
    input_tokens: usage.input,
    cache_read_input_tokens: usage.cacheRead ?? 0,
    cache_creation_input_tokens: usage.cacheWrite ?? 0,
  };
  const blocks = blocksOf(turn);
  const message = { id: 'msg_fake', type: 'message', role: 'assistant', model };
  const stop = { stop_reason: stopReasons[finish], stop_sequence: null };
  const start = {
    type: 'message_start',
    message: {
      ...message,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...counted, output_tokens: 1 },
    },
  };
  const [first = [], ...others] = blocks.map(({ start: begun, deltas }, index) => [
    event({ type: 'content_block_start', index, content_block: begun }),
    ...deltas.map((delta) => event({ type: 'content_block_delta', index, delta })),
    event({ type: 'content_block_stop', index }),
  ]);
  return {
    opening: [event(start), event({ type: 'ping' }), ...first.slice(0, 2)],
    rest: [
      ...first.slice(2),
      ...others.flat(),
      event({ type: 'message_delta', delta: stop, usage: { output_tokens: usage.output } }),
      event({ type: 'message_stop' }),
    ],
    document: {
      ...message,
      ...stop,
      content: blocks.map(({ whole }) => whole),
      usage: { ...counted, output_tokens: usage.output },
    },
    errorFrame: (error) => event({ type: 'error', error }),
  };
}

const event = (data: { type: string; [key: string]: unknown }): string => frame(data, data.type);

interface Block {
  start: object;
  deltas: object[];
  whole: object;
}

function blocksOf({ reasoning, pieces, toolCalls = [] }: FullTurn): Block[] {
  const texts: Block[] =
    pieces.length === 0
      ? []
      : [
          {
            start: { type: 'text', text: '' },
            deltas: pieces.map((text) => ({ type: 'text_delta', text })),
            whole: { type: 'text', text: pieces.join('') },
          },
        ];
  const calls = toolCalls.map(({ id, name, input }) => ({
    start: { type: 'tool_use', id, name, input: {} },
    deltas: [{ type: 'input_json_delta', partial_json: inputText(input) }],
    whole: { type: 'tool_use', id, name, input },
  }));
  return [...(reasoning ? [thinking(reasoning)] : []), ...texts, ...calls];
}

function thinking({ text, signature = '', redacted }: NonNullable<FullTurn['reasoning']>): Block {
  if (redacted !== undefined) {
    const block = { type: 'redacted_thinking', data: redacted };
    return { start: block, deltas: [], whole: block };
  }
  return {
    start: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      { type: 'thinking_delta', thinking: text },
      { type: 'signature_delta', signature },
    ],
    whole: { type: 'thinking', thinking: text, signature },
  };
}
