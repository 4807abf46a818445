export { credentialsOf } from './credentials.ts';
export { bodyTooLarge, HttpError, RequestAborted, statusOfKind } from './httpErrors.ts';
export { KeySeats } from './keySeats.ts';
export { isRefused, refuseSocket } from './refuseSocket.ts';
export { maxBodyBytes, readBytes, readText } from './requestBody.ts';
export { cutWhenStuck, isOver, whenOver } from './whenOver.ts';
