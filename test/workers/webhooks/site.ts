import { beforeEach, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/engine/clock.ts';
import { sealSecret } from '../../../src/engine/secrets/index.ts';
import type { EngineSettings } from '../../../src/engine/settings.ts';
import { type SenderOptions, WebhookSender } from '../../../src/workers/webhooks/index.ts';
import { QueueScene } from '../../engine/webhooks/queue/scene.ts';
import { type TestEngine, useEngine } from '../../support/engine.ts';

/** The secret of a site's endpoints, and the one before. */
export const secrets = [7, 8].map((byte) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`);

export interface Site extends TestEngine {
  readonly scene: QueueScene;
  /** A sender that takes turns only when it is told to. */
  sender(options?: Partial<SenderOptions>, engine?: TestEngine['engine']): WebhookSender;
  /** An endpoint with a secret. */
  endpoint(url: string, fields?: { scheme?: string; rotated?: boolean; secret?: boolean }): Promise<string>;
  /** The only attempt of a delivery, once the sender has made it. */
  attemptOf(deliveryId: string): Promise<Attempt>;
}

export interface Attempt {
  outcome: string;
  statusCode: number | null;
  responseSnippet: string | null;
  error: string | null;
  requestHeaders: Record<string, string>;
  responseHeaders: Record<string, string | string[]> | null;
}

const tables =
  'webhook_work, webhook_lane, webhook_sender, webhook_delivery, webhook_endpoint, webhook_attempt, sealed_secret';

/** An engine with an empty queue for each test of a file. */
export function useSite(settings: Partial<EngineSettings> = {}): Site {
  const opened = useEngine({ clock: systemClock, settings });
  let scene: QueueScene | undefined;
  beforeEach(async () => {
    await opened.db.query(`truncate ${tables}`);
    scene = await QueueScene.open(opened.engine);
  });
  const current = (): QueueScene => {
    if (!scene) throw new Error('the scene is there in tests');
    return scene;
  };
  return {
    get engine() {
      return opened.engine;
    },
    get db() {
      return opened.db;
    },
    get url() {
      return opened.url;
    },
    get scene() {
      return current();
    },
    sender(options = {}, engine = opened.engine) {
      const made = new WebhookSender({ engine, options });
      onTestFinished(() => made.stop());
      return made;
    },
    async endpoint(url, { scheme = 'service', rotated = false, secret = true } = {}) {
      const endpointId = await current().endpoint({ url });
      await opened.db.query('update webhook_endpoint set scheme = $2 where id = $1', [endpointId, scheme]);
      const kinds = ['webhook_endpoint', 'webhook_endpoint_previous'].slice(0, secret ? 1 + Number(rotated) : 0);
      for (const [at, kind] of kinds.entries()) {
        const sealed = sealSecret(opened.engine, secrets[at] ?? '', `${current().projectId}/${kind}/${endpointId}`);
        await opened.db.query(
          'insert into sealed_secret (project_id, kind, name, sealed, updated_at) values ($1, $2, $3, $4, now())',
          [current().projectId, kind, endpointId, sealed],
        );
      }
      return endpointId;
    },
    async attemptOf(deliveryId) {
      const attempts = await opened.db.prisma.webhookAttempt.findMany({ where: { deliveryId } });
      if (attempts.length !== 1) throw new Error(`there are ${attempts.length} attempts`);
      return attempts[0] as unknown as Attempt;
    },
  };
}
