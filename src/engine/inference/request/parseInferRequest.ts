import type { z } from 'zod';
import type { EmbedRequest, InferRequest, Message, TextRequest } from './inferRequest.ts';
import { partSchema, requestSchema } from './requestSchema.ts';

export interface ParsedRequest {
  request: InferRequest;
  /** Fields that are not known, by path. They are ignored. */
  ignored: string[];
}

/** The request is malformed. The message names the field. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
}

/** Reads the `data` of an `Infer` opcode (4.10). Throws a `RequestError`. */
export function parseInferRequest(data: unknown): ParsedRequest {
  const fields = checked(requestSchema, data, '');
  const messages = (fields.messages ?? []).map((message, position) => {
    const path = `messages[${position}].content`;
    return { role: message.role, content: contentOf(message.content, path) };
  });
  const ignored = [...unknownFields(data, fields, ''), ...ignoredInParts(data, messages)].slice(0, maxIgnored);
  const request = fields.kind === 'embed' ? toEmbed(fields) : toText(fields, messages);
  return { request, ignored };
}

const maxIgnored = 20;
const defaultReasks = 1;

type Fields = z.output<typeof requestSchema>;

function toText(fields: Fields, messages: Message[]): TextRequest {
  const { prompt, model, onUnknown, options, price } = fields;
  if (prompt !== undefined && fields.messages !== undefined)
    throw new RequestError('prompt and messages: give one of them');
  if (prompt === undefined && messages.length === 0) throw new RequestError('prompt or messages: is required');
  const { system, temperature, maxTokens, topP, stop, seed, schema, tools, toolChoice, cache } = fields;
  const asked: Message[] =
    prompt === undefined ? messages : [{ role: 'user', content: [{ type: 'text', text: prompt }] }];
  return {
    kind: 'text',
    provider: fields.provider ?? 'anthropic',
    reasks: fields.reasks ?? defaultReasks,
    messages: asked,
    ...{ model, onUnknown, options, price, system, temperature, maxTokens, topP, stop, seed },
    ...{ schema, tools, toolChoice, cache },
  };
}

function toEmbed({ provider = 'openai', model, values, dimensions, onUnknown, options, price }: Fields): EmbedRequest {
  if (provider === 'anthropic') throw new RequestError('provider: anthropic has no embeddings');
  if (values === undefined) throw new RequestError('values: is required');
  return { kind: 'embed', provider, model, values, dimensions, onUnknown, options, price };
}

function contentOf(content: string | unknown[], path: string): Message['content'] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map((part, position) => withSource(checked(partSchema, part, `${path}[${position}]`)));
}

/** A part with its one source. `partSchema` has checked that there is one. */
function withSource(part: z.output<typeof partSchema>): Message['content'][number] {
  if (part.type !== 'image' && part.type !== 'file') return part;
  const { data, url, ...rest } = part;
  return data === undefined ? { ...rest, url: url ?? '' } : { ...rest, data };
}

function checked<T>(schema: z.ZodType<T>, value: unknown, path: string): T {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const at = pathText(path, issue?.path ?? []);
  const isAbsent = issue !== undefined && valueAt(value, issue.path) === undefined;
  throw new RequestError(`${at === '' ? 'data' : at}: ${isAbsent ? 'is required' : (issue?.message ?? 'is invalid')}`);
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value;
  for (const key of path) at = typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined;
  return at;
}

const pathText = (base: string, path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : text === '' ? String(key) : `${text}.${String(key)}`),
    base,
  );

/** The paths of fields that a schema left out. */
function unknownFields(given: unknown, read: unknown, path: string): string[] {
  if (Array.isArray(given) && Array.isArray(read)) {
    return given.flatMap((entry, position) => unknownFields(entry, read[position], `${path}[${position}]`));
  }
  if (!isObject(given) || !isObject(read)) return [];
  return Object.entries(given).flatMap(([key, value]) => {
    const at = path === '' ? key : `${path}.${key}`;
    return key in read ? unknownFields(value, read[key], at) : [at];
  });
}

function ignoredInParts(data: unknown, messages: readonly Message[]): string[] {
  const given = isObject(data) && Array.isArray(data['messages']) ? data['messages'] : [];
  return messages.flatMap(({ content }, position) => {
    const message: unknown = given[position];
    return isObject(message) ? unknownFields(message['content'], content, `messages[${position}].content`) : [];
  });
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
