export { credentialsOf } from './credentials.ts';
export { bodyTooLarge, HttpError, RequestAborted, statusOfKind } from './httpErrors.ts';
export { KeyPermits } from './keyPermits.ts';
export { foreignOrigin, Origins } from './origins.ts';
export { isRefused, refuseSocket } from './refuseSocket.ts';
export { maxBodyBytes, readText } from './requestBody.ts';
export { cutWhenStuck, isOver, whenOver } from './whenOver.ts';
