export type { WebhookHeaders } from './headers.ts';
export type {
  ReceivedWebhook,
  RunCancelledWebhook,
  RunFailedWebhook,
  RunSucceededWebhook,
  StepFailedWebhook,
  StepSkippedWebhook,
  StepSucceededWebhook,
  WebhookRun,
  WebhookStep,
} from './receivedWebhook.ts';
export type { WebhookScheme } from './schemes.ts';
export { type VerificationFailure, WebhookVerificationError } from './verificationError.ts';
export { type VerifyOptions, verifyWebhook, type WebhookBody } from './verifyWebhook.ts';
