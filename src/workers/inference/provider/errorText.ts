import type { InferRequest } from '../../../engine/inference/index.ts';
import { onOneLine, redactPrompt } from './redactPrompt.ts';
import type { ProviderError } from './wireWatch.ts';

/** What no text repeats. */
export interface Hidden {
  request: InferRequest;
  apiKey: string;
}

const maxLength = 500;
const maxWarnings = 20;
const maxWarningLength = 300;

/** Stands between warnings while the prompt is taken out of them. */
const separator = '\u241e';

/** The message of a refusal: the status, the provider's type of the error, and its words. */
export function errorText(error: ProviderError & { status?: number | undefined }, hidden: Hidden): string {
  const { status, type, code, message } = error;
  const kinds = [...new Set([type, code].filter((kind) => kind !== undefined && /^[\w.-]{1,64}$/.test(kind)))];
  const head = [status === undefined ? [] : [String(status)], kinds].flat().join(' ');
  return shown([head, message?.trim()].filter((part) => part).join(': '), hidden);
}

/** A text without the prompt, on one line, and cut. */
export function shown(text: string, hidden: Hidden): string {
  return cut(redactPrompt(text, hidden.request, hidden.apiKey), maxLength);
}

/** Warnings that may be stored. The prompt is compared with all of them at once. */
export function shownWarnings(warnings: readonly string[], hidden: Hidden): string[] {
  if (warnings.length === 0) return [];
  const texts = [...new Set(warnings)].slice(0, maxWarnings).map((text) => cut(text, maxWarningLength));
  const lines = redactPrompt(texts.join(separator), hidden.request, hidden.apiKey).split(separator);
  return lines.map((line) => cut(line, maxWarningLength)).filter((line) => line !== '');
}

/** The id of a request, as the provider names it. Undefined if it looks like anything else. */
export function shownRequestId(given: string | string[] | undefined, hidden: Hidden): string | undefined {
  if (typeof given !== 'string' || !/^[\w.:-]{1,128}$/.test(given)) return undefined;
  return redactPrompt(given, hidden.request, hidden.apiKey) === given ? given : undefined;
}

function cut(text: string, length: number): string {
  const line = onOneLine(text).trim();
  const kept = line.length <= length ? line : `${line.slice(0, length - 1)}…`;
  return kept.replace(loneSurrogate, '\ufffd');
}

/** A half of a character, such as a cut leaves. */
const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
