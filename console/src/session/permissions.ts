/** The kinds of keys. */
export type KeyKind = 'PUBLIC' | 'SECRET' | 'PLATFORM' | 'OPERATOR';

/**
 * What a control does. `write` changes something, `start` also starts runs, `manage` concerns
 * projects and keys.
 */
export type Deed = 'write' | 'start' | 'manage';

interface Who {
  kind: KeyKind;
  isSuspended?: boolean | undefined;
}

/** Why a control is disabled; undefined if the key may do it. */
export function refusalOf({ kind, isSuspended = false }: Who, deed: Deed): string | undefined {
  if (deed === 'manage') return kind === 'OPERATOR' ? undefined : 'needs the operator key';
  if (kind === 'PUBLIC') return 'needs a secret key';
  if (deed === 'start' && isSuspended) return 'the project is suspended';
  return undefined;
}

/** Whether the key chooses the project for which it acts. */
export const choosesProject = (kind: KeyKind): boolean => kind === 'PLATFORM' || kind === 'OPERATOR';

/** Whether the key acts for a person, whose name decisions record. */
export const namesPerson = (kind: KeyKind): boolean => kind === 'PLATFORM';

/** The kind that a key's beginning tells, before the service is asked. */
export function kindOfKey(key: string): KeyKind | undefined {
  const [, prefix] = /^hf_([a-z]+)_/.exec(key.trim()) ?? [];
  const kinds: Record<string, KeyKind> = { pk: 'PUBLIC', sk: 'SECRET', plat: 'PLATFORM', op: 'OPERATOR' };
  return prefix ? kinds[prefix] : undefined;
}
