export { sign, signatureHeader, verify } from './signature.ts';
