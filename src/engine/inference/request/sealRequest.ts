import { openSecret, type SealContext, sealSecret } from '../../secrets/index.ts';

/** The step that a request belongs to. */
export interface RequestOwner {
  projectId: string;
  runId: string;
  stepIndex: number;
}

/** Seals the text of a request. The bytes open only for this step. */
export const sealRequest = (ctx: SealContext, owner: RequestOwner, text: string): Buffer =>
  sealSecret(ctx, text, boundTo(owner));

/** Opens a request. Throws like `openSecret`. */
export const openRequest = (ctx: SealContext, owner: RequestOwner, sealed: Uint8Array): string =>
  openSecret(ctx, sealed, boundTo(owner));

const boundTo = ({ projectId, runId, stepIndex }: RequestOwner): string =>
  `${projectId}/inference/${runId}/${stepIndex}`;
