import type { SecretPlace } from './sql/findSealedSecret.ts';

/**
 * What is kept sealed per project: `invoke` signs the invokes of an app's HTTP runners, `invoke_previous` is the one
 * before it while both are valid, `provider` opens a model provider.
 */
export const secretKinds = ['invoke', 'invoke_previous', 'provider'] as const;
export type SecretKind = (typeof secretKinds)[number];

/** What sealed bytes are bound to, so that a row copied elsewhere does not open. Case and order are part of the format. */
export const boundTo = ({ projectId, kind, name }: SecretPlace): string => `${projectId}/${kind}/${name}`;
