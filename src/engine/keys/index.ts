export type { ApiKey } from './apiKey.ts';
export { type ApiKeyPage, createApiKey, type IssuedKey, listApiKeys, type NewApiKey, revokeApiKey } from './apiKeys.ts';
export { authenticate, type Credentials } from './authenticate.ts';
export { flushKeyUsage, watchKey } from './keyRing.ts';
export { hashKey, type KeyKind, keyKinds, type MintedKey, mintKey, parseKey } from './keys.ts';
export { type Principal, requireOperator, requireProject, requireWatch, requireWrite } from './require.ts';
