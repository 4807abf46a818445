import { RawJson } from '../../engine/json/index.ts';
import { builder } from './builder.ts';

/** A payload column for the `JSON` scalar. A payload that is `null` differs from none. */
export const payload = (text: string | null | undefined): RawJson | null =>
  text === null || text === undefined ? null : RawJson.trusted(text);

export interface ErrorDetail {
  name: string | null;
  message: string;
  stack: string | null;
}

/** Reads the error of a run or a step from its column. */
export const errorDetail = (text: string | null | undefined): ErrorDetail | null =>
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
