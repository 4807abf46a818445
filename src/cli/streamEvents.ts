export interface StreamEvent {
  id: string | undefined;
  data: string;
}

/** Reads the events of a stream in the format that the service writes. Skips comments. */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = valuesOf(block, 'data');
      if (data.length > 0) yield { id: valuesOf(block, 'id')[0], data: data.join('\n') };
    }
  }
}

const valuesOf = (block: string, field: string): string[] =>
  block
    .split('\n')
    .filter((line) => line.startsWith(`${field}: `))
    .map((line) => line.slice(field.length + 2));
