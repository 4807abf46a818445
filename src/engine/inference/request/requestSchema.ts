import { z } from 'zod';
import { isLongerThan, maxNameLength } from '../../codePoints.ts';
import { hasControlCharacter, hasUnsupportedCharacter } from '../../json/index.ts';
import { schemaProblem } from '../output/schemaShape.ts';
import type { Json } from './inferRequest.ts';

const json: z.ZodType<Json> = z.json();
const fields = z.record(z.string(), json, 'must be an object');
const text = z.string('must be a string');

const name = text
  .min(1, 'must not be empty')
  .refine((value) => !isLongerThan(value, maxNameLength), `may be at most ${maxNameLength} characters long`)
  .refine((value) => !hasControlCharacter(value) && !hasUnsupportedCharacter(value), 'has an unsupported character');

const within = (min: number, max: number) => {
  const error = `must be a number from ${min} to ${max}`;
  return z.number(error).min(min, error).max(max, error);
};
const whole = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.int(error).min(min, error).max(max, error);
};
const list = <T extends z.ZodType>(item: T, max: number) =>
  z.array(item, 'must be a list').max(max, `may have at most ${max} entries`);

const schema = z.union([z.boolean(), fields], 'must be a JSON Schema').superRefine((value, check) => {
  const problem = schemaProblem(value);
  if (problem !== undefined) check.addIssue({ code: 'custom', message: problem });
});

const metadata = fields.optional();
const source = { data: text.optional(), url: text.optional() };
const hasSource = ({ data, url }: { data?: string | undefined; url?: string | undefined }): boolean =>
  (data === undefined) !== (url === undefined);
const noSource = 'must have data or a url, and not both';

const part = z.discriminatedUnion(
  'type',
  [
    z.object({ type: z.literal('text'), text, metadata }),
    z.object({ type: z.literal('image'), ...source, mediaType: text.optional(), metadata }).refine(hasSource, noSource),
    z
      .object({ type: z.literal('file'), ...source, mediaType: text, filename: text.optional(), metadata })
      .refine(hasSource, noSource),
    z.object({ type: z.literal('tool_call'), id: text, name: text, input: json, metadata }),
    z.object({
      type: z.literal('tool_result'),
      id: text,
      name: text,
      output: json,
      isError: z.boolean('must be true or false').optional(),
      metadata,
    }),
    z.object({ type: z.literal('reasoning'), text, metadata }),
  ],
  'must be one of text, image, file, tool_call, tool_result, reasoning',
);

const message = z.object(
  {
    role: z.enum(['system', 'user', 'assistant', 'tool'], 'must be one of system, user, assistant, tool'),
    content: z.union([z.string(), z.array(z.unknown())], 'must be a string or a list of parts'),
  },
  'must be an object',
);

const maxPrice = 1_000_000;
const perMillion = within(0, maxPrice);

/** The fields of `data` (4.10). Parts of messages are read by `partSchema`, for clearer errors. */
export const requestSchema = z.object(
  {
    kind: z.enum(['text', 'embed'], 'must be one of text, embed').default('text'),
    provider: name.optional(),
    model: name,
    system: text.optional(),
    prompt: text.optional(),
    messages: list(message, 10_000).optional(),
    temperature: within(0, 10).optional(),
    maxTokens: whole(1, 100_000_000).optional(),
    topP: within(0, 1).optional(),
    stop: list(text, 64).optional(),
    seed: whole(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER).optional(),
    schema: schema.optional(),
    tools: list(
      z.object({ name, description: text.optional(), inputSchema: schema }, 'must be an object'),
      1_000,
    ).optional(),
    toolChoice: z
      .union(
        [z.enum(['auto', 'none', 'required']), z.object({ tool: z.string() })],
        'must be auto, none, required or {tool: <name>}',
      )
      .optional(),
    options: fields.optional(),
    price: z
      .object(
        {
          input: perMillion,
          output: perMillion,
          cacheRead: perMillion.optional(),
          cacheWrite: perMillion.optional(),
        },
        'must be an object with input and output',
      )
      .optional(),
    cache: z.boolean('must be true or false').optional(),
    reasks: whole(0, 3).optional(),
    onUnknown: z.enum(['repeat', 'fail'], 'must be one of repeat, fail').default('repeat'),
    values: list(text, 100).min(1, 'must have an entry').optional(),
    dimensions: whole(1, 100_000).optional(),
  },
  'must be an object',
);

export { part as partSchema };
