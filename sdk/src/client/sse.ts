export interface ServerSentEvent {
  readonly id?: string;
  readonly event?: string;
  readonly data: string;
}

/**
 * Reads the events of a stream, as the HTML standard defines. Skips comments, and ends with the
 * stream.
 */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  let fields: string[] = [];
  for await (const line of readLines(body)) {
    if (line !== '') {
      fields.push(line);
      continue;
    }
    const event = parseEvent(fields);
    fields = [];
    if (event !== undefined) yield event;
  }
}

async function* readLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    // A trailing CR may be half of a CRLF, so it waits for the next chunk.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

function parseEvent(lines: string[]): ServerSentEvent | undefined {
  const fields: { id?: string; event?: string } = {};
  const data: string[] = [];
  for (const line of lines) {
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === 'data') data.push(value);
    else if (name === 'id' || name === 'event') fields[name] = value;
  }
  return data.length === 0 ? undefined : { ...fields, data: data.join('\n') };
}
