import { get, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';

export interface ReadEvent {
  event: string;
  id: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it, and fail where it is another thing.
  data: any;
}

export interface SseReader {
  status: number;
  headers: IncomingHttpHeaders;
  /** The next event; undefined at the end of the stream. Rejects if the connection broke. */
  next(): Promise<ReadEvent | undefined>;
  /** All events up to the end of the stream. */
  rest(): Promise<ReadEvent[]>;
  /** Closes the connection. */
  leave(): void;
}

/** Reads Server-Sent Events like a browser. */
export function openStream(url: string, headers: Record<string, string>): Promise<SseReader> {
  return new Promise((resolve, reject) => {
    const request = get(url, { headers, agent: false }, (response) => resolve(reader(response)));
    request.on('error', reject);
  });
}

function reader(response: IncomingMessage): SseReader {
  const events = parse(response.setEncoding('utf8'));
  const next = async (): Promise<ReadEvent | undefined> => {
    const result = await events.next();
    return result.done ? undefined : result.value;
  };
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    next,
    async rest() {
      const all: ReadEvent[] = [];
      for (let event = await next(); event; event = await next()) all.push(event);
      return all;
    },
    leave: () => response.destroy(),
  };
}

async function* parse(response: IncomingMessage): AsyncGenerator<ReadEvent, undefined> {
  let text = '';
  for await (const chunk of response) {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      const block = text.slice(0, end);
      text = text.slice(end + 2);
      if (!block.startsWith(':')) yield parseBlock(block);
    }
  }
  return undefined;
}

function parseBlock(block: string): ReadEvent {
  const lines = block.split('\n').map((line) => {
    const colon = line.indexOf(': ');
    return [line.slice(0, colon), line.slice(colon + 2)] as const;
  });
  const all = (name: string): string[] => lines.filter(([each]) => each === name).map(([, value]) => value);
  const data = all('data').join('\n');
  return { event: all('event').join(), id: all('id')[0], data: data === '' ? undefined : JSON.parse(data) };
}
