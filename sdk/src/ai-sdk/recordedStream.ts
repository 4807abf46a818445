import { randomUUID } from 'node:crypto';
import type { StreamPart } from './models.ts';

/**
 * A run of deltas of one block. An answer has thousands of them, and one object for each would
 * multiply the size of the record.
 */
interface DeltaRun {
  type: string;
  id: string;
  deltas: string[];
}

export type RecordedPart = StreamPart | DeltaRun;

/**
 * Reads a streamed answer to its end. `onFinish` receives the part with the usage. Throws the error
 * of an `error` part. Raw parts repeat the body of the response, so they are
 * dropped, as pings are.
 */
export async function recordStream(
  stream: ReadableStream<StreamPart>,
  modelId: string,
  onFinish: (part: StreamPart, modelId: string) => void,
): Promise<RecordedPart[]> {
  const recorded: RecordedPart[] = [];
  let answeredBy: string | undefined;
  for await (const part of partsOf(stream)) {
    if (part.type === 'raw' || part.type === 'ping') continue;
    if (part.type === 'error') throw part.error;
    if (part.type === 'response-metadata') answeredBy = part.modelId ?? modelId;
    if (part.type === 'finish') onFinish(part, answeredBy ?? modelId);
    add(recorded, part);
  }
  return answeredBy === undefined ? withMetadata(recorded, modelId) : recorded;
}

/** The stream that was recorded, with every delta as it was. */
export function replayStream(recorded: readonly RecordedPart[]): ReadableStream<StreamPart> {
  const parts = playedParts(recorded);
  return new ReadableStream({
    pull(controller) {
      const next = parts.next();
      if (next.done === true) controller.close();
      else controller.enqueue(next.value);
    },
  });
}

async function* partsOf(stream: ReadableStream<StreamPart>): AsyncGenerator<StreamPart> {
  const reader = stream.getReader();
  let isDone = false;
  try {
    while (!isDone) {
      const { done, value } = await reader.read();
      isDone = done;
      if (value !== undefined) yield value;
    }
  } finally {
    // After an error, the model's connection must not stay open.
    if (!isDone) await reader.cancel().catch(() => {});
  }
}

function add(recorded: RecordedPart[], part: StreamPart): void {
  if (!isBareDelta(part)) {
    recorded.push(part);
    return;
  }
  const { type, id, delta } = part;
  const last = recorded.at(-1);
  if (last !== undefined && 'deltas' in last && last.type === type && last.id === id) last.deltas.push(delta);
  else recorded.push({ type, id, deltas: [delta] });
}

/** A delta without other fields, such as the metadata of a provider. */
function isBareDelta(part: StreamPart): part is StreamPart & { id: string; delta: string } {
  return (
    part.type.endsWith('-delta') &&
    typeof part.id === 'string' &&
    typeof part.delta === 'string' &&
    Object.keys(part).length === 3
  );
}

/**
 * Adds the id and the time of the answer, which the AI SDK would otherwise make up anew in each
 * pass.
 */
function withMetadata(recorded: RecordedPart[], modelId: string): RecordedPart[] {
  const metadata = { type: 'response-metadata', id: randomUUID(), timestamp: new Date(), modelId };
  const starts = recorded.findIndex(({ type }) => type === 'stream-start') + 1;
  return recorded.toSpliced(starts, 0, metadata);
}

function* playedParts(recorded: readonly RecordedPart[]): Generator<StreamPart> {
  for (const part of recorded) {
    if ('deltas' in part) for (const delta of part.deltas) yield { type: part.type, id: part.id, delta };
    else yield part;
  }
}
