import { RawJson } from '../../engine/json/index.ts';
import { builder } from './builder.ts';
import { whenThere } from './metered.ts';

type PayloadText = string | null | undefined;

/** A payload column for the `JSON` scalar. A payload that is `null` differs from none. */
export const payload = (text: PayloadText): RawJson | null =>
  text === null || text === undefined ? null : RawJson.trusted(text);

/** The same for text that a loader has, or will have. */
export const loadedPayload = (text: PayloadText | Promise<PayloadText>): RawJson | null | Promise<RawJson | null> =>
  whenThere(text, payload);

export interface ErrorDetail {
  name: string | null;
  message: string;
  stack: string | null;
}

/** Reads the error of a run or a step from its column. */
export const errorDetail = (text: PayloadText): ErrorDetail | null =>
  text === null || text === undefined ? null : toErrorDetail(JSON.parse(text));

/** Reads the error from a value in a frame. */
export function toErrorDetail(value: unknown): ErrorDetail | null {
  if (typeof value !== 'object' || value === null) return null;
  const { name, message, stack }: { name?: unknown; message?: unknown; stack?: unknown } = value;
  const text = (part: unknown): string | null => (typeof part === 'string' ? part : null);
  return { name: text(name), message: text(message) ?? '', stack: text(stack) };
}

export const ErrorDetailType = builder.objectRef<ErrorDetail>('ErrorDetail').implement({
  description: 'The error of a run or a step that failed.',
  fields: (t) => ({
    name: t.exposeString('name', { nullable: true }),
    message: t.exposeString('message'),
    stack: t.exposeString('stack', { nullable: true }),
  }),
});
