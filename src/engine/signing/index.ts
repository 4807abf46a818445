export { sign, signatureHeader } from './sign.ts';
export { type Verification, verify } from './verify.ts';
