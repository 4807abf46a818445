export { findUnreadable, type Resealed, resealForeign, type UnreadableSecrets } from './foreignSeals.ts';
export { ensureInvokeSecret, readInvokeSecrets } from './invokeSecrets.ts';
export { mintSecret, overlapMs } from './mintSecret.ts';
export {
  checkProviderKey,
  dropProviderKey,
  hasOwnAddress,
  hasProviderKeys,
  ownAddresses,
  type ProviderKey,
  type ProviderScope,
  putProviderKey,
  readProviderKey,
  readProviderKeys,
  type StoredProviderKey,
} from './providerKeys.ts';
export { rotateProjectSecrets } from './rotateProjectSecrets.ts';
export { openSecret, projectKey, type SealContext, sealSecret, UnreadableSealError } from './seal.ts';
export type { SecretRef } from './sql/findSealedSecret.ts';
export {
  dropSecrets,
  openSourceToken,
  openWebhookSecret,
  putSigningSecrets,
  putSourceToken,
  readSigningSecrets,
  revokePreviousSecret,
  type SecretOwner,
  type SigningSecrets,
} from './webhookSecrets.ts';
