import { frameLimitBytes } from '@holdfast/sdk/protocol';
import { WebSocket } from 'ws';
import { endCodes } from './closing.ts';
import { errorFrame } from './frames.ts';

/** The library's own errors, with the texts and codes of our protocol. */
const translations: ReadonlyMap<number | undefined, { code: number; error: string }> = new Map([
  [1009, { code: endCodes.frameTooLarge, error: `a frame may hold ${frameLimitBytes} bytes at most` }],
  [1007, { code: endCodes.malformed, error: 'a frame must be valid UTF-8' }],
]);

/** A WebSocket whose own protocol errors close it with our close codes. */
export class GatewaySocket extends WebSocket {
  override close(code?: number, reason?: string | Buffer): void {
    const translated = translations.get(code);
    if (translated && this.readyState === WebSocket.OPEN) this.send(errorFrame(translated.error));
    super.close(translated?.code ?? code, translated?.error ?? reason);
  }
}
