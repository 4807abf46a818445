import type { EngineContext } from '../../context.ts';
import { notConfigured } from '../../errors.ts';
import { type ProviderScope, UnreadableSealError } from '../../secrets/index.ts';
import { noAccessReason, type ProviderAccess, resolveAccess, unreadableKeyText } from '../access.ts';
import { type ModelsAnswer, requestModels } from './requestModels.ts';
import { withoutKey } from './withoutKey.ts';

/** Whether a provider takes the key of a project. */
export interface ProviderCheck {
  provider: string;
  ok: boolean;
  latencyMs: number;
  /** Why it does not; without the key and the address. */
  error?: string | undefined;
}

/** A check in all, the connection included. */
const limitMs = 10_000;
const maxErrorLength = 500;

/**
 * Checks the access of a project to a provider: lists its models once. No call is made, and nothing
 * is billed. Throws `notConfigured` without a key.
 */
export async function checkProvider(
  ctx: EngineContext,
  scope: ProviderScope,
  timeoutMs = limitMs,
): Promise<ProviderCheck> {
  const { provider } = scope;
  const access = await accessOf(ctx, scope);
  if (access === 'unreadable') return { provider, ok: false, latencyMs: 0, error: unreadableKeyText };
  if (!access) throw notConfigured(await noAccessReason(ctx, scope));
  const startedAt = performance.now();
  const problem = await problemOf(access, timeoutMs);
  const latencyMs = Math.round(performance.now() - startedAt);
  if (problem === undefined) return { provider, ok: true, latencyMs };
  return { provider, ok: false, latencyMs, error: cut(withoutKey(problem, access.apiKey)) };
}

async function accessOf(ctx: EngineContext, scope: ProviderScope): Promise<ProviderAccess | 'unreadable' | undefined> {
  try {
    return await resolveAccess(ctx, scope);
  } catch (error) {
    if (error instanceof UnreadableSealError) return 'unreadable';
    throw error;
  }
}

async function problemOf(access: ProviderAccess, timeoutMs: number): Promise<string | undefined> {
  try {
    return refusalOf(await requestModels(access, timeoutMs));
  } catch (error) {
    return failureOf(error);
  }
}

/** The problem of an answer; undefined if it is a list of models. */
function refusalOf({ status, body }: ModelsAnswer): string | undefined {
  if (status >= 200 && status < 300) return /^\s*[[{]/.test(body) ? undefined : 'the answer is no list of models';
  if (status >= 300 && status < 400) return `the provider answered ${status}, and redirects are not followed`;
  const words = wordsOf(body);
  return words === '' ? `the provider answered ${status}` : `the provider answered ${status}: ${words}`;
}

/** The type and the message of an error body; empty if it has another shape. */
function wordsOf(body: string): string {
  const value = parsed(body);
  const error = typeof value === 'object' && value !== null && 'error' in value ? value.error : value;
  if (typeof error === 'string') return error;
  if (typeof error !== 'object' || error === null) return '';
  const { type, message }: { type?: unknown; message?: unknown } = error;
  return [type, message].filter((word) => typeof word === 'string' && word !== '').join(': ');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const failures: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the provider refused the connection',
  ECONNRESET: 'the provider closed the connection',
  UND_ERR_SOCKET: 'the provider closed the connection',
  ENOTFOUND: 'the name of the provider was not found',
  UND_ERR_CONNECT_TIMEOUT: 'the provider did not answer in time',
  UND_ERR_HEADERS_TIMEOUT: 'the provider did not answer in time',
  UND_ERR_BODY_TIMEOUT: 'the provider did not answer in time',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too large',
};

/** Errors of connections name addresses, so only their codes are told. */
function failureOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the request failed';
  if (error.name === 'TimeoutError') return 'the provider did not answer in time';
  if (error.name === 'HTTPParserError') return 'the answer is not HTTP';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const known = code !== undefined && Object.hasOwn(failures, code) ? failures[code] : undefined;
  return known ? `${known} (${code})` : `the request failed${code === undefined ? '' : ` (${code})`}`;
}

function cut(text: string): string {
  const shown = text.replace(/[\p{Cc}\p{Cs}]+/gu, ' ');
  // A cut may split a pair of surrogates.
  return shown.length > maxErrorLength ? `${shown.slice(0, maxErrorLength - 1).replace(/\p{Cs}$/u, '')}…` : shown;
}
