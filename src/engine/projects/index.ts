export { hashKey, type KeyKind, keyKinds, type MintedKey, mintKey, parseKey } from './keys.ts';
export type { Principal } from './principal.ts';
export { openSecret, type SealContext, sealSecret } from './seal.ts';
