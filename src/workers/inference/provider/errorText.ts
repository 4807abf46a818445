import type { InferRequest } from '../../../engine/inference/index.ts';
import { redactPrompt } from './redactPrompt.ts';
import type { ProviderError } from './wireWatch.ts';

const maxLength = 500;
const maxWarnings = 20;
const maxWarningLength = 300;

/** The message of a refusal: the status, the provider's type of the error, and its words. */
export function errorText(error: ProviderError & { status?: number | undefined }, request: InferRequest): string {
  const { status, type, code, message } = error;
  const kinds = [...new Set([type, code].filter((kind) => kind !== undefined && /^[\w.-]{1,64}$/.test(kind)))];
  const head = [status === undefined ? [] : [String(status)], kinds].flat().join(' ');
  return shown([head, message?.trim()].filter((part) => part).join(': '), request);
}

/** A text without the prompt, on one line, and cut. */
export function shown(text: string, request: InferRequest): string {
  return cut(redactPrompt(text, request), maxLength);
}

/** Warnings that may be stored. The prompt is compared with all of them at once. */
export function shownWarnings(warnings: readonly string[], request: InferRequest): string[] {
  if (warnings.length === 0) return [];
  const texts = [...new Set(warnings)].slice(0, maxWarnings).map((text) => cut(text, maxWarningLength));
  const lines = redactPrompt(texts.join('\n'), request).split('\n');
  return lines.map((line) => cut(line, maxWarningLength)).filter((line) => line !== '');
}

/** The id of a request, as the provider names it. Undefined if it looks like anything else. */
export function shownRequestId(given: string | string[] | undefined, request: InferRequest): string | undefined {
  if (typeof given !== 'string' || !/^[\w.:-]{1,128}$/.test(given)) return undefined;
  return redactPrompt(given, request) === given ? given : undefined;
}

/** Control characters would break the lines of a log, and U+0000 the database. */
function cut(text: string, length: number): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is replaced
  const line = text.replace(/[\u0000-\u001f\u007f\s]+/g, ' ').trim();
  const kept = line.length <= length ? line : `${line.slice(0, length - 1)}…`;
  return kept.replace(loneSurrogate, '\ufffd');
}

/** A half of a character, such as a cut leaves. */
const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
