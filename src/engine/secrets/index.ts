export { hasForeignSeals, type Resealed, resealForeign } from './foreignSeals.ts';
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
export { openSecret, projectKey, type SealContext, sealSecret } from './seal.ts';
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
