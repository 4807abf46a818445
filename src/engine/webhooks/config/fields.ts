import { isLongerThan } from '../../codePoints.ts';
import type { EngineContext } from '../../context.ts';
import { invalid } from '../../errors.ts';
import { key } from '../../flow/index.ts';
import { hasControlCharacter } from '../../json/index.ts';
import { type LifecycleKind, lifecycleKinds } from '../../lifecycle/index.ts';
import { assertAllowedUrl } from '../../net/index.ts';
import { parseName } from '../../registry/index.ts';
import { isSensitiveName } from '../../timeline/index.ts';
import type { EndpointScheme, SourceScheme } from './schemes.ts';

// The checks of the fields of endpoints and sources (2.11). Each throws `invalid` with the name of
// the field, and with the limit.

/** A value of a caller. An absent field stays as it is, and null clears it. */
export type Given<T> = T | null | undefined;

/** The limit of a URL, in characters. */
export const maxUrlLength = 2048;
export const maxExposedHeaders = 20;
export const secretLength = { min: 8, max: 256 };

/** A name that may be cleared. */
export const optionalName = (field: string, value: Given<string>): Given<string> =>
  value === undefined || value === null ? value : parseName(value, { field });

/** A field that has a value always. */
export function required<T>(field: string, value: Given<T>): T | undefined {
  if (value === null) throw invalid(`${field} must not be null`);
  return value;
}

/** The URL as it was given. Host names are checked again when the service connects. */
export function checkUrl({ settings }: EngineContext, url: string): string {
  if (isLongerThan(url, maxUrlLength)) throw invalid(`url must be at most ${maxUrlLength} characters long`);
  if (hasControlCharacter(url) || /\s/.test(url))
    throw invalid('url must not contain white space or control characters');
  assertAllowedUrl(url, { allowPrivate: settings.allowPrivateTargets });
  return url;
}

const eventKindsRule = `eventKinds must list one or more of ${lifecycleKinds.join(', ')}, each once`;

export function checkEventKinds(kinds: readonly LifecycleKind[]): readonly LifecycleKind[] {
  const isKnown = kinds.every((kind) => lifecycleKinds.includes(kind));
  if (kinds.length === 0 || !isKnown || new Set(kinds).size < kinds.length) throw invalid(eventKindsRule);
  return kinds;
}

/** A path by the rule of the keys of flow-control policies (2.2). */
export function checkDedupeKey(path: Given<string>): Given<string> {
  const { error } = key.safeParse(path);
  const [issue] = error?.issues ?? [];
  if (issue) throw invalid(`dedupeKey ${issue.message}`);
  return path;
}

/** RFC 9110: a token. */
const headerName = /^[!#$%&'*+.^_`|~0-9a-z-]{1,256}$/;

const signatureName = /signature|hmac|(?:^|-)sig(?:-|$)/;

/**
 * Whether a header, by its name in lower case, may hold a signature or another secret. A reader
 * without write access could send a message again with a signature.
 */
export const isSecretHeader = (name: string): boolean => signatureName.test(name) || isSensitiveName(name);

/** Names in lower case. A name that hints at a signature or another secret is refused. */
export function checkExposeHeaders(names: readonly string[]): readonly string[] {
  if (names.length > maxExposedHeaders) throw invalid(`exposeHeaders must list at most ${maxExposedHeaders} names`);
  const lower = names.map((name) => name.toLowerCase());
  for (const name of lower) {
    if (!headerName.test(name)) throw invalid('exposeHeaders must list names of headers, of at most 256 characters');
    if (isSecretHeader(name)) {
      throw invalid(`exposeHeaders must not list ${name}: signatures, authorizations, cookies and secrets stay hidden`);
    }
  }
  if (new Set(lower).size < lower.length) throw invalid('exposeHeaders must list each name once');
  return lower;
}

/** A secret that the caller brings. */
export function checkSecret(secret: string, scheme: EndpointScheme | SourceScheme): string {
  const { min, max } = secretLength;
  if (secret.length < min || isLongerThan(secret, max)) throw invalid(`secret must have ${min} to ${max} characters`);
  if (hasControlCharacter(secret)) throw invalid('secret must not contain control characters');
  if (!fitsScheme(secret, scheme)) {
    throw invalid(`secret must be whsec_ and the base64 of at least ${minKeyBytes} bytes for the scheme standard`);
  }
  return secret;
}

const minKeyBytes = 16;
const standardSecret = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;

/** Whether a secret gives a key: the scheme `standard` takes the bytes that it encodes. */
export function fitsScheme(secret: string, scheme: EndpointScheme | SourceScheme): boolean {
  if (scheme !== 'standard') return true;
  const encoded = standardSecret.exec(secret)?.[1];
  return encoded !== undefined && Buffer.from(encoded, 'base64').length >= minKeyBytes;
}

/** The fields that have a value, or null. */
export const withoutUndefined = <T extends object>(fields: T): Present<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>;

export type Present<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> };

/** The fields that have a value: null counts as absent when something is created. */
export const withoutNulls = <T extends object>(fields: T): { [Name in keyof T]?: NonNullable<T[Name]> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)) as {
    [Name in keyof T]?: NonNullable<T[Name]>;
  };
