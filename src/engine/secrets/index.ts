export { ensureInvokeSecret, type InvokeScope, readInvokeSecrets } from './invokeSecrets.ts';
export { type ProviderKey, type ProviderScope, readProviderKey, setProviderKey } from './providerKeys.ts';
export { rotateProjectSecrets } from './rotateProjectSecrets.ts';
export { openSecret, type SealContext, sealSecret } from './seal.ts';
