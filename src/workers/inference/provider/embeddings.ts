import type { EmbedAnswer, EmbedRequest } from '../../../engine/inference/index.ts';
import { fieldsOf, textOf } from './frame.ts';

const maxModelName = 200;

/**
 * The vectors of an answer, in the order of the request's values. Providers send them as numbers,
 * or as base64 if they were asked to. Throws on an answer that lacks one.
 */
export function readEmbeddings(document: unknown, { values, model }: EmbedRequest): EmbedAnswer {
  const body = fieldsOf(document);
  const data: unknown[] = Array.isArray(body['data']) ? body['data'] : [];
  const vectors: (Buffer | undefined)[] = values.map(() => undefined);
  data.forEach((each, position) => {
    const { index, embedding } = fieldsOf(each);
    vectors[typeof index === 'number' ? index : position] = vectorOf(embedding);
  });
  const dimensions = (vectors[0]?.length ?? 0) / 4;
  const embeddings = vectors.map((vector) => {
    if (!vector || vector.length === 0 || vector.length !== dimensions * 4) throw new Error('a vector is missing');
    return vector.toString('base64');
  });
  if (embeddings.length !== values.length) throw new Error('there are more vectors than values');
  return { kind: 'embed', embeddings, dimensions, model: (textOf(body['model']) ?? model).slice(0, maxModelName) };
}

/** A vector as little-endian float32. */
function vectorOf(given: unknown): Buffer | undefined {
  if (typeof given === 'string') {
    const bytes = Buffer.from(given, 'base64');
    return bytes.length % 4 === 0 ? bytes : undefined;
  }
  if (!Array.isArray(given)) return undefined;
  const bytes = Buffer.alloc(given.length * 4);
  for (const [i, each] of given.entries()) {
    if (typeof each !== 'number') return undefined;
    bytes.writeFloatLE(each, i * 4);
  }
  return bytes;
}
