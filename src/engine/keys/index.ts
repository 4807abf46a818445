export type { ApiKey } from './apiKey.ts';
export { authenticate, type Credentials } from './authenticate.ts';
export { createApiKey, type IssuedKey, type NewApiKey } from './createApiKey.ts';
export { checkWatchedKeys, flushKeyUsage, watchKey } from './keyRing.ts';
export { hashKey, type KeyKind, keyKinds, type MintedKey, mintKey, parseKey } from './keys.ts';
export { type ApiKeyPage, listApiKeys } from './listApiKeys.ts';
export { type Principal, requireOperator, requireProject, requireWatch, requireWrite } from './require.ts';
export { revokeApiKey } from './revokeApiKey.ts';
