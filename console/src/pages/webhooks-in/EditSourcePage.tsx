import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAct, useRead } from '../../data/queries.ts';
import { Empty, PageHead, ThingPage, visibleText } from '../../design/index.ts';
import { PageLink, useGo } from '../../router/PageLink.tsx';
import { useTitle } from '../../router/useTitle.ts';
import { SourceForm } from './SourceForm.tsx';
import { draftOf, updateInput } from './sourceForm.ts';
import { sourceDocument, sourcesDocument, updateSourceDocument } from './sourcesDocuments.ts';

const route = getRouteApi('/p/$project/webhooks/sources/$id/edit');

/** Changes a source. */
export default function EditSourcePage(): ReactNode {
  useTitle('Edit a webhook source');
  const { id } = route.useParams();
  const read = useRead(sourceDocument, { id });
  const go = useGo();
  const back = ['webhooks', 'sources', id];
  const update = useAct(updateSourceDocument, {
    refreshes: [sourceDocument, sourcesDocument] as never,
    isQuiet: true,
    done: () => 'Saved',
    onDone: () => go(back),
  });
  return (
    <ThingPage
      read={read}
      thingOf={({ webhookSource }) => webhookSource}
      head={() => <PageHead above={<PageLink to={back}>Back to the source</PageLink>} title="Edit the source" />}
      missing={<Empty title={`No source has the id ${visibleText(id)}`} />}
    >
      {(found) => (
        <SourceForm
          key={found.id}
          initial={draftOf(found)}
          isNew={false}
          error={update.error}
          isBusy={update.isBusy}
          back={back}
          onSubmit={(draft) => update.act({ input: updateInput(id, draftOf(found), draft) })}
        />
      )}
    </ThingPage>
  );
}
