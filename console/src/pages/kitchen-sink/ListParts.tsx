import { type ReactNode, useState } from 'react';
import {
  Button,
  Filters,
  ListEnd,
  NothingMatches,
  PageHead,
  Panel,
  SecretDialog,
  SinceSelect,
} from '../../design/index.ts';

const set = [
  { name: 'status', value: 'failed', drop: () => {} },
  { name: 'app', value: 'shop', drop: () => {} },
];

/** The parts of lists, and of pages about one thing. */
export function ListParts(): ReactNode {
  const [isShown, setShown] = useState(false);
  return (
    <Panel title="Lists and heads" actions={<Button onClick={() => setShown(true)}>Show a secret</Button>}>
      <PageHead
        above="Endpoints"
        title="billing"
        below="https://billing.example/hooks"
        actions={<Button>Edit</Button>}
      />
      <Filters set={set} onClear={() => {}}>
        <SinceSelect label="Created" since="24h" onChoose={() => {}} />
      </Filters>
      <NothingMatches title="No delivery matches these filters" set={set} />
      <ListEnd pages={{ hasMore: true, isLoadingMore: false, loadMore: () => {} }} shown="50 deliveries" />
      {isShown && (
        <SecretDialog
          title="The signing secret"
          description="Receivers verify deliveries with it."
          secret="whsec_bm90IGEgc2VjcmV0IGF0IGFsbA=="
          what="signing secret"
          onStored={() => setShown(false)}
        />
      )}
    </Panel>
  );
}
