import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/engine/clock.ts';
import { newId } from '../../../src/engine/ids.ts';
import { sealSecret } from '../../../src/engine/secrets/index.ts';
import { type SenderOptions, WebhookSender } from '../../../src/workers/webhooks/index.ts';
import { QueueScene } from '../../engine/webhooks/queue/scene.ts';
import { useEngine } from '../../support/engine.ts';
import { Receiver } from './receiver.ts';

const test_ = useEngine({ clock: systemClock });

let scene: QueueScene;
beforeEach(async () => {
  await test_.db.query(
    'truncate webhook_work, webhook_lane, webhook_sender, webhook_delivery, webhook_endpoint, webhook_attempt, sealed_secret',
  );
  scene = await QueueScene.open(test_.engine);
});

function sender(options: Partial<SenderOptions> = {}): WebhookSender {
  const made = new WebhookSender({ engine: test_.engine, options });
  onTestFinished(() => made.stop());
  return made;
}

async function signedEndpoint(url: string): Promise<string> {
  const endpointId = await scene.endpoint({ url });
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const sealed = sealSecret(test_.engine, secret, `${scene.projectId}/webhook_endpoint/${endpointId}`);
  await test_.db.query(
    `insert into sealed_secret (project_id, kind, name, sealed, updated_at) values ($1, 'webhook_endpoint', $2, $3, now())`,
    [scene.projectId, endpointId, sealed],
  );
  return endpointId;
}

describe('the sender', () => {
  test('posts what is due, and settles it', async () => {
    const receiver = await Receiver.open();
    const endpointId = await signedEndpoint(receiver.url);
    const ids = await scene.deliveries(25, { endpointId });
    await sender().runOnce();
    expect(receiver.received.map(({ headers }) => headers['x-service-delivery']).sort()).toEqual([...ids].sort());
    expect(await scene.delivery(ids[0] ?? newId())).toMatchObject({
      status: 'succeeded',
      attemptCount: 1,
      lastStatusCode: 204,
    });
    expect(await test_.db.prisma.webhookWork.count()).toBe(0);
  });
});
