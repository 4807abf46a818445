export { type Admitted, admitRequest, type Presence } from './admitRequest.ts';
export type { ApiKey } from './apiKey.ts';
export { createApiKey, type IssuedKey, listApiKeys, revokeApiKey } from './apiKeys.ts';
export { authenticate, type Credentials } from './authenticate.ts';
export { KeyLookUp } from './keyLookUp.ts';
export { flushKeyUsage, keyBounds, watchKey } from './keyRing.ts';
export { hashKey, keyKinds, mintKey, parseKey } from './keys.ts';
export type { KeyTurn } from './keyTurns.ts';
export { type Principal, requireOperator, requireProject, requireWatch, requireWrite } from './require.ts';
