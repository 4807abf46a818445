export { sign, signatureHeader, type Verification, verify } from './signature.ts';
