import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** A request of Anthropic's Messages API, as far as a script reads it. */
export interface MessagesRequest {
  model: string;
  stream?: boolean;
  messages: { role: string; content: string | Part[] }[];
}

interface Part {
  type: string;
  text?: string;
  content?: unknown;
}

/** The answer of the fake model: a text, or calls of tools. */
export type Turn = { text: string } | { calls: { name: string; input: object }[] };

/** Plays a provider with Anthropic's Messages API on this machine. It needs no key. */
export class FakeProvider implements AsyncDisposable {
  /** How many requests it has answered. */
  requests = 0;
  readonly baseUrl: string;
  readonly #stop: () => Promise<void>;

  private constructor(baseUrl: string, stop: () => Promise<void>) {
    this.baseUrl = baseUrl;
    this.#stop = stop;
  }

  /** `script` answers a request. */
  static async start(script: (request: MessagesRequest) => Turn): Promise<FakeProvider> {
    const server = createServer((request, response) => {
      provider.requests += 1;
      answer(request, response, script).catch((cause: unknown) => response.destroy(new Error(String(cause))));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no free port was found');
    const provider = new FakeProvider(`http://127.0.0.1:${address.port}`, async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    });
    return provider;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
  }
}

/** The texts of the tool results in the last message; empty in the first turn. */
export function toolResults({ messages }: MessagesRequest): string[] {
  const content = messages.at(-1)?.content;
  if (!Array.isArray(content)) return [];
  return content.filter(({ type }) => type === 'tool_result').map((part) => textOf(part.content));
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((part: Part) => part.text ?? '').join('') : JSON.stringify(content);
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  script: (request: MessagesRequest) => Turn,
): Promise<void> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
  if (request.method !== 'POST' || request.url !== '/v1/messages') {
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({ type: 'error', error: { type: 'not_found_error', message: 'there is no such page' } }),
    );
    return;
  }
  const asked: MessagesRequest = JSON.parse(body);
  const message = messageOf(asked, script(asked), tokens(body));
  if (asked.stream === true) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(eventsOf(message).map(eventText).join(''));
  } else {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(message));
  }
}

type Block = { type: 'text'; text: string } | { type: 'tool_use'; id: string; name: string; input: object };

interface Message {
  content: Block[];
  stop_reason: string;
  usage: { input_tokens: number; output_tokens: number };
  [field: string]: unknown;
}

/** As many as a real model might count. */
const tokens = (text: string): number => Math.ceil(text.length / 4);

function messageOf({ model, messages }: MessagesRequest, turn: Turn, inputTokens: number): Message {
  const content: Block[] =
    'text' in turn
      ? [{ type: 'text', text: turn.text }]
      : turn.calls.map((call, index) => ({ type: 'tool_use', id: `toolu_${messages.length}_${index}`, ...call }));
  return {
    id: `msg_${messages.length}`,
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: 'text' in turn ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: inputTokens, output_tokens: tokens(JSON.stringify(content)) },
  };
}

interface StreamEvent {
  type: string;
  [field: string]: unknown;
}

/** The message as a stream: a text comes word by word, the input of a tool in one piece. */
function eventsOf(message: Message): StreamEvent[] {
  const { content, stop_reason, usage } = message;
  const start = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  return [
    { type: 'message_start', message: start },
    ...content.flatMap(blockEvents),
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ];
}

function blockEvents(block: Block, index: number): StreamEvent[] {
  const begun = block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} };
  const deltas =
    block.type === 'text'
      ? (block.text.match(/\S+\s*/g) ?? []).map((text) => ({ type: 'text_delta', text }))
      : [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }];
  return [
    { type: 'content_block_start', index, content_block: begun },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

const eventText = (event: StreamEvent): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
