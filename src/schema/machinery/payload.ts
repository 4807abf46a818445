import { RawJson } from '../../engine/json/index.ts';
import { builder } from './builder.ts';

/**
 * A payload column for the `JSON` scalar: null where there is none; a payload that is `null` stays
 * one.
 */
export const payload = (text: string | null | undefined): RawJson | null =>
  text === null || text === undefined ? null : RawJson.trusted(text);

export interface ErrorDetail {
  name: string | null;
  message: string;
  stack: string | null;
}

/** The error of a run or a step, from its column. */
export const errorDetail = (text: string | null | undefined): ErrorDetail | null =>
  text === null || text === undefined ? null : toErrorDetail(JSON.parse(text));

/** The same, from a value inside a frame. */
export function toErrorDetail(value: unknown): ErrorDetail | null {
  if (typeof value !== 'object' || value === null) return null;
  const { name, message, stack }: { name?: unknown; message?: unknown; stack?: unknown } = value;
  const text = (part: unknown): string | null => (typeof part === 'string' ? part : null);
  return { name: text(name), message: text(message) ?? '', stack: text(stack) };
}

export const ErrorDetailType = builder.objectRef<ErrorDetail>('ErrorDetail').implement({
  description: 'Why a run or a step failed.',
  fields: (t) => ({
    name: t.exposeString('name', { nullable: true }),
    message: t.exposeString('message'),
    stack: t.exposeString('stack', { nullable: true }),
  }),
});
