import { type ReactNode, useState } from 'react';
import { useAct } from '../../data/queries.ts';
import { visibleText } from '../../design/index.ts';
import { useGo } from '../../router/PageLink.tsx';
import { WebhookControls, WebhookOverlap } from '../webhooks/WebhookControls.tsx';
import type { Source } from './SourcePage.tsx';
import { deleteSourceDocument, sourceDocument, sourcesDocument, updateSourceDocument } from './sourcesDocuments.ts';

const refreshes = [sourceDocument, sourcesDocument] as never;
const list = ['webhooks', 'sources'];

/** The controls of a source. */
export function SourceControls({ source }: { source: Source }): ReactNode {
  const [secret, setSecret] = useState<string | null>();
  const go = useGo();
  const toggle = useAct(updateSourceDocument, {
    refreshes,
    done: ({ updateWebhookSource }) => (updateWebhookSource?.webhookSource.enabled ? 'Enabled' : 'Disabled'),
  });
  const rotate = useAct(updateSourceDocument, {
    refreshes,
    isQuiet: true,
    onDone: ({ updateWebhookSource }) => setSecret(updateWebhookSource?.secret),
  });
  const remove = useAct(deleteSourceDocument, {
    refreshes: [sourcesDocument] as never,
    isQuiet: true,
    done: () => 'Deleted',
    onDone: () => go(list),
  });
  return (
    <WebhookControls
      of={source}
      list={list}
      signer="sender"
      toggle={toggle}
      rotate={rotate}
      secret={secret}
      onStored={() => setSecret(undefined)}
      deletion={{
        title: `Delete “${visibleText(source.name ?? source.eventName)}”?`,
        description: 'Its address answers 404 from now on. Its past messages stay until their time has passed.',
        label: 'Delete the source',
        remove,
      }}
    />
  );
}

/** Shown while two secrets are valid. */
export function SourceOverlap({ source }: { source: Source }): ReactNode {
  const end = useAct(updateSourceDocument, { refreshes, done: () => 'Only the new secret is valid' });
  return <WebhookOverlap of={source} end={end} />;
}
