import type { FullTurn } from './turn.ts';

/** OpenAI's embeddings, as numbers or as base64. */
export function renderEmbeddings({ embeddings, usage, model }: FullTurn, body: { [key: string]: unknown }): unknown {
  const values = [body['input']].flat();
  const vectors = embeddings ?? values.map((_, i) => [i + 0.5, 0.25, -1]);
  const isBase64 = body['encoding_format'] === 'base64';
  return {
    object: 'list',
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: isBase64 ? Buffer.from(Float32Array.from(vector).buffer).toString('base64') : vector,
    })),
    model,
    usage: { prompt_tokens: usage.input, total_tokens: usage.input },
  };
}
