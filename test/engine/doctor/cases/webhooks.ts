import { describe, it } from 'vitest';
import { newId } from '../../../../src/engine/ids.ts';
import { ago, expectFindings, scene } from '../sharedScene.ts';

describe('I7', () => {
  it('an end of a run of which an endpoint has no delivery', async () => {
    await scene.endpoint(ago(60_000));
    const runId = await scene.ended('failed');
    await expectFindings({ deliveryMissing: runId });
    await scene.sql(`update webhook_endpoint set event_kinds = '{run.succeeded}'`);
    await expectFindings({});
  });

  it('an end of a run of which an endpoint has two deliveries', async () => {
    const endpointId = await scene.endpoint(ago(60_000));
    const runId = await scene.ended('succeeded');
    await scene.delivery({ runId, endpointId });
    await expectFindings({});
    await scene.delivery({ runId, endpointId });
    await expectFindings({ deliveryTwice: runId });
  });

  it('a delivery of a change that its run does not show', async () => {
    const runId = await scene.ended('failed');
    await scene.delivery({ runId, endpointId: newId() });
    await expectFindings({ deliveryOfNothing: runId });
  });

  it('a delivery of a step that will be retried', async () => {
    const runId = await scene.ready();
    await scene.step(runId, { status: 'failed', willRetry: true, runAfter: ago(-60_000), endedAt: new Date() });
    await scene.delivery({ runId, endpointId: newId(), kind: 'step.failed', step: { index: 0, attempt: 1 } });
    await expectFindings({ deliveryOfNothing: runId });
  });
});

describe('I14', () => {
  it('a delivery that counts an attempt which its log does not have', async () => {
    const deliveryId = await scene.delivery();
    await scene.sql('update webhook_delivery set attempt_count = 1');
    await expectFindings({ attemptsMiscounted: deliveryId });
    await scene.attempt(deliveryId, 1);
    await expectFindings({});
    await scene.sql('update webhook_attempt set attempt = 2');
    await expectFindings({ attemptsMiscounted: deliveryId });
  });

  it('a delivery that waits for an attempt without work', async () => {
    const deliveryId = await scene.delivery();
    await scene.sql('delete from webhook_work');
    await expectFindings({ deliveryWithoutWork: deliveryId });
  });

  it('a settled delivery that is to be attempted', async () => {
    const deliveryId = await scene.delivery();
    await scene.sql(`update webhook_delivery set status = 'succeeded'`);
    await expectFindings({ workOfSettledDelivery: deliveryId });
  });

  it('a delivery whose sender has died, while another lives', async () => {
    const deliveryId = await scene.delivery();
    await scene.sql('update webhook_work set lease_id = $1', newId());
    await expectFindings({});
    await scene.sql('insert into webhook_sender (id) values ($1)', newId());
    await expectFindings({ deliveryOfNoSender: deliveryId });
  });
});

describe('I15', () => {
  it('an ingested message without its event', async () => {
    const messageId = await scene.message();
    await expectFindings({});
    await scene.sql('delete from event');
    await expectFindings({ messageWithoutEvent: messageId });
  });

  it('a message whose attempts have a gap', async () => {
    const messageId = await scene.message();
    await scene.sql('update webhook_source_attempt set attempt = 2');
    await expectFindings({ messageAttemptMissing: messageId });
  });
});
