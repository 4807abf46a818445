export { defaultOptions as senderDefaults, type SenderOptions } from './options.ts';
export { type SenderSetup, WebhookSender } from './sender.ts';
