export { hasForeignSeals, resealForeign } from './foreignSeals.ts';
export { ensureInvokeSecret, readInvokeSecrets } from './invokeSecrets.ts';
export { readProviderKey, setProviderKey } from './providerKeys.ts';
export { rotateProjectSecrets } from './rotateProjectSecrets.ts';
export { openSecret, sealSecret } from './seal.ts';
