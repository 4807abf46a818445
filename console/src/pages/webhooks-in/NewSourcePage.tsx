import { type ReactNode, useState } from 'react';
import { useAct } from '../../data/queries.ts';
import { PageHead } from '../../design/index.ts';
import { PageLink, useGo } from '../../router/PageLink.tsx';
import { useTitle } from '../../router/useTitle.ts';
import { SigningSecret } from '../webhooks/SigningSecret.tsx';
import { SourceForm } from './SourceForm.tsx';
import { createInput, newSource } from './sourceForm.ts';
import { createSourceDocument, sourcesDocument } from './sourcesDocuments.ts';

/** Creates a source, and shows its secret once. Its page shows the address then. */
export default function NewSourcePage(): ReactNode {
  useTitle('New webhook source');
  const go = useGo();
  const [made, setMade] = useState<{ id: string; secret: string }>();
  const create = useAct(createSourceDocument, {
    refreshes: [sourcesDocument] as never,
    isQuiet: true,
    onDone: ({ createWebhookSource }) => {
      if (createWebhookSource)
        setMade({ id: createWebhookSource.webhookSource.id, secret: createWebhookSource.secret });
    },
  });
  return (
    <>
      <PageHead above={<PageLink to={['webhooks', 'sources']}>Sources</PageLink>} title="New source" />
      <SourceForm
        initial={newSource}
        isNew
        error={create.error}
        isBusy={create.isBusy || made !== undefined}
        back={['webhooks', 'sources']}
        onSubmit={(draft) => create.act({ input: createInput(draft) })}
      />
      {made && (
        <SigningSecret
          secret={made.secret}
          signer="sender"
          onStored={() => {
            create.reset();
            go(['webhooks', 'sources', made.id]);
          }}
        />
      )}
    </>
  );
}
