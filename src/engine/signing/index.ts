export { equalInConstantTime, type SignatureFault, signatureFaults } from './schemes/signedMessage.ts';
export { sign, signatureHeader, verify } from './signature.ts';
export { type MessageToSign, signatureHeaders } from './signMessage.ts';
export { signatureFault } from './verifyMessage.ts';
