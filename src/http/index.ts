export { BodyRoom } from './bodyRoom.ts';
export { ConnectionGate, type ConnectionGateOptions } from './connectionGate.ts';
export { credentialsOf } from './credentials.ts';
export { bodyTooLarge, HttpError, RequestAborted, statusOfKind } from './httpErrors.ts';
export { foreignOrigin, Origins } from './origins.ts';
export { isRefused, refuseSocket } from './refuseSocket.ts';
export { maxBodyBytes, readBytes, readText } from './requestBody.ts';
export { cutUnreadBody, maxDiscardedBytes, type UnreadLimits } from './unreadBody.ts';
export { cutWhenStuck, isOver, presenceOf, whenOver } from './whenOver.ts';
