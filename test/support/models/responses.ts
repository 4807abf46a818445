import type { Rendered } from './messages.ts';
import { type FullTurn, frame, inputText } from './turn.ts';

type Fields = { [key: string]: unknown };

/** OpenAI's Responses. */
export function renderResponses(turn: FullTurn): Rendered {
  const { model, finish } = turn;
  const isCut = finish === 'length' || finish === 'content-filter';
  const reason = finish === 'length' ? 'max_output_tokens' : 'content_filter';
  const items = itemsOf(turn);
  const response = (status: string, output: unknown[], usage: object | null): Fields => ({
    id: 'resp_fake',
    object: 'response',
    created_at: 1_700_000_000,
    status,
    model,
    output,
    usage,
    error: null,
    incomplete_details: isCut && status === 'incomplete' ? { reason } : null,
    instructions: null,
    metadata: {},
    parallel_tool_calls: true,
    tool_choice: 'auto',
    tools: [],
  });
  let number = 0;
  const event = (type: string, fields: Fields): string => frame({ type, sequence_number: number++, ...fields }, type);
  const begun = response('in_progress', [], null);
  const opening = [event('response.created', { response: begun }), event('response.in_progress', { response: begun })];
  const [first = [], ...others] = items.map(({ whole, started, deltas }, output_index) => [
    event('response.output_item.added', { output_index, item: started }),
    ...deltas.map(([type, fields]) => event(type, { output_index, ...fields })),
    event('response.output_item.done', { output_index, item: whole }),
  ]);
  const end = response(
    isCut ? 'incomplete' : 'completed',
    items.map(({ whole }) => whole),
    usageOf(turn),
  );
  return {
    opening: [...opening, ...first.slice(0, 3)],
    rest: [
      ...first.slice(3),
      ...others.flat(),
      event(isCut ? 'response.incomplete' : 'response.completed', { response: end }),
    ],
    document: end,
    errorFrame: ({ type, message }) =>
      frame({ type: 'error', sequence_number: 0, code: type, message, param: null }, 'error'),
  };
}

interface Item {
  started: Fields;
  deltas: [type: string, fields: Fields][];
  whole: Fields;
}

function itemsOf({ reasoning, pieces, toolCalls = [] }: FullTurn): Item[] {
  return [
    ...(reasoning ? [reasoningItem(reasoning)] : []),
    ...(pieces.length > 0 ? [messageItem(pieces)] : []),
    ...toolCalls.map(({ id, name, input }) => callItem(id, name, inputText(input))),
  ];
}

function messageItem(pieces: string[]): Item {
  const place = { item_id: 'msg_fake', content_index: 0 };
  const part = (text: string): Fields => ({ type: 'output_text', text, annotations: [], logprobs: [] });
  const item = { id: 'msg_fake', type: 'message', role: 'assistant' };
  const text = pieces.join('');
  return {
    started: { ...item, status: 'in_progress', content: [] },
    deltas: [
      ['response.content_part.added', { ...place, part: part('') }],
      ...pieces.map((delta): Item['deltas'][number] => [
        'response.output_text.delta',
        { ...place, delta, logprobs: [] },
      ]),
      ['response.output_text.done', { ...place, text, logprobs: [] }],
      ['response.content_part.done', { ...place, part: part(text) }],
    ],
    whole: { ...item, status: 'completed', content: [part(text)] },
  };
}

function callItem(call_id: string, name: string, input: string): Item {
  const item = { id: `fc_${call_id}`, type: 'function_call', call_id, name };
  return {
    started: { ...item, status: 'in_progress', arguments: '' },
    deltas: [
      ['response.function_call_arguments.delta', { item_id: item.id, delta: input }],
      ['response.function_call_arguments.done', { item_id: item.id, name, arguments: input }],
    ],
    whole: { ...item, status: 'completed', arguments: input },
  };
}

function reasoningItem({ text, signature }: NonNullable<FullTurn['reasoning']>): Item {
  const item = { id: 'rs_fake', type: 'reasoning' };
  const place = { item_id: 'rs_fake', summary_index: 0 };
  const part = { type: 'summary_text', text };
  return {
    started: { ...item, summary: [], encrypted_content: null },
    deltas: [
      ['response.reasoning_summary_part.added', { ...place, part: { ...part, text: '' } }],
      ['response.reasoning_summary_text.delta', { ...place, delta: text }],
      ['response.reasoning_summary_text.done', { ...place, text }],
      ['response.reasoning_summary_part.done', { ...place, part }],
    ],
    whole: { ...item, summary: [part], encrypted_content: signature ?? null },
  };
}

function usageOf({ usage }: FullTurn): Fields {
  const input = usage.input + (usage.cacheRead ?? 0);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cacheRead ?? 0 },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
    total_tokens: input + usage.output,
  };
}
