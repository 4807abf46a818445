export { equalInConstantTime, type SignatureFault, signatureFaults } from './schemes/signedMessage.ts';
export { sign, signatureHeader, verify } from './signature.ts';
export { signatureFault } from './verifyMessage.ts';
