import type { StepWork } from '../execute/pass.ts';
import { changedKind, hasKeys } from '../execute/saved.ts';
import { asDeclared } from '../json/asDeclared.ts';
import { checkFields, checkText, described, MisuseError } from '../misuse.ts';
import type { InferEmbed, InferVectors } from '../protocol.ts';
import { checkRequestFields } from './checkRequest.ts';
import { type InferSurroundings, inferReport } from './generateStep.ts';

export interface EmbedRequest extends Omit<InferEmbed, 'kind'> {
  /** Any number of texts. */
  values: readonly string[];
  /** The length of the vectors, of models that let one choose. */
  dimensions?: number | undefined;
  /** Values per step: 1 to 100. Default: 100. Keep it while runs are under way. */
  batchSize?: number | undefined;
}

/** The most values that the service takes in one step. */
const batchLimit = 100;

interface Steps {
  take<T>(id: string, work: StepWork<T>): Promise<T>;
  surroundings: InferSurroundings;
}

/** Throws a `MisuseError` before any step begins. */
export function embed(id: string, request: EmbedRequest, { take, surroundings }: Steps): Promise<number[][]> {
  const { values, batchSize, data } = checked(id, request, surroundings);
  const batches: string[][] = [];
  for (let start = 0; start < values.length; start += batchSize) batches.push(values.slice(start, start + batchSize));
  return Promise.all(
    batches.map((batch, index) => {
      const step = batches.length === 1 ? id : `${id}/${index + 1}`;
      return take(step, embedWork({ ...data, values: batch }, surroundings));
    }),
  ).then((vectors) => vectors.flat());
}

function checked(
  step: string,
  request: EmbedRequest,
  { aiDefaults }: InferSurroundings,
): { values: readonly string[]; batchSize: number; data: Omit<InferEmbed, 'values'> } {
  checkText(step, 'the id of a step');
  checkFields(request, `step "${step}" needs a request, such as { model: '…', values: […] }`);
  checkRequestFields(step, request);
  const { values, batchSize = batchLimit, ...rest } = request;
  checkText(rest.model, `the model of step "${step}"`);
  if (!Array.isArray(values))
    throw new MisuseError(`the values of step "${step}" must be a list; it is ${described(values)}`);
  const odd = values.findIndex((value) => typeof value !== 'string');
  if (odd >= 0)
    throw new MisuseError(`value ${odd} of step "${step}" must be a string; it is ${described(values[odd])}`);
  if (!Number.isInteger(batchSize) || batchSize < 1 || batchSize > batchLimit) {
    throw new MisuseError(`the batchSize of step "${step}" must be 1 to ${batchLimit}; it is ${described(batchSize)}`);
  }
  const price = aiDefaults.priceFor(step, rest.model, rest.price);
  return { values, batchSize, data: { kind: 'embed', ...rest, ...(price !== undefined && { price }) } };
}

function embedWork(data: InferEmbed, surroundings: InferSurroundings): StepWork<number[][]> {
  return {
    kind: 'Infer',
    read(saved, name) {
      if (!hasKeys(saved, 'embeddings')) throw changedKind(name, 'a call of a model for vectors');
      return asDeclared<InferVectors>(saved).embeddings.map(decoded);
    },
    perform: (name, id) => inferReport(name, id, data, surroundings),
  };
}

/** Reads little-endian float32, and fast: every pass reads all vectors again. */
function decoded(base64: string): number[] {
  const { buffer, byteOffset, byteLength } = Buffer.from(base64, 'base64');
  const view = new DataView(buffer, byteOffset, byteLength);
  const vector = new Array<number>(byteLength / 4);
  for (let index = 0; index < vector.length; index += 1) vector[index] = view.getFloat32(index * 4, true);
  return vector;
}
